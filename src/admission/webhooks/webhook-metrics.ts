// What calls of webhooks cost and how they end, under upstream's names. Names of webhooks are labels: the registry bounds
// how many series there are.

import type { Metrics } from "../../base/metrics.ts";
import type { Operation } from "../../registry/admission.ts";

export type WebhookType = "admit" | "validating";

/** Why a request was refused on account of a webhook. */
export type RefusalCause = "calling_webhook_error" | "apiserver_internal_error" | "no_error";

interface WebhookCallNote {
  readonly name: string;
  readonly type: WebhookType;
  readonly operation: Operation;
  /** The status that the webhook's answer stands for; 0 when the fault is ours. */
  readonly code: number;
  readonly seconds: number;
  /** Undefined: the request goes on. */
  readonly refused?: RefusalCause;
}

export interface WebhookObserver {
  called(call: WebhookCallNote): void;
  failedOpen(name: string, type: WebhookType): void;
}

const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
/** Webhooks may answer with any number. */
const MAX_CODE = 600;

export function webhookMetrics(metrics: Metrics): WebhookObserver {
  const durations = metrics.histogram({
    name: "apiserver_admission_webhook_admission_duration_seconds",
    help: "How long a call of an admission webhook takes.",
    labels: ["name", "operation", "rejected", "type"],
    buckets: BUCKETS,
    stability: "STABLE",
  });
  const requests = metrics.counter({
    name: "apiserver_admission_webhook_request_total",
    help: "Calls of admission webhooks, by the status of their answers.",
    labels: ["code", "name", "operation", "rejected", "type"],
    stability: "ALPHA",
  });
  const refusals = metrics.counter({
    name: "apiserver_admission_webhook_rejection_count",
    help: "Requests that were refused by an admission webhook, or because it could not be called.",
    labels: ["error_type", "name", "operation", "rejection_code", "type"],
    stability: "ALPHA",
  });
  const open = metrics.counter({
    name: "apiserver_admission_webhook_fail_open_count",
    help: "Requests that went on although an admission webhook could not be called.",
    labels: ["name", "type"],
    stability: "ALPHA",
  });
  return {
    called({ name, type, operation, code, seconds, refused }) {
      const shown = String(Math.min(code, MAX_CODE));
      const rejected = String(refused !== undefined);
      requests.with(shown, name, operation, rejected, type).inc();
      durations.with(name, operation, rejected, type).observe(seconds);
      if (refused !== undefined) refusals.with(refused, name, operation, shown, type).inc();
    },
    failedOpen: (name, type) => open.with(name, type).inc(),
  };
}
