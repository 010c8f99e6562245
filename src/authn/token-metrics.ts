// What the methods that look at tokens tell about themselves, under upstream's names.

import type { Metrics } from "../base/metrics.ts";
import type { Authentication } from "./authenticator.ts";

/** Tokens that are remembered, and those that are not. */
export interface TokenCacheMetrics {
  hit(): void;
  /** Somebody waits for a token to be judged. To be called when that is over. */
  waiting(): () => void;
  /** A token is being judged. To be called with whether it could be. */
  judging(): (ok: boolean) => void;
}

/** Uses of service account tokens. */
export type AccountTokenUse =
  /** It names no audience. */
  | "legacy"
  /** It lives longer than was asked for, and that is needed or is not. */
  | "stale"
  | "valid"
  /** It is in a Secret: made by hand, made for the account by itself, or the latter and no longer valid. */
  | "manual"
  | "auto"
  | "invalid";

const ACCOUNT_TOKENS: Readonly<Record<AccountTokenUse, readonly [name: string, help: string]>> = {
  legacy: ["legacy_tokens_total", "Uses of tokens that name no audience."],
  stale: ["stale_tokens_total", "Uses of tokens that should have been read again."],
  valid: ["valid_tokens_total", "Uses of tokens whose longer life was not needed."],
  manual: ["legacy_manual_token_uses_total", "Uses of tokens in Secrets that somebody has made."],
  auto: ["legacy_auto_token_uses_total", "Uses of tokens in Secrets that were made for their account."],
  invalid: ["invalid_legacy_auto_token_uses_total", "Uses of tokens in Secrets that have been marked as invalid."],
};

export function accountTokenMetrics(metrics: Metrics): (use: AccountTokenUse) => void {
  const counters = new Map(
    Object.entries(ACCOUNT_TOKENS).map(([use, [name, help]]) => [
      use,
      metrics.counter({ name: `serviceaccount_${name}`, help, stability: "ALPHA" }).with(),
    ]),
  );
  return (use) => counters.get(use)?.inc();
}

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function tokenCacheMetrics(metrics: Metrics): TokenCacheMetrics {
  const spec = (name: string, help: string) =>
    ({ name: `authentication_token_cache_${name}`, help, labels: ["status"], stability: "ALPHA" }) as const;
  const requests = metrics.counter(spec("request_total", "Tokens that were shown, by whether they were remembered."));
  const seconds = metrics.histogram({
    ...spec("request_duration_seconds", "How long tokens take, by whether they were remembered."),
    buckets: BUCKETS,
  });
  const fetches = metrics.counter(spec("fetch_total", "Tokens that were judged, by whether they could be."));
  const active = metrics.gauge(spec("active_fetch_count", "Tokens that are being judged, and those who wait for it."));
  // Kept: most requests observe one of each.
  const hits = { count: requests.with("hit"), seconds: seconds.with("hit") };
  const misses = { count: requests.with("miss"), seconds: seconds.with("miss") };
  const fetched = { ok: fetches.with("ok"), error: fetches.with("error") };
  const blocked = active.with("blocked");
  const inFlight = active.with("in_flight");
  return {
    hit() {
      hits.count.inc();
      // A look-up in a map: less than the clock could tell.
      hits.seconds.observe(0);
    },
    waiting() {
      const startedMs = performance.now();
      blocked.add(1);
      return () => {
        blocked.add(-1);
        misses.count.inc();
        misses.seconds.observe((performance.now() - startedMs) / 1000);
      };
    },
    judging() {
      inFlight.add(1);
      return (ok) => {
        inFlight.add(-1);
        (ok ? fetched.ok : fetched.error).inc();
      };
    },
  };
}

type PendingAuthentication = Authentication | Promise<Authentication>;

/** Judges a token that is not remembered, and counts that. */
export function countedMiss(
  metrics: TokenCacheMetrics | undefined,
  judge: () => PendingAuthentication,
): PendingAuthentication {
  if (metrics === undefined) return judge();
  return countedWait(metrics, () => countedJudgement(metrics, judge));
}

/** Waits for a token that is being judged, and counts that. */
export function countedWait(
  metrics: TokenCacheMetrics | undefined,
  answer: () => PendingAuthentication,
): PendingAuthentication {
  return afterwards(answer, metrics?.waiting());
}

export function countedJudgement(
  metrics: TokenCacheMetrics | undefined,
  judge: () => PendingAuthentication,
): PendingAuthentication {
  const done = metrics?.judging();
  return afterwards(judge, done && ((outcome) => done(outcome.result !== "refused")));
}

/** The methods do not throw: what goes wrong is a refusal. */
function afterwards(
  answer: () => PendingAuthentication,
  done: ((outcome: Authentication) => void) | undefined,
): PendingAuthentication {
  const outcome = answer();
  if (done === undefined) return outcome;
  const finish = (late: Authentication) => {
    done(late);
    return late;
  };
  return outcome instanceof Promise ? outcome.then(finish) : finish(outcome);
}
