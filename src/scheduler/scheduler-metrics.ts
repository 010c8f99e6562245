// What is measured of the scheduler, under upstream's names. What can be asked for is asked for when somebody looks; the rest
// costs a pod a few additions.

import { ALPHA, BETA, doubled, STABLE } from "../base/metric-words.ts";
import type { Metrics } from "../base/metrics.ts";
import type { FilterName } from "./filters/filter.ts";
import { type CallMetrics, callMetrics } from "./metrics/call-metrics.ts";
import { type PhaseMetrics, phaseMetrics } from "./metrics/phase-metrics.ts";
import type { QueueSizes } from "./queue/scheduling-queue.ts";

/** How things are now. */
interface SchedulerSnapshot {
  readonly queue: QueueSizes;
  readonly nodes: number;
  readonly pods: number;
  /** Pods of which a binding is under way. */
  readonly assumed: number;
  /** By filter and profile, how many pods wait because of it. */
  readonly unschedulable: Iterable<readonly [FilterName, string, number]>;
}

export interface SchedulerMetrics extends PhaseMetrics, CallMetrics {
  /** A pod of a profile was looked at, and bound or not. */
  attempted(profile: string, result: "scheduled" | "unschedulable" | "error", seconds: number): void;
  /** A pod is bound: after so many attempts, and so long after it came. */
  scheduled(attempts: number, seconds: number): void;
  /** So many pods have to leave for one. */
  preempted(victims: number): void;
  /** A pod came into a part of the queue. */
  incoming(queue: "active" | "backoff" | "unschedulable", event: string): void;
  /** A change of the cluster was taken in. */
  handled(event: string, seconds: number): void;
  volumesNotBound(): void;
  /** Asked at each exposition. */
  setSnapshot(read: () => SchedulerSnapshot): void;
}

/** Only one scheduler of a process is measured. */
export function schedulerMetrics(metrics: Metrics): SchedulerMetrics {
  const attempts = metrics.counter({
    ...STABLE,
    name: "scheduler_schedule_attempts_total",
    help: "Number of attempts to schedule pods, by the result. 'unschedulable' means a pod could not be scheduled, while 'error' means an internal scheduler problem.",
    labels: ["profile", "result"],
  });
  const durations = metrics.histogram({
    ...STABLE,
    name: "scheduler_scheduling_attempt_duration_seconds",
    help: "Scheduling attempt latency in seconds (scheduling algorithm + binding)",
    labels: ["profile", "result"],
    buckets: doubled(0.001, 15),
  });
  const attemptsOfPod = metrics.histogram({
    ...STABLE,
    name: "scheduler_pod_scheduling_attempts",
    help: "Number of attempts to successfully schedule a pod.",
    buckets: doubled(1, 5),
  });
  const untilScheduled = metrics.histogram({
    ...BETA,
    name: "scheduler_pod_scheduling_sli_duration_seconds",
    help: "E2e latency for a pod being scheduled, from the time the pod enters the scheduling queue and might involve multiple scheduling attempts.",
    labels: ["attempts"],
    buckets: doubled(0.01, 20),
  });
  const preemptions = metrics.counter({
    ...STABLE,
    name: "scheduler_preemption_attempts_total",
    help: "Total preemption attempts in the cluster till now",
  });
  const victims = metrics.histogram({
    ...STABLE,
    name: "scheduler_preemption_victims",
    help: "Number of selected preemption victims",
    buckets: doubled(1, 7),
  });
  const incoming = metrics.counter({
    ...STABLE,
    name: "scheduler_queue_incoming_pods_total",
    help: "Number of pods added to scheduling queues by event and queue type.",
    labels: ["queue", "event"],
  });
  const handled = metrics.histogram({
    ...ALPHA,
    name: "scheduler_event_handling_duration_seconds",
    help: "Event handling latency in seconds.",
    labels: ["event"],
    buckets: doubled(0.0001, 12),
  });
  const volumeErrors = metrics.counter({
    ...ALPHA,
    name: "scheduler_volume_scheduling_stage_error_total",
    help: "Volume scheduling stage error count",
    labels: ["operation"],
  });
  return {
    ...phaseMetrics(metrics),
    ...callMetrics(metrics),
    attempted(profile, result, seconds) {
      attempts.with(profile, result).inc();
      durations.with(profile, result).observe(seconds);
    },
    scheduled(count, seconds) {
      attemptsOfPod.with().observe(count);
      untilScheduled.with(count > MAX_ATTEMPTS_NAMED ? `${MAX_ATTEMPTS_NAMED}+` : String(count)).observe(seconds);
    },
    preempted(count) {
      preemptions.with().inc();
      victims.with().observe(count);
    },
    incoming: (queue, event) => incoming.with(queue, event).inc(),
    handled: (event, seconds) => handled.with(event).observe(seconds),
    volumesNotBound: () => volumeErrors.with("bind").inc(),
    setSnapshot: snapshotMetrics(metrics),
  };
}

/** As upstream's label. */
const MAX_ATTEMPTS_NAMED = 15;

function snapshotMetrics(metrics: Metrics): (read: () => SchedulerSnapshot) => void {
  const pending = metrics.gauge({
    ...STABLE,
    name: "scheduler_pending_pods",
    help: "Number of pending pods, by the queue type. 'active' means number of pods in activeQ; 'backoff' means number of pods in backoffQ; 'unschedulable' means number of pods in unschedulablePods that the scheduler attempted to schedule and failed; 'gated' is the number of unschedulable pods that the scheduler never attempted to schedule because they are gated.",
    labels: ["queue"],
  });
  const cache = metrics.gauge({
    ...ALPHA,
    name: "scheduler_cache_size",
    help: "Number of nodes, pods, and assumed (bound) pods in the scheduler cache.",
    labels: ["type"],
  });
  const unschedulable = metrics.gauge({
    ...ALPHA,
    name: "scheduler_unschedulable_pods",
    help: "The number of unschedulable pods broken down by plugin name. A pod will increment the gauge for all plugins that caused it to not schedule and so this metric have meaning only when broken down by plugin.",
    labels: ["plugin", "profile"],
  });
  const running = metrics.gauge({
    ...ALPHA,
    name: "scheduler_goroutines",
    help: "Number of running goroutines split by the work they do such as binding.",
    labels: ["operation"],
  });
  return (read) => {
    pending.onCollect(() => {
      const { active, backingOff, unschedulable: refused, gated } = read().queue;
      pending.with("active").set(active);
      pending.with("backoff").set(backingOff);
      pending.with("unschedulable").set(refused);
      pending.with("gated").set(gated);
    });
    cache.onCollect(() => {
      const { nodes, pods, assumed } = read();
      cache.with("nodes").set(nodes);
      cache.with("pods").set(pods);
      cache.with("assumed_pods").set(assumed);
    });
    unschedulable.onCollect(() => {
      for (const [filter, profile, count] of read().unschedulable) unschedulable.with(filter, profile).set(count);
    });
    running.onCollect(() => running.with("binding").set(read().assumed));
  };
}
