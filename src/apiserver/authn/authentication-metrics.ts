// What authentication tells about itself, under upstream's names.

import { createHash } from "node:crypto";
import type { Metrics } from "../../base/metrics.ts";

export interface AuthenticationMetrics {
  attempted(result: AttemptResult, userName: string | undefined, seconds: number): void;
  /** A use of a service account token. */
  accountToken(what: "legacy" | "stale" | "valid"): void;
  /** A token of an issuer that was not remembered. */
  jwtJudged(issuerUrl: string, accepted: boolean, seconds: number): void;
  reloaded(success: boolean, nowMs: number): void;
}

export type AttemptResult = "success" | "failure" | "error";

const JWT_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const ATTEMPT_BUCKETS = Array.from({ length: 15 }, (_, index) => 0.001 * 2 ** index);

/** `serverId`: tells servers of one cluster apart. */
export function authenticationMetrics(metrics: Metrics, serverId: string): AuthenticationMetrics {
  const attempts = metrics.counter({
    name: "authentication_attempts",
    help: "Attempts to authenticate, by result.",
    labels: ["result"],
    stability: "ALPHA",
  });
  const seconds = metrics.histogram({
    name: "authentication_duration_seconds",
    help: "How long authentication takes, by result.",
    labels: ["result"],
    buckets: ATTEMPT_BUCKETS,
    stability: "ALPHA",
  });
  const requests = metrics.counter({
    name: "authenticated_user_requests",
    help: "Authenticated requests, by kind of user.",
    labels: ["username"],
    stability: "ALPHA",
  });
  const jwtSeconds = metrics.histogram({
    name: "apiserver_authentication_jwt_authenticator_latency_seconds",
    help: "How long a token of an issuer takes.",
    labels: ["result", "jwt_issuer_hash"],
    buckets: JWT_BUCKETS,
    stability: "ALPHA",
  });
  const reload = (name: string) => `apiserver_authentication_config_controller_automatic_${name}`;
  const labels = ["apiserver_id_hash", "status"];
  const reloads = metrics.counter({
    name: reload("reloads_total"),
    help: "Reloads of the configuration file.",
    labels,
    stability: "ALPHA",
  });
  const lastReload = metrics.gauge({
    name: reload("reload_last_timestamp_seconds"),
    help: "When the configuration file was last reloaded.",
    labels,
    stability: "ALPHA",
  });
  const accountTokens = (what: string, help: string) =>
    metrics.counter({ name: `serviceaccount_${what}_tokens_total`, help, stability: "ALPHA" }).with();
  const accountCounters = {
    legacy: accountTokens("legacy", "Uses of tokens that name no audience."),
    stale: accountTokens("stale", "Uses of tokens that should have been read again."),
    valid: accountTokens("valid", "Uses of tokens whose longer life was not needed."),
  };
  const id = hash(serverId);
  return {
    attempted(result, userName, took) {
      attempts.with(result).inc();
      seconds.with(result).observe(took);
      if (userName !== undefined) requests.with(compressed(userName)).inc();
    },
    accountToken: (what) => accountCounters[what].inc(),
    jwtJudged(issuerUrl, accepted, took) {
      jwtSeconds.with(accepted ? "success" : "failure", hash(issuerUrl)).observe(took);
    },
    reloaded(success, nowMs) {
      const status = success ? "success" : "failure";
      reloads.with(id, status).inc();
      lastReload.with(id, status).set(nowMs / 1000);
    },
  };
}

/** Upstream's few words for users: their names have no bound. */
function compressed(userName: string): string {
  return WELL_KNOWN_USERS.has(userName) ? userName : "other";
}

const WELL_KNOWN_USERS: ReadonlySet<string> = new Set(["admin", "client", "kube_proxy", "kubelet"]);

const hash = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;
