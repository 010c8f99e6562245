// What pods were held against, and with which outcome, under upstream's names.

import type { Metrics } from "../../base/metrics.ts";
import { VERSION_INFO } from "../../meta/version.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import type { Mode, Policy } from "./levels.ts";

export type PodSecurityObserver = (
  request: AdmissionRequest,
  mode: Mode,
  policy: Policy,
  decision: "allow" | "deny",
) => void;

export function podSecurityMetrics(metrics: Metrics): PodSecurityObserver {
  const evaluations = metrics.counter({
    name: "pod_security_evaluations_total",
    help: "Pods, and templates of pods, that were held against a level of security.",
    stability: "ALPHA",
    labels: ["decision", "mode", "policy_level", "policy_version", "request_operation", "resource", "subresource"],
  });
  return (request, mode, policy, decision) => {
    const what = request.resource.resource === "pods" ? "pod" : "controller";
    const operation = request.operation.toLowerCase();
    evaluations.with(decision, mode, policy.level, versionOf(policy), operation, what, request.subresource).inc();
  };
}

/** Users write any number: those that are still to come are one. */
function versionOf({ level, minor }: Policy): string {
  if (level === "privileged" || minor === Number.POSITIVE_INFINITY) return "latest";
  return minor > Number(VERSION_INFO.minor) ? "future" : `v1.${minor}`;
}
