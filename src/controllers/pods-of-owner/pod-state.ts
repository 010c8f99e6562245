// What workloads ask of a pod: whether it counts at all, is ready, and has been so for long enough.

import type { Pod } from "../../kinds/core/pod.ts";

/** Runs, or is going to: has neither ended nor begun to end. */
export function isActive({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && !hasEnded(status.phase);
}

/** Was told to end and has not yet. */
export function isTerminating({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && !hasEnded(status.phase);
}

export function isReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === "True";
}

/** Since when the pod is ready; undefined when it is not, or does not say. */
export function readySinceMs(pod: Pod): number | undefined {
  const condition = readyCondition(pod);
  if (condition?.status !== "True" || !condition.lastTransitionTime) return undefined;
  const sinceMs = Date.parse(condition.lastTransitionTime);
  return Number.isNaN(sinceMs) ? undefined : sinceMs;
}

/** Ready, and for at least so long. */
export function isAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  return msUntilAvailable(pod, minReadySeconds, nowMs) === 0;
}

/** 0 when it is available; undefined when time alone does not make it so. */
export function msUntilAvailable(pod: Pod, minReadySeconds: number, nowMs: number): number | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds <= 0) return 0;
  const sinceMs = readySinceMs(pod);
  return sinceMs === undefined ? undefined : Math.max(0, sinceMs + minReadySeconds * 1_000 - nowMs);
}

/** When the next of these pods becomes available by waiting alone. */
export function msUntilNextAvailable(pods: Iterable<Pod>, minReadySeconds: number, nowMs: number): number | undefined {
  if (minReadySeconds <= 0) return undefined;
  let nextMs: number | undefined;
  for (const pod of pods) {
    const leftMs = msUntilAvailable(pod, minReadySeconds, nowMs) ?? 0;
    if (leftMs > 0 && (nextMs === undefined || leftMs < nextMs)) nextMs = leftMs;
  }
  return nextMs;
}

const hasEnded = (phase: string | undefined): boolean => phase === "Succeeded" || phase === "Failed";

function readyCondition({ status }: Pod) {
  return status.conditions?.find(({ type }) => type === "Ready");
}
