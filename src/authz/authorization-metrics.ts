// What authorization tells about itself, under upstream's names.

import type { Metrics } from "../base/metrics.ts";
import type { Verdict } from "../registry/authorizer.ts";
import { type ConfigReloadMetrics, configReloadMetrics } from "../registry/config-reload-metrics.ts";
import type { OnDecision } from "./chain.ts";
import type { WebhookObserver } from "./webhook/webhook-authorizer.ts";

export interface AuthorizationMetrics extends ConfigReloadMetrics {
  /** One request was decided. */
  readonly onRequest: (verdict: Verdict, seconds: number) => void;
  readonly onDecision: OnDecision;
  /** Of the webhook with this name. */
  webhook(name: string): WebhookObserver;
}

const CONDITION_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];
const DECISION_BUCKETS = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);
const RESULTS = { allow: "allowed", deny: "denied", "no-opinion": "no-opinion" } as const;
const CALL_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** `serverId`: tells servers of one cluster apart. */
export function authorizationMetrics(metrics: Metrics, serverId: string): AuthorizationMetrics {
  const prefix = "apiserver_authorization";
  const counter = (name: string, help: string, labels: readonly string[]) =>
    metrics.counter({ name: `${prefix}_${name}`, help, labels, stability: "ALPHA" });
  const histogram = (name: string, help: string, labels: readonly string[], buckets: readonly number[]) =>
    metrics.histogram({ name: `${prefix}_${name}`, help, labels, buckets, stability: "ALPHA" });
  const decisions = counter("decisions_total", "Decisions of an authorizer, by decision.", [
    "decision",
    "name",
    "type",
  ]);
  const conditionErrors = counter("match_condition_evaluation_errors_total", "Match conditions that failed.", [
    "name",
    "type",
  ]);
  const conditionExclusions = counter(
    "match_condition_exclusions_total",
    "Requests that match conditions kept from a webhook.",
    ["name", "type"],
  );
  const conditionSeconds = histogram(
    "match_condition_evaluation_seconds",
    "How long match conditions take.",
    ["name", "type"],
    CONDITION_BUCKETS,
  );
  const callSeconds = histogram(
    "webhook_duration_seconds",
    "How long a webhook takes.",
    ["name", "result"],
    CALL_BUCKETS,
  );
  const calls = counter("webhook_evaluations_total", "Calls of a webhook.", ["name", "result"]);
  const failedOpen = counter("webhook_evaluations_fail_open_total", "Failed calls that count as no opinion.", [
    "name",
    "result",
  ]);
  const attempts = metrics.counter({
    name: "authorization_attempts_total",
    help: "Requests that were decided, by result.",
    labels: ["result"],
    stability: "ALPHA",
  });
  const seconds = metrics.histogram({
    name: "authorization_duration_seconds",
    help: "How long deciding a request takes, by result.",
    labels: ["result"],
    buckets: DECISION_BUCKETS,
    stability: "ALPHA",
  });
  // Kept: every request observes one of each.
  const results = new Map(
    (["allow", "deny", "no-opinion"] as const).map((verdict) => {
      const result = RESULTS[verdict];
      return [verdict, { attempts: attempts.with(result), seconds: seconds.with(result) }];
    }),
  );
  return {
    onRequest(verdict, took) {
      const series = results.get(verdict);
      series?.attempts.inc();
      series?.seconds.observe(took);
    },
    onDecision: ({ name, type }, verdict) =>
      decisions.with(verdict === "allow" ? "allowed" : "denied", name, type).inc(),
    webhook: (name) => ({
      called(result, seconds) {
        calls.with(name, result).inc();
        callSeconds.with(name, result).observe(seconds);
      },
      failedOpen: (result) => failedOpen.with(name, result).inc(),
      conditions(outcome, seconds) {
        conditionSeconds.with(name, "Webhook").observe(seconds);
        if (outcome === "error") conditionErrors.with(name, "Webhook").inc();
        if (outcome === "excluded") conditionExclusions.with(name, "Webhook").inc();
      },
    }),
    ...configReloadMetrics(metrics, prefix, serverId),
  };
}
