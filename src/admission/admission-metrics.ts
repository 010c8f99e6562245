// How long plug-ins, and admission as a whole, take; and whether they refused.

import type { Metrics } from "../base/metrics.ts";
import type { AdmissionObserver } from "../registry/admission.ts";

const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

export function admissionMetrics(metrics: Metrics): AdmissionObserver {
  const plugins = metrics.histogram({
    name: "apiserver_admission_controller_admission_duration_seconds",
    help: "How long an admission plug-in takes.",
    labels: ["name", "operation", "rejected", "type"],
    buckets: BUCKETS,
    stability: "STABLE",
  });
  const steps = metrics.histogram({
    name: "apiserver_admission_step_admission_duration_seconds",
    help: "How long all admission plug-ins of one kind take together.",
    labels: ["operation", "rejected", "type"],
    buckets: BUCKETS,
    stability: "STABLE",
  });
  return {
    plugin: (name, type, operation, rejected, seconds) =>
      plugins.with(name, operation, String(rejected), type).observe(seconds),
    step: (type, operation, rejected, seconds) => steps.with(operation, String(rejected), type).observe(seconds),
  };
}
