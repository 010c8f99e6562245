// What has happened to pods since the agent started, and how long it took, as monitors of upstream's agent ask for it.

import type { Clock } from "../../base/clock.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { EventRecorder } from "../../client/event-recorder.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { HookEvents } from "./lifecycle-hooks.ts";
import type { StartAction } from "./sync-actions.ts";

const SHORT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const START_SECONDS = [
  ...[0.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45],
  ...[60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600],
];
const STATUS_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20, 30, 45, 60];

type ContainerSort = StartAction["sort"];
const CONTAINER_TYPES: Readonly<Record<ContainerSort, string>> = {
  init: "init_container",
  regular: "container",
  ephemeral: "ephemeral_container",
};

export class PodTotals {
  readonly #clock: Clock;
  /** When each pod was first seen, until it runs. */
  readonly #seenMs = new Map<string, number>();
  readonly #worked = new Set<string>();
  readonly #metrics: ReturnType<typeof podMetrics>;
  #relistedMs: number | undefined;

  constructor(metrics: Metrics, clock: Clock) {
    this.#clock = clock;
    this.#metrics = podMetrics(metrics);
  }

  seen({ metadata, spec }: Pod): void {
    this.#seenMs.set(metadata.uid ?? "", this.#clock.monotonicMs());
    this.#metrics.containersPerPod.with().observe((spec.containers ?? []).length);
  }

  rejected(reason: string): void {
    this.#metrics.rejections.with(reason).inc();
  }

  /** The pod runs for the first time. One that an earlier agent started is not counted. */
  running({ metadata }: Pod): void {
    const uid = metadata.uid ?? "";
    const seenMs = this.#seenMs.get(uid);
    if (seenMs === undefined) return;
    this.#seenMs.delete(uid);
    this.#metrics.startDuration.with().observe((this.#clock.monotonicMs() - seenMs) / 1000);
  }

  forget(uid: string): void {
    this.#seenMs.delete(uid);
    this.#worked.delete(uid);
  }

  /** One round of a pod. */
  async work<T>(uid: string, isEnding: boolean, round: () => Promise<T>): Promise<T> {
    const isFirst = !this.#worked.has(uid);
    const startedMs = this.#clock.monotonicMs();
    const seenMs = this.#seenMs.get(uid);
    if (isFirst && seenMs !== undefined) this.#metrics.workerStart.with().observe((startedMs - seenMs) / 1000);
    this.#worked.add(uid);
    try {
      return await round();
    } finally {
      const operation = isEnding ? "kill" : isFirst ? "create" : "sync";
      this.#metrics.workerDuration.with(operation).observe((this.#clock.monotonicMs() - startedMs) / 1000);
    }
  }

