// Status: the answer of every request that fails, and of some that do not.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { listMeta, typeMeta } from "./object-meta.ts";

export type Status = ObjectOf<typeof statusSchema>;

export const statusSchema = s.struct(
  "meta.v1.Status",
  { doc: "The outcome of a request: of every one that fails, and of some that succeed." },
  () => ({
    typeMeta: s.inline(typeMeta),
    metadata: s.of(listMeta, { proto: 1, optional: true, doc: "Usually empty here." }),
    status: s.string({ proto: 2, optional: true, doc: "Success or Failure." }),
    message: s.string({ proto: 3, optional: true, doc: "The outcome in words for people." }),
    reason: s.string({
      alias: "StatusReason",
      proto: 4,
      optional: true,
      doc: "Why the request failed, in one word for programs, such as NotFound; refines the code. Empty when unknown.",
    }),
    details: s.of(statusDetails, {
      proto: 5,
      optional: true,
      pointer: true,
      doc: "More about a failure; which parts are filled in depends on the reason.",
    }),
    code: s.int32({
      proto: 6,
      optional: true,
      doc: "The HTTP status code that is recommended for this outcome; 0 when not set.",
    }),
  }),
);

export type StatusDetails = ObjectOf<typeof statusDetails>;

export const statusDetails = s.struct(
  "meta.v1.StatusDetails",
  { doc: "More about a failure: which object, which fields, and when to try again." },
  () => ({
    name: s.string({ proto: 1, optional: true, doc: "The name of the object in question; empty if there is none." }),
    group: s.string({ proto: 2, optional: true, doc: "The API group of the object in question." }),
    kind: s.string({ proto: 3, optional: true, doc: "The kind or the resource of the object in question." }),
    uid: s.string({
      alias: "types.UID",
      proto: 6,
      optional: true,
      doc: "The uid of the object in question, if there is a single one.",
    }),
    causes: s.list(statusCause, {
      proto: 4,
      optional: true,
      listType: "atomic",
      doc: "The single mistakes, for example every field that is not valid.",
    }),
    retryAfterSeconds: s.int32({
      proto: 5,
      optional: true,
      doc: "Wait this many seconds before trying again, or before the alternative action that the reason implies.",
    }),
  }),
);

export type StatusCause = ObjectOf<typeof statusCause>;

export const statusCause = s.struct(
  "meta.v1.StatusCause",
  { doc: "One mistake among those that made a request fail." },
  () => ({
    reason: s.string({
      alias: "CauseType",
      proto: 1,
      optional: true,
      doc: "What is wrong, in one word for programs, such as FieldValueRequired.",
    }),
    message: s.string({ proto: 2, optional: true, doc: "What is wrong, in words for people." }),
    field: s.string({
      proto: 3,
      optional: true,
      doc: "The path of the field, as in spec.containers[0].name; indexes start at zero. May be empty.",
    }),
  }),
);
