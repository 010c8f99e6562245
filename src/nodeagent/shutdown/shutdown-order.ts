// Which pods end when the machine shuts down, in which order, and how long each group has. Pure.

import type { Pod } from "../../kinds/core/pod.ts";

export interface ShutdownSettings {
  /** For all pods together. */
  readonly totalSeconds: number;
  /** Of it, for critical pods, which end last. */
  readonly criticalSeconds: number;
  /** Instead of both: how long pods from each priority on have. */
  readonly byPriority: readonly { readonly priority: number; readonly shutdownGracePeriodSeconds: number }[];
}

interface ShutdownGroup<T> {
  readonly graceSeconds: number;
  readonly pods: readonly T[];
}

const CRITICAL_PRIORITY = 2_000_000_000;

/** Whether pods get time at all. */
export const givesTime = ({ totalSeconds, byPriority }: ShutdownSettings): boolean =>
  totalSeconds > 0 || byPriority.length > 0;

/** How long all groups have together. */
export function shutdownSeconds(settings: ShutdownSettings): number {
  return rungsOf(settings).reduce((sum, { seconds }) => sum + seconds, 0);
}

/** In the order in which they end: the least important first. Pods below the first priority end with it. */
export function shutdownGroups<T extends { readonly pod: Pod }>(
  pods: readonly T[],
  settings: ShutdownSettings,
): ShutdownGroup<T>[] {
  const rungs = rungsOf(settings);
  const groups = rungs.map(({ seconds }) => ({ graceSeconds: seconds, pods: [] as T[] }));
  for (const each of pods) {
    const priority = each.pod.spec.priority ?? 0;
    const above = rungs.findIndex((rung) => rung.priority > priority);
    const index = above < 0 ? rungs.length - 1 : Math.max(0, above - 1);
    groups[index]?.pods.push(each);
  }
  return groups.filter((group) => group.pods.length > 0);
}

function rungsOf({
  totalSeconds,
  criticalSeconds,
  byPriority,
}: ShutdownSettings): { priority: number; seconds: number }[] {
  if (byPriority.length === 0)
    return [
      { priority: 0, seconds: totalSeconds - criticalSeconds },
      { priority: CRITICAL_PRIORITY, seconds: criticalSeconds },
    ];
  return byPriority
    .map(({ priority, shutdownGracePeriodSeconds }) => ({ priority, seconds: shutdownGracePeriodSeconds }))
    .sort((a, b) => a.priority - b.priority);
}
