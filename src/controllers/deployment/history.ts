// Which old ReplicaSets are kept to roll back to, and which go.

import type { Names } from "../../meta/names.ts";
import { type OwnedSet, oldestFirst, replicasOf } from "./replica-sets.ts";
import { revisionOf } from "./revision.ts";

/** Those of the lowest revisions beyond the limit, unless they still have pods or have not said so. */
export function setsToForget(names: Names, old: readonly OwnedSet[], limit: number | undefined): OwnedSet[] {
  if (limit === undefined) return [];
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const byRevision = alive.sort((a, b) => {
    const [left, right] = [revisionOf(names, a.metadata.annotations), revisionOf(names, b.metadata.annotations)];
    return left === right ? oldestFirst(a, b) : left < right ? -1 : 1;
  });
  return byRevision
    .slice(0, Math.max(0, alive.length - limit))
    .filter(
      (set) =>
        replicasOf(set) === 0 &&
        set.status.replicas === 0 &&
        (set.metadata.generation ?? 0) <= (set.status.observedGeneration ?? 0),
    );
}
