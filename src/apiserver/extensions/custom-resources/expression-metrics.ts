// What the rules of definitions cost, under upstream's names.

import type { Metrics } from "../../../base/metrics.ts";

export interface ExpressionObserver {
  /** All rules of one version. */
  compiled(seconds: number): void;
  /** All rules of one version on one object. */
  evaluated(seconds: number): void;
}

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function expressionMetrics(metrics: Metrics): ExpressionObserver {
  const compilation = metrics.histogram({
    name: "apiserver_cel_compilation_duration_seconds",
    help: "How long it takes to compile the rules of a custom resource.",
    buckets: BUCKETS,
    stability: "BETA",
  });
  const evaluation = metrics.histogram({
    name: "apiserver_cel_evaluation_duration_seconds",
    help: "How long it takes to evaluate the rules of a custom resource.",
    buckets: BUCKETS,
    stability: "BETA",
  });
  return {
    compiled: (seconds) => compilation.with().observe(seconds),
    evaluated: (seconds) => evaluation.with().observe(seconds),
  };
}
