// The next step of a rolling update: new pods come up to the surge, old ones go down to what must stay available.

import type { ReplicaSet } from "../../kinds/apps/replica-set.ts";
import {
  allSets,
  availableOf,
  isActiveSet,
  type OwnedSet,
  oldestFirst,
  replicasOf,
  type SetsOfDeployment,
  sumOf,
} from "./replica-sets.ts";
import type { RolloutLimits } from "./rollout-limits.ts";

/** How large a set shall be. */
export interface Scaling {
  readonly set: OwnedSet;
  readonly replicas: number;
}

/** How large the current set shall be now, given what it has. */
export function currentSize(limits: RolloutLimits, ownReplicas: number, replicasOfAll: number): number {
  const { replicas, maxSurge } = limits;
  if (ownReplicas >= replicas) return replicas;
  const room = replicas + maxSurge - replicasOfAll;
  return room <= 0 ? ownReplicas : ownReplicas + Math.min(room, replicas - ownReplicas);
}

/** What is to be scaled now: either the current set, or old ones. Nothing when all waits for pods, or is done. */
export function planRollingUpdate(limits: RolloutLimits, sets: SetsOfDeployment & { current: OwnedSet }): Scaling[] {
  const { current } = sets;
  const all = allSets(sets);
  const size = currentSize(limits, replicasOf(current), sumOf(all, replicasOf));
  if (size !== replicasOf(current)) return [{ set: current, replicas: size }];
  return shrinkOldSets(limits, sets);
}

/**
 * Pods that are unavailable go first: their loss costs nothing. They may be the whole room that there is, so that a
 * template which never worked does not hold up its successor.
 */
function shrinkOldSets(limits: RolloutLimits, sets: SetsOfDeployment & { current: OwnedSet }): Scaling[] {
  const { current } = sets;
  const old = sets.old.filter(isActiveSet).sort(oldestFirst);
  if (old.length === 0) return [];
  const all = allSets(sets);
  const mustStay = limits.replicas - limits.maxUnavailable;
  const currentUnavailable = replicasOf(current) - availableOf(current);
  const unhealthyRoom = sumOf(all, replicasOf) - mustStay - currentUnavailable;
  if (unhealthyRoom <= 0) return [];

  const sizes = new Map(old.map((set) => [set, replicasOf(set)]));
  const take = (set: OwnedSet, most: number): number => {
    const taken = Math.max(0, Math.min(most, sizes.get(set)!));
    sizes.set(set, sizes.get(set)! - taken);
    return taken;
  };
  let left = unhealthyRoom;
  for (const set of old) left -= take(set, Math.min(left, replicasOf(set) - availableOf(set)));
  let surplus = sumOf(all, remainingOf) - mustStay;
  for (const set of old) if (surplus > 0) surplus -= take(set, surplus);
  return [...sizes].filter(([set, size]) => size !== replicasOf(set)).map(([set, replicas]) => ({ set, replicas }));
}

/** Of a set that was shrunk just now the status still counts pods that are going. */
const remainingOf = (set: ReplicaSet): number => Math.min(availableOf(set), replicasOf(set));