  /** One look at everything that the runtime has. */
  async relist<T>(look: () => Promise<T>): Promise<T> {
    const startedMs = this.#clock.monotonicMs();
    if (this.#relistedMs !== undefined)
      this.#metrics.relistInterval.with().observe((startedMs - this.#relistedMs) / 1000);
    this.#relistedMs = startedMs;
    const found = await look();
    this.#metrics.relistDuration.with().observe((this.#clock.monotonicMs() - startedMs) / 1000);
    this.#metrics.relistSeen.with().set(Math.floor(this.#clock.nowMs() / 1000));
    return found;
  }

  /** The start of a sandbox, with which a pod starts. */
  async sandbox<T>({ spec }: Pod, runtimeHandler: string, start: () => Promise<T>): Promise<T> {
    const { startedPods, failedPods, startedOwnUsers, failedOwnUsers, sandboxDuration } = this.#metrics;
    const hasOwnUsers = spec.hostUsers === false;
    startedPods.with().inc();
    if (hasOwnUsers) startedOwnUsers.with().inc();
    const startedMs = this.#clock.monotonicMs();
    try {
      return await start();
    } catch (error) {
      failedPods.with().inc();
      if (hasOwnUsers) failedOwnUsers.with().inc();
      throw error;
    } finally {
      sandboxDuration.with(runtimeHandler).observe((this.#clock.monotonicMs() - startedMs) / 1000);
    }
  }

  startedContainer(sort: ContainerSort): void {
    this.#metrics.startedContainers.with(CONTAINER_TYPES[sort]).inc();
  }

  failedContainer(sort: ContainerSort, reason: string): void {
    this.#metrics.failedContainers.with(CONTAINER_TYPES[sort], reason).inc();
  }

  /** From a change of the status to its arrival at the API. */
  told(seconds: number): void {
    this.#metrics.statusDuration.with().observe(seconds);
  }

  /** What hooks of this pod tell of, besides whether they succeed. */
  hookEvents(pod: Pod, recorder: Pick<EventRecorder, "warning">): HookEvents {
    const { hookFallbacks, shortSleeps } = this.#metrics;
    return {
      fellBack: (host) => {
        hookFallbacks.with().inc();
        const message = `request to HTTPS lifecycle hook ${host} got HTTP response, retry with HTTP succeeded`;
        recorder.warning(pod, "LifecycleHTTPFallback", message);
      },
      sleepEndedEarly: () => shortSleeps.with().inc(),
    };
  }

  /** A pod was removed and is wanted again. */
  restarted(isStatic: boolean): void {
    this.#metrics.restarts.with(isStatic ? "true" : "").inc();
  }

  /** The runtime has a pod that nobody knows. */
  orphan(): void {
    this.#metrics.orphans.with().inc();
  }

  /** Another look for what is nobody's begins. */
  sweeping(): void {
    for (const gauge of [this.#metrics.cleanedOrphans, this.#metrics.dirtyOrphans]) gauge.with().set(0);
  }

  /** Takes away the volumes that a pod has left which nobody knows. */
  async cleaningOrphan(clean: () => Promise<void>): Promise<void> {
    try {
      await clean();
      this.#metrics.cleanedOrphans.with().add(1);
    } catch (error) {
      this.#metrics.dirtyOrphans.with().add(1);
      throw error;
    }
  }

  /** How long it took to find out how full a volume is. */
  volumeMeasured(source: string, seconds: number): void {
    this.#metrics.volumeDuration.with(source).observe(seconds);
  }
}

function podMetrics(metrics: Metrics) {
  const counter = (name: string, help: string, labels: readonly string[] = []) => {
    const made = metrics.counter({ name: `kubelet_${name}`, help, labels, stability: "ALPHA" });
    // What has not happened yet is told as such.
    if (labels.length === 0) made.with();
    return made;
  };
  const histogram = (name: string, help: string, buckets = SHORT_SECONDS, labels: readonly string[] = []) =>
    metrics.histogram({ name: `kubelet_${name}`, help, labels, buckets, stability: "ALPHA" });
  const gauge = (name: string, help: string) => {
    const made = metrics.gauge({ name: `kubelet_${name}`, help, stability: "ALPHA" });
    made.with();
    return made;
  };
  const restarts = counter("restarted_pods_total", "Number of pods that were removed and wanted again meanwhile.", [
    "static",
  ]);
  for (const origin of ["", "true"]) restarts.with(origin);
  return {
    restarts,
    containersPerPod: histogram("containers_per_pod_count", "The number of containers per pod.", [1, 2, 4, 8, 16]),
    rejections: counter("admission_rejections_total", "Cumulative number of pod admission rejections.", ["reason"]),
    startDuration: histogram(
      "pod_start_duration_seconds",
      "Duration in seconds from seeing a pod for the first time to the pod starting to run",
      START_SECONDS,
    ),
    workerStart: histogram(
      "pod_worker_start_duration_seconds",
      "Duration in seconds from seeing a pod to starting a worker.",
    ),
    workerDuration: histogram(
      "pod_worker_duration_seconds",
      "Duration in seconds to sync a single pod, by what is done: create, sync, or kill",
      SHORT_SECONDS,
      ["operation_type"],
    ),
    statusDuration: histogram(
      "pod_status_sync_duration_seconds",
      "Duration in seconds from a change of a pod's status until the API has it.",
      STATUS_SECONDS,
    ),
    relistDuration: histogram("pleg_relist_duration_seconds", "Duration in seconds for relisting pods in PLEG."),
    relistInterval: histogram("pleg_relist_interval_seconds", "Interval in seconds between relisting in PLEG."),
    relistSeen: gauge("pleg_last_seen_seconds", "Timestamp in seconds when PLEG was last seen active."),
    startedPods: counter("started_pods_total", "Cumulative number of pods started"),
    failedPods: counter("started_pods_errors_total", "Cumulative number of errors when starting pods"),
    startedOwnUsers: counter(
      "started_user_namespaced_pods_total",
      "Cumulative number of pods with user namespaces started.",
    ),
    failedOwnUsers: counter(
      "started_user_namespaced_pods_errors_total",
      "Cumulative number of errors when starting pods with user namespaces.",
    ),
    sandboxDuration: histogram(
      "run_podsandbox_duration_seconds",
      "Duration in seconds of the run_podsandbox operations, by the handler of the runtime class.",
      SHORT_SECONDS,
      ["runtime_handler"],
    ),
    startedContainers: counter("started_containers_total", "Cumulative number of containers started", [
      "container_type",
    ]),
    failedContainers: counter(
      "started_containers_errors_total",
      "Cumulative number of errors when starting containers",
      ["container_type", "code"],
    ),
    hookFallbacks: counter(
      "lifecycle_handler_http_fallbacks_total",
      "The number of times lifecycle handlers successfully fell back to http from https.",
    ),
    shortSleeps: counter(
      "sleep_action_terminated_early_total",
      "The number of times lifecycle sleep handler got terminated before it finishes",
    ),
    orphans: counter(
      "orphaned_runtime_pods_total",
      "Number of pods that were found in the container runtime without being known to the agent.",
    ),
    cleanedOrphans: gauge(
      "orphan_pod_cleaned_volumes",
      "The total number of orphaned Pods whose volumes were cleaned in the last periodic sweep.",
    ),
    dirtyOrphans: gauge(
      "orphan_pod_cleaned_volumes_errors",
      "The number of orphaned Pods whose volumes failed to be cleaned in the last periodic sweep.",
    ),
    volumeDuration: histogram(
      "volume_metric_collection_duration_seconds",
      "Duration in seconds to calculate volume stats",
      SHORT_SECONDS,
      ["metric_source"],
    ),
  };
}
