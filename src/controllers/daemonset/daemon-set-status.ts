// What a DaemonSet says of its nodes. Pure.

import type { Stored } from "../../client/informer.ts";
import type { DaemonSet } from "../../kinds/apps/daemon-set.ts";
import { isAvailable, isReady } from "../pods-of-owner/pod-state.ts";
import { type DaemonState, isUpdated, oldestFirst } from "./plan-daemon-set.ts";

/** Undefined when it says nothing new. `observed` when the set's present generation has been acted on. */
export function nextStatus(
  { set, nodes, hash, nowMs }: Pick<DaemonState, "set" | "nodes" | "hash" | "nowMs">,
  collisionCount: number | undefined,
  observed: boolean,
): DaemonSet["status"] | undefined {
  const numbers = {
    desiredNumberScheduled: 0,
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    numberReady: 0,
    updatedNumberScheduled: 0,
    numberAvailable: 0,
    numberUnavailable: 0,
  };
  for (const { shouldRun, pods } of nodes) {
    const [pod] = oldestFirst(pods);
    if (!shouldRun) {
      if (pod !== undefined) numbers.numberMisscheduled += 1;
      continue;
    }
    numbers.desiredNumberScheduled += 1;
    if (pod === undefined) continue;
    numbers.currentNumberScheduled += 1;
    if (isReady(pod)) numbers.numberReady += 1;
    if (isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs)) numbers.numberAvailable += 1;
    if (isUpdated(pod, hash)) numbers.updatedNumberScheduled += 1;
  }
  numbers.numberUnavailable = numbers.desiredNumberScheduled - numbers.numberAvailable;
  const next = {
    ...numbers,
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(observed ? { observedGeneration: set.metadata.generation ?? 0 } : {}),
  };
  const { status }: Stored<DaemonSet> = set;
  const isNew = Object.entries(next).some(([name, value]) => (status[name as keyof typeof next] ?? 0) !== value);
  return isNew ? { ...status, ...next } : undefined;
}
