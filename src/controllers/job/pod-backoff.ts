// How long a Job waits after failures before it starts pods again: 10 s, doubled after each failure in a row, to 10 min.
// Pure.

import { exponentialMs } from "../../base/backoff.ts";
import type { Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";

/** Failures since the last success, and when the last of them was. */
export interface BackoffRecord {
  readonly failures: number;
  readonly lastFailureMs: number;
}

export const NO_FAILURES: BackoffRecord = { failures: 0, lastFailureMs: 0 };

const BACKOFF = { firstMs: 10_000, maxMs: 600_000 };

/** With pods that have ended since. A success makes everything before it forgotten. */
export function nextBackoff(
  before: BackoffRecord,
  succeeded: readonly Stored<Pod>[],
  failed: readonly Stored<Pod>[],
): BackoffRecord {
  if (succeeded.length === 0 && failed.length === 0) return before;
  const lastSuccessMs = latest(succeeded);
  const counted = failed.map(finishedAtMs).filter((ms) => lastSuccessMs === undefined || ms > lastSuccessMs);
  if (counted.length === 0) return NO_FAILURES;
  const lastFailureMs = counted.reduce((a, b) => Math.max(a, b));
  const known = lastSuccessMs === undefined ? before.failures : 0;
  return { failures: known + counted.length, lastFailureMs };
}

export function backoffLeftMs({ failures, lastFailureMs }: BackoffRecord, nowMs: number): number {
  if (failures === 0) return 0;
  const waitMs = exponentialMs(BACKOFF, failures - 1);
  // A node's clock may be wrong: nothing waits longer than that.
  return Math.min(waitMs, Math.max(0, lastFailureMs + waitMs - nowMs));
}

/** When a pod ended, as well as that can be told. */
export function finishedAtMs(pod: Stored<Pod>): number {
  const { metadata } = pod;
  const ready = pod.status.conditions?.find(({ type }) => type === "Ready");
  const deletedMs =
    metadata.deletionTimestamp === undefined
      ? undefined
      : Date.parse(metadata.deletionTimestamp) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  return (
    containersEndedMs(pod) ??
    (ready?.status === "False" ? timeMs(ready.lastTransitionTime) : undefined) ??
    deletedMs ??
    Date.parse(metadata.creationTimestamp)
  );
}

/** When the last container ended; undefined while one has not. Those that start and end alone before others do not count. */
function containersEndedMs({ spec, status }: Pod): number | undefined {
  const sidecars = new Set<string>();
  for (const { name, restartPolicy } of spec.initContainers ?? []) if (restartPolicy === "Always") sidecars.add(name);
  const statuses = [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)),
  ];
  let endedMs: number | undefined;
  for (const { state } of statuses) {
    const ms = timeMs(state?.terminated?.finishedAt);
    if (ms === undefined) return undefined;
    endedMs = Math.max(endedMs ?? ms, ms);
  }
  return endedMs;
}

function latest(pods: readonly Stored<Pod>[]): number | undefined {
  return pods.length === 0 ? undefined : pods.map(finishedAtMs).reduce((a, b) => Math.max(a, b));
}

function timeMs(text: string | null | undefined): number | undefined {
  const ms = text ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
