// Options of requests that may come as a body.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { typeMeta } from "./object-meta.ts";

export type DeleteOptions = ObjectOf<typeof deleteOptions>;

export const deleteOptions = s.struct("meta.v1.DeleteOptions", { doc: "How to delete." }, () => ({
  typeMeta: s.inline(typeMeta),
  gracePeriodSeconds: s.int64({ proto: 1, optional: true, pointer: true }),
  preconditions: s.of(preconditions, { proto: 2, optional: true, pointer: true }),
  orphanDependents: s.boolean({ proto: 3, optional: true, pointer: true }),
  propagationPolicy: s.string({ alias: "DeletionPropagation", proto: 4, optional: true, pointer: true }),
  dryRun: s.list("string", { proto: 5, optional: true, listType: "atomic" }),
  ignoreStoreReadErrorWithClusterBreakingPotential: s.boolean({ proto: 6, optional: true, pointer: true }),
}));

export type Preconditions = ObjectOf<typeof preconditions>;

export const preconditions = s.struct("meta.v1.Preconditions", () => ({
  uid: s.string({ alias: "types.UID", proto: 1, optional: true, pointer: true }),
  resourceVersion: s.string({ proto: 2, optional: true, pointer: true }),
}));
