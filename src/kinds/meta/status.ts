// Status: the answer of every request that fails, and of some that do not.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { listMeta, typeMeta } from "./object-meta.ts";

export type Status = ObjectOf<typeof statusSchema>;

export const statusSchema = s.struct("meta.v1.Status", { doc: "The outcome of a request." }, () => ({
  typeMeta: s.inline(typeMeta),
  metadata: s.of(listMeta, { proto: 1, optional: true }),
  status: s.string({ proto: 2, optional: true }),
  message: s.string({ proto: 3, optional: true }),
  reason: s.string({ alias: "StatusReason", proto: 4, optional: true }),
  details: s.of(statusDetails, { proto: 5, optional: true, pointer: true }),
  code: s.int32({ proto: 6, optional: true }),
}));

export type StatusDetails = ObjectOf<typeof statusDetails>;

export const statusDetails = s.struct("meta.v1.StatusDetails", () => ({
  name: s.string({ proto: 1, optional: true }),
  group: s.string({ proto: 2, optional: true }),
  kind: s.string({ proto: 3, optional: true }),
  uid: s.string({ alias: "types.UID", proto: 6, optional: true }),
  causes: s.list(statusCause, { proto: 4, optional: true, listType: "atomic" }),
  retryAfterSeconds: s.int32({ proto: 5, optional: true }),
}));

export type StatusCause = ObjectOf<typeof statusCause>;

export const statusCause = s.struct("meta.v1.StatusCause", () => ({
  reason: s.string({ alias: "CauseType", proto: 1, optional: true }),
  message: s.string({ proto: 2, optional: true }),
  field: s.string({ proto: 3, optional: true }),
}));
