// What conversion by webhooks costs and how it ends, under upstream's names. Names of definitions are labels: the registry
// bounds how many series there are.

import type { Metrics } from "../../../base/metrics.ts";

export type ConversionFailure =
  | "conversion_webhook_call_failure"
  | "conversion_webhook_malformed_response_failure"
  | "conversion_webhook_partial_response_failure"
  | "conversion_webhook_invalid_converted_object_failure";

export interface ConversionObserver {
  /** One call; undefined when it gave what was asked for. */
  called(seconds: number, failure: ConversionFailure | undefined): void;
  /** Objects of a definition from one version to another, by as many calls as that takes. */
  converted(definition: string, from: string, to: string, succeeded: boolean, seconds: number): void;
}

const CALL_BUCKETS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60];
const FIRST_BUCKET_SECONDS = 0.001;
const DOUBLED_BUCKETS = Array.from({ length: 15 }, (_, power) => FIRST_BUCKET_SECONDS * 2 ** power);

export function conversionMetrics(metrics: Metrics): ConversionObserver {
  const labels = ["failure_type", "result"];
  const calls = metrics.counter({
    name: "apiserver_conversion_webhook_request_total",
    help: "Calls of conversion webhooks, by how they ended.",
    labels,
    stability: "ALPHA",
  });
  const callDurations = metrics.histogram({
    name: "apiserver_conversion_webhook_duration_seconds",
    help: "How long calls of conversion webhooks take.",
    labels,
    buckets: CALL_BUCKETS,
    stability: "ALPHA",
  });
  const conversions = metrics.histogram({
    name: "apiserver_crd_conversion_webhook_duration_seconds",
    help: "How long it takes to convert objects of a definition by its webhook.",
    labels: ["crd_name", "from_version", "succeeded", "to_version"],
    buckets: DOUBLED_BUCKETS,
    stability: "ALPHA",
  });
  return {
    called(seconds, failure) {
      const values = [failure ?? "", failure === undefined ? "success" : "failure"];
      calls.with(...values).inc();
      callDurations.with(...values).observe(seconds);
    },
    converted: (definition, from, to, succeeded, seconds) =>
      conversions.with(definition, from, String(succeeded), to).observe(seconds),
  };
}
