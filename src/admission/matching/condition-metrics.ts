// What the match conditions of webhooks and policies cost and how they end, under upstream's names.

import type { Metrics } from "../../base/metrics.ts";
import type { Operation } from "../../registry/admission.ts";

/** Whose conditions they are. */
export interface ConditionOwner {
  readonly name: string;
  readonly kind: "webhook" | "policy";
  readonly type: "admit" | "validate";
}

export interface ConditionObserver {
  evaluated(owner: ConditionOwner, operation: Operation, seconds: number, errors: number): void;
  /** The request does not concern the owner after all. */
  excluded(owner: ConditionOwner, operation: Operation): void;
}

const LABELS = ["kind", "name", "operation", "type"];
const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];

export function conditionMetrics(metrics: Metrics): ConditionObserver {
  const durations = metrics.histogram({
    name: "apiserver_admission_match_condition_evaluation_seconds",
    help: "How long the match conditions of a webhook or a policy take.",
    labels: LABELS,
    buckets: BUCKETS,
    stability: "ALPHA",
  });
  const failures = metrics.counter({
    name: "apiserver_admission_match_condition_evaluation_errors_total",
    help: "Match conditions of webhooks and policies that could not be evaluated.",
    labels: LABELS,
    stability: "ALPHA",
  });
  const exclusions = metrics.counter({
    name: "apiserver_admission_match_condition_exclusions_total",
    help: "Requests that a webhook or a policy does not see because of its match conditions.",
    labels: LABELS,
    stability: "ALPHA",
  });
  return {
    evaluated({ name, kind, type }, operation, seconds, errors) {
      durations.with(kind, name, operation, type).observe(seconds);
      if (errors > 0) failures.with(kind, name, operation, type).inc(errors);
    },
    excluded: ({ name, kind, type }, operation) => exclusions.with(kind, name, operation, type).inc(),
  };
}
