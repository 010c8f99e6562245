// The pods of an autoscaler, by how far what is measured of them can be trusted.

import type { Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";

/** What was measured of a pod. */
export interface PodMetric {
  /** In thousandths. */
  readonly value: number;
  readonly atMs: number;
  /** Over so long before. */
  readonly windowMs: number;
}

export type PodMetrics = ReadonlyMap<string, PodMetric>;

export interface PodGroups {
  /** Pods that count with what was measured. */
  readonly ready: number;
  /** Pods that are not at work yet. */
  readonly unready: readonly string[];
  /** Pods at work of which nothing was measured. */
  readonly missing: readonly string[];
  /** The values of pods that count; in thousandths. */
  readonly measured: Map<string, number>;
}

/** How long after its start what a pod says and uses is not to be trusted. */
export interface StartTimes {
  /** While a pod starts, it uses more CPU than later: so long nothing is made of it before it is ready. */
  readonly cpuInitializationMs: number;
  /** A pod that says so soon after its start that it is not ready has never been. */
  readonly initialReadinessMs: number;
}

const START_TIMES: StartTimes = { cpuInitializationMs: 5 * 60_000, initialReadinessMs: 30_000 };

/** `resource` is the one that was measured; undefined for other metrics. */
export function groupPods(
  pods: readonly Stored<Pod>[],
  metrics: PodMetrics,
  resource: string | undefined,
  nowMs: number,
  startTimes = START_TIMES,
): PodGroups {
  const measured = new Map([...metrics].map(([name, { value }]) => [name, value]));
  const unready: string[] = [];
  const missing: string[] = [];
  let ready = 0;
  for (const pod of pods) {
    const { name, deletionTimestamp } = pod.metadata;
    const { phase } = pod.status;
    const metric = metrics.get(name);
    if (deletionTimestamp !== undefined || phase === "Failed") measured.delete(name);
    else if (
      phase === "Pending" ||
      (metric !== undefined && resource === "cpu" && isStarting(pod, metric, nowMs, startTimes))
    ) {
      measured.delete(name);
      unready.push(name);
    } else if (metric === undefined) missing.push(name);
    else ready += 1;
  }
  return { ready, unready, missing, measured };
}

function isStarting({ status }: Pod, metric: PodMetric, nowMs: number, times: StartTimes): boolean {
  const condition = status.conditions?.find(({ type }) => type === "Ready");
  const startMs = Date.parse(status.startTime ?? "");
  if (condition === undefined || Number.isNaN(startMs)) return true;
  const changedMs = Date.parse(condition.lastTransitionTime ?? "") || 0;
  const notReady = condition.status === "False";
  // One whole window must have been measured since it became ready.
  if (startMs + times.cpuInitializationMs > nowMs) return notReady || metric.atMs < changedMs + metric.windowMs;
  return notReady && startMs + times.initialReadinessMs > changedMs;
}
