// Options of requests that may come as a body.

import { opt, ptr, s } from "../../schema/builder.ts";
import { typeMeta } from "./object-meta.ts";

export const deleteOptions = s.struct("meta.v1.DeleteOptions", "How to delete an object.", () => ({
  typeMeta: s.inline(typeMeta),
  gracePeriodSeconds: ptr.int64(
    1,
    "Seconds that the object gets to end; 0 deletes at once. Not set: what is usual for the kind.",
  ),
  preconditions: ptr.of(
    preconditions,
    2,
    "Delete only if the object is still this one; otherwise the answer is a conflict.",
  ),
  orphanDependents: ptr.boolean(
    3,
    "The old way to ask for Orphan (true) or background deletion (false); not together with propagationPolicy.",
  ),
  propagationPolicy: ptr.named(
    "DeletionPropagation",
    4,
    "Dependents: Orphan leaves them, Background removes them later, Foreground before the object. Not set: depends on the kind.",
  ),
  dryRun: opt.atomic("string", 5, 'With "All" everything is checked and nothing is deleted.'),
  ignoreStoreReadErrorWithClusterBreakingPotential: ptr.boolean(
    6,
    "Delete even if the stored object cannot be decoded, skipping finalizers and checks. Dangerous: the cluster may break.",
  ),
}));

const preconditions = s.struct(
  "meta.v1.Preconditions",
  "What must still be true of an object when it is deleted.",
  () => ({
    uid: ptr.named("types.UID", 1, "The uid that the object must have."),
    resourceVersion: ptr.string(2, "The version that the object must have."),
  }),
);
