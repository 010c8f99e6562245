// Requests that the scheduler sends while it goes on with the next pod.

import { ALPHA, doubled } from "../../base/metric-words.ts";
import type { Metrics } from "../../base/metrics.ts";

type CallType = "pod_binding" | "pod_status_patch";
type CallResult = "success" | "error";

export interface CallMetrics {
  /** Runs it, and measures. */
  called<T>(type: CallType, nowMs: () => number, run: () => Promise<T>): Promise<T>;
  /** Victims were asked to leave, which took so long. */
  victimsAsked(result: CallResult, seconds: number): void;
}

export function callMetrics(metrics: Metrics): CallMetrics {
  const labels = ["call_type", "result"];
  const total = metrics.counter({
    ...ALPHA,
    name: "scheduler_async_api_call_execution_total",
    help: "Total number of API calls executed by the async dispatcher.",
    labels,
  });
  const durations = metrics.histogram({
    ...ALPHA,
    name: "scheduler_async_api_call_execution_duration_seconds",
    help: "Duration in seconds for executing API call in the async dispatcher.",
    labels,
    buckets: doubled(0.001, 15),
  });
  const pending = metrics.gauge({
    ...ALPHA,
    name: "scheduler_pending_async_api_calls",
    help: "Number of API calls currently pending in the async queue.",
    labels: ["call_type"],
  });
  const preemptionTotal = metrics.counter({
    ...ALPHA,
    name: "scheduler_preemption_goroutines_execution_total",
    help: "Number of preemption goroutines executed.",
    labels: ["result"],
  });
  const preemptionDurations = metrics.histogram({
    ...ALPHA,
    name: "scheduler_preemption_goroutines_duration_seconds",
    help: "Duration in seconds for running goroutines for the preemption.",
    labels: ["result"],
    buckets: doubled(0.01, 20),
  });
  return {
    async called(type, nowMs, run) {
      const startMs = nowMs();
      const waiting = pending.with(type);
      let result: CallResult = "error";
      waiting.add(1);
      try {
        const answer = await run();
        result = "success";
        return answer;
      } finally {
        waiting.add(-1);
        total.with(type, result).inc();
        durations.with(type, result).observe((nowMs() - startMs) / 1000);
      }
    },
    victimsAsked(result, seconds) {
      preemptionTotal.with(result).inc();
      preemptionDurations.with(result).observe(seconds);
    },
  };
}
