// The conditions of a pod that a simulated node tells. Pure.

import type { Stored } from "../client/informer.ts";
import type { Pod } from "../kinds/core/pod.ts";
import { timeOfMs } from "../meta/time.ts";
import { RESIZE_PENDING } from "./resize-rule.ts";

type PodCondition = NonNullable<Pod["status"]["conditions"]>[number];

/** True, False, and why. */
export type Verdict = { readonly status: "True" | "False"; readonly reason?: string; readonly message?: string };

export const YES: Verdict = { status: "True" };
/** Nothing is to be told of it any more. */
export const GONE = "gone";

/** Those that the node tells, in its order. What a report does not judge anew stays as it was. */
const NODE_CONDITIONS = [
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
  "PodScheduled",
  RESIZE_PENDING,
];

/** Replaces conditions by type; one that says the same as before keeps the time of its last transition. */
export function withConditions(
  { status, metadata }: Stored<Pod>,
  nowMs: number,
  verdicts: Readonly<Record<string, Verdict | typeof GONE>>,
): PodCondition[] {
  const before = new Map((status.conditions ?? []).map((condition) => [condition.type, condition]));
  const others = (status.conditions ?? []).filter(({ type }) => !NODE_CONDITIONS.includes(type));
  const observed = metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };
  const own = NODE_CONDITIONS.flatMap((type): PodCondition[] => {
    const known = before.get(type);
    const verdict = verdicts[type] ?? (type === "PodScheduled" ? YES : undefined);
    if (verdict === GONE) return [];
    if (verdict === undefined) return known === undefined ? [] : [{ ...known, ...observed }];
    const since = known?.status === verdict.status ? known.lastTransitionTime : timeOfMs(nowMs);
    return [{ type, ...verdict, lastProbeTime: null, lastTransitionTime: since, ...observed }];
  });
  return [...own, ...others];
}
