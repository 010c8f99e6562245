// Tokens that a remote service judges: answers are remembered, calls are bounded and shared, failures are tried again.
// Requirements: document 2, "Webhook token authentication", "Limits".

import { type Attempt, attempt } from "../../base/attempts.ts";
import { BoundedCache } from "../../base/bounded-cache.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { roughBytes } from "../../base/rough-bytes.ts";
import type { SharedAnswers } from "../../base/shared-answers.ts";
import { atOnceWhileShort } from "../../base/steps.ts";
import { ConnectionLost } from "../../client/callouts/https-caller.ts";
import type { WebhookAnswer } from "../../client/callouts/webhook-transport.ts";
import type { Names } from "../../meta/names.ts";
import type { UserInfo } from "../../meta/user.ts";
import { commonAudiences } from "../audiences.ts";
import type { Authentication } from "../authenticator.ts";
import { NO_CREDENTIALS } from "../authenticator.ts";
import type { TokenAuthenticator } from "../presented-token.ts";
import { countedJudgement, countedWait, type TokenCacheMetrics } from "../token-metrics.ts";
import { type ReviewAnswer, type ReviewVersion, readReview, reviewBody } from "./token-review.ts";

const MAX_REMEMBERED_ANSWERS = 10_000;
const MAX_REMEMBERED_BYTES = 32 * 1024 * 1024;
/** Calls at one time; more are refused at once, so that a slow service holds nobody else up. */
const MAX_CALLS = 100;
const CALL_TIMEOUT_MS = 10_000;
/** All attempts together. */
const TOTAL_TIMEOUT_MS = 30_000;
const ATTEMPTS = { maxAttempts: 5, firstPauseMs: 500, factor: 1.5, jitter: 0.2 };
/** A refusal with an error text may be about the service and not about the token. */
const MAX_ERROR_MS = 10_000;
const MAX_ERROR_LENGTH = 1_000;

export interface WebhookTokenOptions {
  readonly names: Names;
  readonly version: ReviewVersion;
  readonly ttlMs: number;
  /** The audiences of this server: those of a token whose answer names none. */
  readonly audiences: readonly string[];
  readonly post: (body: unknown, options: { timeoutMs: number; signal: AbortSignal }) => Promise<WebhookAnswer>;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly cacheMetrics?: TokenCacheMetrics;
  /** Where several processes serve. */
  readonly sharedAnswers?: SharedAnswers | undefined;
}

interface Remembered {
  readonly outcome: Authentication;
  /** About what it holds in memory. */
  readonly sizeBytes: number;
}

/** What is read of an answer is several times as large as its text; the more so, the shorter its parts are. */
const BYTES_PER_JSON_BYTE = 12;
const TOPIC = "tokens";

export function webhookTokens(options: WebhookTokenOptions): TokenAuthenticator {
  const { names, version, ttlMs, clock, log, cacheMetrics, sharedAnswers } = options;
  const remembered = new BoundedCache<string, Remembered>({
    maxEntries: MAX_REMEMBERED_ANSWERS,
    maxBytes: MAX_REMEMBERED_BYTES,
    sizeBytes: (key, { sizeBytes }) => roughBytes(key) + sizeBytes,
    // Whoever may knock can send a new token each time.
    eviction: "segmented",
    clock,
  });
  const calls = new Map<string, Authentication | Promise<Authentication>>();
  sharedAnswers?.hear(TOPIC, ({ key, value, lifeMs }) => remembered.set(key, received(value as Remembered), lifeMs));

  async function ask(key: string, token: string, audiences: readonly string[]): Promise<Authentication> {
    try {
      const answered = await postPatiently(options, reviewBody(names, version, token, audiences));
      const answer = await atOnceWhileShort(readReview(names, version, answered));
      const outcome = outcomeOf(answer, audiences, options.audiences);
      const lifeMs = outcome.result === "refused" ? Math.min(ttlMs, MAX_ERROR_MS) : ttlMs;
      const value: Remembered = { outcome, sizeBytes: BYTES_PER_JSON_BYTE * answered.length };
      remembered.set(key, value, lifeMs);
      if (lifeMs > 0) sharedAnswers?.tell({ topic: TOPIC, key, value, lifeMs });
      return outcome;
    } catch (error) {
      // A failed call says nothing about the token: it is not remembered.
      const why = (error as Error).message;
      log.warn({ why }, "a token could not be reviewed");
      return { result: "refused", error: `webhook: ${why}` };
    } finally {
      calls.delete(key);
    }
  }

  return {
    authenticateToken(token, audiences) {
      const key = audiences.length === 0 ? token.digest : `${token.digest} ${JSON.stringify(audiences)}`;
      const known = remembered.get(key);
      if (known !== undefined) {
        cacheMetrics?.hit();
        return known.outcome;
      }
      const running = calls.get(key);
      if (running !== undefined) return countedWait(cacheMetrics, () => running);
      if (calls.size >= MAX_CALLS) return { result: "refused", error: "webhook: too many tokens are being reviewed" };
      const call = countedJudgement(cacheMetrics, () => ask(key, token.text, audiences));
      calls.set(key, call);
      return countedWait(cacheMetrics, () => call);
    },
  };
}

/** On its way from another process what a user brings beside its name has got a prototype: its keys are user text. */
function received({ outcome, sizeBytes }: Remembered): Remembered {
  if (outcome.result !== "user" || outcome.user.extra === undefined) return { outcome, sizeBytes };
  const extra = Object.assign(Object.create(null), outcome.user.extra) as UserInfo["extra"];
  return { outcome: { ...outcome, user: { ...outcome.user, extra: extra! } }, sizeBytes };
}

function outcomeOf(answer: ReviewAnswer, wanted: readonly string[], own: readonly string[]): Authentication {
  if (!answer.authenticated) {
    if (answer.error === "") return NO_CREDENTIALS;
    const error = answer.error.slice(0, MAX_ERROR_LENGTH);
    return { result: "refused", error, detail: error };
  }
  const audiences = commonAudiences(wanted, answer.audiences.length > 0 ? answer.audiences : own);
  return audiences.length === 0 ? NO_CREDENTIALS : { result: "user", user: answer.user, audiences };
}

/** The body of a good answer. Fails when there is none after all attempts. */
function postPatiently(options: WebhookTokenOptions, body: unknown): Promise<Uint8Array> {
  const { clock, random } = options;
  const signal = clock.timeoutSignal(TOTAL_TIMEOUT_MS);
  return attempt({ clock, random, signal }, ATTEMPTS, () => postOnce(options, body, signal));
}

async function postOnce(
  options: WebhookTokenOptions,
  body: unknown,
  signal: AbortSignal,
): Promise<Attempt<Uint8Array>> {
  let answer: WebhookAnswer;
  try {
    answer = await options.post(body, { timeoutMs: CALL_TIMEOUT_MS, signal });
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error;
    return { problem: error };
  }
  const { status, retryAfterSeconds } = answer;
  if (status >= 200 && status < 300) return { value: answer.body };
  const problem = new Error(`the service answers with status ${status}`);
  if (!RETRIED_STATUSES.has(status) && retryAfterSeconds === undefined) throw problem;
  return { problem, afterMs: (retryAfterSeconds ?? 0) * 1000 };
}

const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 500, 504]);
