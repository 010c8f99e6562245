// Options of requests that may come as a body.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { typeMeta } from "./object-meta.ts";

export type DeleteOptions = ObjectOf<typeof deleteOptions>;

export const deleteOptions = s.struct("meta.v1.DeleteOptions", { doc: "How to delete an object." }, () => ({
  typeMeta: s.inline(typeMeta),
  gracePeriodSeconds: s.int64({
    proto: 1,
    optional: true,
    pointer: true,
    doc: "Seconds that the object gets to end; 0 deletes at once. Not set: what is usual for the kind.",
  }),
  preconditions: s.of(preconditions, {
    proto: 2,
    optional: true,
    pointer: true,
    doc: "Delete only if the object is still this one; otherwise the answer is a conflict.",
  }),
  orphanDependents: s.boolean({
    proto: 3,
    optional: true,
    pointer: true,
    doc: "The old way to ask for Orphan (true) or background deletion (false); not together with propagationPolicy.",
  }),
  propagationPolicy: s.string({
    alias: "DeletionPropagation",
    proto: 4,
    optional: true,
    pointer: true,
    doc: "Dependents: Orphan leaves them, Background removes them later, Foreground before the object. Not set: depends on the kind.",
  }),
  dryRun: s.list("string", {
    proto: 5,
    optional: true,
    listType: "atomic",
    doc: 'With "All" everything is checked and nothing is deleted.',
  }),
  ignoreStoreReadErrorWithClusterBreakingPotential: s.boolean({
    proto: 6,
    optional: true,
    pointer: true,
    doc: "Delete even if the stored object cannot be decoded, skipping finalizers and checks. Dangerous: the cluster may break.",
  }),
}));

export type Preconditions = ObjectOf<typeof preconditions>;

export const preconditions = s.struct(
  "meta.v1.Preconditions",
  { doc: "What must still be true of an object when it is deleted." },
  () => ({
    uid: s.string({
      alias: "types.UID",
      proto: 1,
      optional: true,
      pointer: true,
      doc: "The uid that the object must have.",
    }),
    resourceVersion: s.string({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The version that the object must have.",
    }),
  }),
);
