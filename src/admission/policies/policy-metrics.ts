// What the checks of policies cost and how they end, under upstream's names. Names of policies are labels: the registry
// bounds how many series there are.

import type { Metrics } from "../../base/metrics.ts";

type CheckError = "compile_error" | "invalid_error" | "out_of_budget" | "no_error";
type Enforcement = "allow" | "deny" | "audit" | "warn";

export interface PolicyObserver {
  checked(policy: string, binding: string, error: CheckError, enforcement: Enforcement, seconds: number): void;
}

export interface MutationObserver {
  mutated(policy: string, binding: string, error: CheckError, seconds: number): void;
}

const BUCKETS = [0.0000005, 0.001, 0.01, 0.1, 1];

export function policyMetrics(metrics: Metrics): PolicyObserver {
  const labels = ["enforcement_action", "error_type", "policy", "policy_binding"];
  const checks = metrics.counter({
    name: "apiserver_validating_admission_policy_check_total",
    help: "Checks of validating admission policies that had a result to tell, by what was done about it.",
    labels,
    stability: "BETA",
  });
  const durations = metrics.histogram({
    name: "apiserver_validating_admission_policy_check_duration_seconds",
    help: "How long the expressions of validating admission policies take.",
    labels,
    buckets: BUCKETS,
    stability: "BETA",
  });
  return {
    checked(policy, binding, error, enforcement, seconds) {
      checks.with(enforcement, error, policy, binding).inc();
      durations.with(enforcement, error, policy, binding).observe(seconds);
    },
  };
}

export function mutationMetrics(metrics: Metrics): MutationObserver {
  const labels = ["error_type", "policy", "policy_binding"];
  const checks = metrics.counter({
    name: "apiserver_mutating_admission_policy_check_total",
    help: "Mutations of mutating admission policies, by how they ended.",
    labels,
    stability: "ALPHA",
  });
  const durations = metrics.histogram({
    name: "apiserver_mutating_admission_policy_check_duration_seconds",
    help: "How long the mutations of mutating admission policies take.",
    labels,
    buckets: BUCKETS,
    stability: "ALPHA",
  });
  return {
    mutated(policy, binding, error, seconds) {
      checks.with(error, policy, binding).inc();
      durations.with(error, policy, binding).observe(seconds);
    },
  };
}

/** The kind of a failure, told from its words. */
export function checkErrorOf(message: string): CheckError {
  if (message.startsWith("compilation")) return "compile_error";
  return message.startsWith("validation failed due to running out of cost budget") ? "out_of_budget" : "invalid_error";
}
