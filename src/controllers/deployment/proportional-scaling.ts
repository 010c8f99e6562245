// The number of replicas changed while several ReplicaSets have pods (in the middle of a rollout, or while that is
// paused): each gets its part, so that the risk of the rollout stays what it was.

import type { Deployment } from "../../kinds/apps/deployment.ts";
import {
  allSets,
  availableOf,
  isActiveSet,
  newestFirst,
  type OwnedSet,
  oldestFirst,
  replicasOf,
  type SetsOfDeployment,
  sumOf,
} from "./replica-sets.ts";
import type { Scaling } from "./rolling-update.ts";
import type { RolloutLimits } from "./rollout-limits.ts";

export interface RecordedSizes {
  /** The replicas of the deployment when the set was last scaled; undefined when it does not say. */
  readonly desired: (set: OwnedSet) => number | undefined;
  /** The same with the surge. */
  readonly max: (set: OwnedSet) => number | undefined;
}

/** Whether the deployment was scaled since its sets were. */
export function isScalingEvent(sets: SetsOfDeployment, { replicas }: RolloutLimits, recorded: RecordedSizes): boolean {
  return allSets(sets).some((set) => isActiveSet(set) && (recorded.desired(set) ?? replicas) !== replicas);
}

/** The sizes of all sets that have pods, those that stay included: what they record must change too. */
export function planScaling(
  deployment: Deployment,
  limits: RolloutLimits,
  sets: SetsOfDeployment,
  recorded: RecordedSizes,
): Scaling[] {
  const { replicas } = limits;
  const only = activeOrLatest(sets);
  if (only !== undefined) return [{ set: only, replicas }];
  const active = allSets(sets).filter(isActiveSet);
  if (isSaturated(sets.current, replicas, recorded)) {
    return active.filter((set) => set !== sets.current).map((set) => ({ set, replicas: 0 }));
  }
  if (deployment.spec.strategy.type !== "RollingUpdate") return [];
  return inProportion(active, limits, deployment.status.replicas ?? 0, recorded);
}

/** The one set that has pods; the latest when none has; undefined when several have. */
function activeOrLatest(sets: SetsOfDeployment): OwnedSet | undefined {
  const active = allSets(sets).filter(isActiveSet);
  if (active.length > 1) return undefined;
  return active[0] ?? sets.current ?? [...sets.old].sort(newestFirst)[0];
}

/** Whether the current set has all that is asked for: others have come by adoption, and go. */
function isSaturated(current: OwnedSet | undefined, replicas: number, recorded: RecordedSizes): boolean {
  if (current === undefined || recorded.desired(current) !== replicas) return false;
  return replicasOf(current) === replicas && availableOf(current) === replicas;
}

function inProportion(
  active: readonly OwnedSet[],
  { replicas, maxSurge }: RolloutLimits,
  replicasBefore: number,
  recorded: RecordedSizes,
): Scaling[] {
  const allowed = replicas > 0 ? replicas + maxSurge : 0;
  const toAdd = allowed - sumOf(active, replicasOf);
  // The largest first. Of equals the newer grows first, and the older shrinks first.
  const tie = toAdd > 0 ? newestFirst : oldestFirst;
  const sorted = [...active].sort((a, b) => replicasOf(b) - replicasOf(a) || tie(a, b));
  let left = toAdd;
  const scalings = sorted.map((set) => {
    const part = replicas === 0 ? -replicasOf(set) : fraction(set, allowed, recorded.max(set) || replicasBefore);
    const added = toAdd > 0 ? Math.min(part, left) : Math.max(part, left);
    const change = toAdd === 0 || left === 0 ? 0 : added;
    left -= change;
    return { set, replicas: replicasOf(set) + change };
  });
  // What rounding has left over is the largest one's.
  return scalings.map((scaling, at) =>
    at === 0 ? { ...scaling, replicas: Math.max(0, scaling.replicas + left) } : scaling,
  );
}

/** By how much a set changes when the whole goes from `before` to `allowed`. */
function fraction(set: OwnedSet, allowed: number, before: number): number {
  if (before === 0) return 0;
  return Math.round((replicasOf(set) * allowed) / before) - replicasOf(set);
}
