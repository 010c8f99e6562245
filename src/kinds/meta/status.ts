// Status: the answer of every request that fails, and of some that do not.

import { opt, ptr, s } from "../../schema/builder.ts";
import { listMeta, typeMeta } from "./object-meta.ts";

export const statusSchema = s.struct(
  "meta.v1.Status",
  "The outcome of a request: of every one that fails, and of some that succeed.",
  () => ({
    typeMeta: s.inline(typeMeta),
    metadata: opt.of(listMeta, 1, "Usually empty here."),
    status: opt.string(2, "Success or Failure."),
    message: opt.string(3, "The outcome in words for people."),
    reason: opt.named(
      "StatusReason",
      4,
      "Why the request failed, in one word for programs, such as NotFound; refines the code. Empty when unknown.",
    ),
    details: ptr.of(statusDetails, 5, "More about a failure; which parts are filled in depends on the reason.", {
      publishedListType: "atomic",
    }),
    code: opt.int32(6, "The HTTP status code that is recommended for this outcome; 0 when not set."),
  }),
);

const statusDetails = s.struct(
  "meta.v1.StatusDetails",
  "More about a failure: which object, which fields, and when to try again.",
  () => ({
    name: opt.string(1, "The name of the object in question; empty if there is none."),
    group: opt.string(2, "The API group of the object in question."),
    kind: opt.string(3, "The kind or the resource of the object in question."),
    uid: opt.named("types.UID", 6, "The uid of the object in question, if there is a single one."),
    causes: opt.atomic(statusCause, 4, "The single mistakes, for example every field that is not valid."),
    retryAfterSeconds: opt.int32(
      5,
      "Wait this many seconds before trying again, or before the alternative action that the reason implies.",
    ),
  }),
);

const statusCause = s.struct("meta.v1.StatusCause", "One mistake among those that made a request fail.", () => ({
  reason: opt.named("CauseType", 1, "What is wrong, in one word for programs, such as FieldValueRequired."),
  message: opt.string(2, "What is wrong, in words for people."),
  field: opt.string(3, "The path of the field, as in spec.containers[0].name; indexes start at zero. May be empty."),
}));
