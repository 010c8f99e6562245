// How long pods take from their creation until the API shows that all their containers have started, with the time to pull
// images and without it.

import type { Clock } from "../../base/clock.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Pod } from "../../kinds/core/pod.ts";

interface Start {
  pullingSinceMs?: number;
  pulledMs?: number;
  isTold: boolean;
}

const SECONDS = [
  ...[0.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45],
  ...[60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600],
];

export class PodStartTimes {
  readonly #clock: Clock;
  readonly #starts = new Map<string, Start>();
  readonly #metrics: ReturnType<typeof startMetrics>;
  #hasFirst = false;

  constructor(metrics: Metrics, clock: Clock) {
    this.#clock = clock;
    this.#metrics = startMetrics(metrics);
  }

  /** The API shows the pod. One that another agent has begun is not counted. */
  shown({ metadata, spec, status }: Pod): void {
    const uid = metadata.uid ?? "";
    const hasEnded = status.phase === "Failed" || status.phase === "Succeeded";
    if (hasEnded) this.forget(uid);
    const start = this.#starts.get(uid);
    if (start === undefined) {
      if (!hasEnded && !status.startTime) this.#starts.set(uid, { isTold: false });
      return;
    }
    const statuses = status.containerStatuses ?? [];
    if (start.isTold || statuses.length === 0 || !statuses.every(({ state }) => state?.running?.startedAt)) return;
    start.isTold = true;
    const createdMs = Date.parse(metadata.creationTimestamp ?? "");
    if (!Number.isNaN(createdMs)) this.#tell(start, createdMs, spec.hostNetwork === true);
  }

  pulling(uid: string): void {
    const start = this.#starts.get(uid);
    if (start !== undefined) start.pullingSinceMs ??= this.#clock.nowMs();
  }

  pulled(uid: string): void {
    const start = this.#starts.get(uid);
    if (start !== undefined) start.pulledMs = this.#clock.nowMs();
  }

  forget(uid: string): void {
    this.#starts.delete(uid);
  }

  #tell({ pullingSinceMs = 0, pulledMs = pullingSinceMs }: Start, createdMs: number, isOnHost: boolean): void {
    const seconds = Math.max(this.#clock.nowMs() - createdMs, 0) / 1000;
    const ownSeconds = Math.max(seconds - (pulledMs - pullingSinceMs) / 1000, 0);
    const { total, own, first } = this.#metrics;
    total.with().observe(seconds);
    own.with().observe(ownSeconds);
    if (isOnHost || this.#hasFirst) return;
    this.#hasFirst = true;
    first.with().set(ownSeconds);
  }
}

function startMetrics(metrics: Metrics) {
  const histogram = (name: string, help: string) =>
    metrics.histogram({ name: `kubelet_${name}`, help, buckets: SECONDS, stability: "ALPHA" });
  const without =
    "excluding time to pull images and run init containers, measured from pod creation timestamp to when all its containers are reported as started and observed via watch";
  return {
    total: histogram(
      "pod_start_total_duration_seconds",
      "Duration in seconds to start a pod since creation, including time to pull images and run init containers",
    ),
    own: histogram("pod_start_sli_duration_seconds", `Duration in seconds to start a pod, ${without}`),
    first: metrics.gauge({
      name: "kubelet_first_network_pod_start_sli_duration_seconds",
      help: `Duration in seconds to start the first network pod, ${without}`,
      stability: "INTERNAL",
    }),
  };
}
