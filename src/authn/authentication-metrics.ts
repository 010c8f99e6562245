// What authentication tells about itself, under upstream's names.

import type { Metrics } from "../base/metrics.ts";
import type { Names } from "../meta/names.ts";
import { serviceAccountUser } from "../meta/service-account-user.ts";
import { type ConfigReloadMetrics, configReloadMetrics } from "../registry/config-reload-metrics.ts";
import { hashLabel } from "../registry/server-identity.ts";
import {
  type AccountTokenUse,
  accountTokenMetrics,
  type TokenCacheMetrics,
  tokenCacheMetrics,
} from "./token-metrics.ts";

export interface AuthenticationMetrics extends ConfigReloadMetrics {
  attempted(result: AttemptResult, userName: string | undefined, seconds: number): void;
  accountToken(use: AccountTokenUse): void;
  readonly tokenCache: TokenCacheMetrics;
  /** A request with a client certificate that lives this much longer; less than 0 when its time is over. */
  certificateShown(secondsLeft: number): void;
  /** A token of an issuer that was not remembered. */
  jwtJudged(issuerUrl: string, accepted: boolean, seconds: number): void;
}

export type AttemptResult = "success" | "failure" | "error";

const JWT_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const HOUR = 3600;
const DAY = 24 * HOUR;
/** From half an hour to a year. */
const CERTIFICATE_BUCKETS = [
  0,
  HOUR / 2,
  HOUR,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  ...[1, 2, 4, 7, 30, 90, 180, 360].map((days) => days * DAY),
];
const ATTEMPT_BUCKETS = Array.from({ length: 15 }, (_, index) => 0.001 * 2 ** index);

/** `serverId`: tells servers of one cluster apart. */
export function authenticationMetrics(metrics: Metrics, names: Names, serverId: string): AuthenticationMetrics {
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
    labels: ["jwt_issuer_hash", "result"],
    buckets: JWT_BUCKETS,
    stability: "ALPHA",
  });
  const certificateSeconds = metrics
    .histogram({
      name: "apiserver_client_certificate_expiration_seconds",
      help: "How much longer the client certificates of requests live.",
      buckets: CERTIFICATE_BUCKETS,
      stability: "ALPHA",
    })
    .with();
  const compressed = compressedNames(names);
  return {
    attempted(result, userName, took) {
      attempts.with(result).inc();
      seconds.with(result).observe(took);
      if (userName !== undefined) requests.with(compressed(userName)).inc();
    },
    accountToken: accountTokenMetrics(metrics),
    tokenCache: tokenCacheMetrics(metrics),
    certificateShown: (secondsLeft) => certificateSeconds.observe(secondsLeft),
    jwtJudged(issuerUrl, accepted, took) {
      jwtSeconds.with(hashLabel(issuerUrl), accepted ? "success" : "failure").observe(took);
    },
    ...configReloadMetrics(metrics, "apiserver_authentication", serverId),
  };
}

/** Upstream's few words for users: their names have no bound. */
function compressedNames(names: Names): (userName: string) => string {
  const ofSystem = serviceAccountUser({ namespace: names.systemNamespace, name: "default" });
  const wellKnown = new Set(["admin", "client", "kube_proxy", "kubelet", ofSystem]);
  return (userName) => {
    if (wellKnown.has(userName)) return userName;
    return userName.includes("@") ? "email_id" : "other";
  };
}
