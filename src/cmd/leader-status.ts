// Whether this process leads, by the lease, under upstream's name.

import type { Gauge, GaugeSeries, Metrics } from "../base/metrics.ts";

/** Controllers and scheduler of one process are told of by one metric. */
const gauges = new WeakMap<Metrics, Gauge>();

/** 1 while it leads. */
export function leaderStatus(metrics: Metrics, lease: string): GaugeSeries {
  const gauge =
    gauges.get(metrics) ??
    metrics.gauge({
      name: "leader_election_master_status",
      help: "Whether this process leads, by the name of the lease.",
      labels: ["name"],
      stability: "ALPHA",
    });
  gauges.set(metrics, gauge);
  const series = gauge.with(lease);
  series.set(0);
  return series;
}
