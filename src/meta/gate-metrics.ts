// The feature gates of a process, as a metric that every component shows.

import type { GateStage } from "../base/feature-gates.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Names } from "./names.ts";

export interface ShownGate {
  readonly name: string;
  readonly stage: GateStage;
  readonly enabled: boolean;
}

const STAGES: Readonly<Record<GateStage, string>> = { alpha: "ALPHA", beta: "BETA", ga: "", deprecated: "DEPRECATED" };

export function addGateMetrics(metrics: Metrics, names: Names, gates: readonly ShownGate[]): void {
  const features = metrics.gauge({
    name: `${names.metricPrefix}_feature_enabled`,
    help: "Feature gates, by name and stage: 1 is on.",
    stability: "BETA",
    labels: ["name", "stage"],
  });
  for (const { name, stage, enabled } of gates) features.with(name, STAGES[stage]).set(enabled ? 1 : 0);
}
