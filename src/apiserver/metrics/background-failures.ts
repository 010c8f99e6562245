// The metric of what runs in the background: how often each loop failed.

import type { Metrics } from "../../base/metrics.ts";

/** Counts a failure of the loop with this name. */
export function backgroundFailures(metrics: Metrics): (loop: string) => void {
  const failures = metrics.counter({
    name: "apiserver_background_failures_total",
    help: "Counter of failed rounds of the work that the server does in the background, broken down by loop. Each is tried again.",
    stability: "ALPHA",
    labels: ["loop"],
  });
  return (loop) => failures.with(loop).inc();
}
