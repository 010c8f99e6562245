// Pods that the cluster or the node cannot do without. Pure.

import type { Pod } from "../../kinds/core/pod.ts";

/** Priorities from here on are the system's. */
const CRITICAL_PRIORITY = 2_000_000_000;

export function isCriticalPod({ spec }: Pod, isStatic: boolean): boolean {
  return isStatic || (spec.priority ?? 0) >= CRITICAL_PRIORITY;
}
