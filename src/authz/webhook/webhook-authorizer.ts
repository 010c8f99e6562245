// The webhook authorizer: asks a remote service for a SubjectAccessReview and remembers its answers for a while.
// Requirements: document 2, "Webhook authorization", "AuthorizationConfiguration file".

import { type Attempt, attempt } from "../../base/attempts.ts";
import { BoundedCache } from "../../base/bounded-cache.ts";
import type { Clock } from "../../base/clock.ts";
import { isObject } from "../../base/json.ts";
import { roughBytes } from "../../base/rough-bytes.ts";
import type { SharedAnswers } from "../../base/shared-answers.ts";
import { atOnceWhileShort, type Steps } from "../../base/steps.ts";
import { CallTimedOut, ConnectionLost } from "../../client/callouts/https-caller.ts";
import { decodeJsonInSteps } from "../../codec/json.ts";
import type { Attributes, Authorizer, Decision, RuleResolver, WaitingCaller } from "../../registry/authorizer.ts";
import type { MatchConditions } from "./match-conditions.ts";
import { type ReviewSpec, reviewBody, reviewSpec } from "./review-spec.ts";

export interface ReviewAnswer {
  readonly status: number;
  readonly body: Uint8Array;
  readonly retryAfterSeconds?: number;
}

interface ReviewCall {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Where reviews go. Fails when there is no answer in time. */
export interface ReviewTransport {
  post(body: object, options: ReviewCall): Promise<ReviewAnswer>;
  close(): void;
}

export interface WebhookSettings {
  readonly version: "v1" | "v1beta1";
  readonly timeoutMs: number;
  /** 0 remembers nothing. */
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  /** What a failed call, an answer that is none, and a condition that fails count as. */
  readonly onFailure: "deny" | "no-opinion";
  readonly conditions?: MatchConditions;
}

/** Told what happened; for metrics. */
export interface WebhookObserver {
  called(result: "success" | "error" | "timeout" | "canceled", seconds: number): void;
  failedOpen(result: "error" | "timeout"): void;
  conditions(outcome: "matched" | "excluded" | "error", seconds: number): void;
}

interface WebhookDeps {
  readonly transport: ReviewTransport;
  readonly settings: WebhookSettings;
  /** The group of reviews in the dialect. */
  readonly apiGroup: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly observer?: WebhookObserver;
  /** With whom answers are shared, and what they are answers of. */
  readonly shared?: { readonly answers: SharedAnswers; readonly topic: string };
}

/** Upstream's schedule for calls that may go better next time. */
const ATTEMPTS = { maxAttempts: 5, firstPauseMs: 500, factor: 1.5, jitter: 0.2 };
/** Upstream's size of this cache. */
const MAX_CACHED_DECISIONS = 8_192;
const MAX_CACHED_BYTES = 64 * 1024 * 1024;
/** Questions with longer texts are not remembered, so that nobody fills the memory with them. */
const MAX_CACHED_QUESTION_CHARS = 10_000;

export class WebhookAuthorizer implements Authorizer, RuleResolver {
  readonly #deps: WebhookDeps;
  /** By the question. */
  readonly #cache: BoundedCache<string, Decision>;
  readonly #stopHearing: (() => void) | undefined;

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
    this.#cache = new BoundedCache({
      maxEntries: MAX_CACHED_DECISIONS,
      maxBytes: MAX_CACHED_BYTES,
      sizeBytes: (question, decision) => roughBytes(question) + roughBytes(decision),
      clock: deps.clock,
    });
    this.#stopHearing = deps.shared?.answers.hear(deps.shared.topic, ({ key, value, lifeMs }) =>
      this.#cache.set(key, value as Decision, lifeMs),
    );
  }

  authorize(attributes: Attributes, caller?: WaitingCaller): Decision | Promise<Decision> {
    const excluded = this.#checkConditions(attributes);
    if (excluded !== undefined) return excluded;
    const spec = reviewSpec(attributes);
    const key = JSON.stringify(spec);
    return this.#cache.get(key) ?? this.#ask(spec, key, attributes, caller?.signal);
  }

  rulesFor() {
    return { rules: [], problems: ["webhook authorizer does not support user rule resolution"], incomplete: true };
  }

  close(): void {
    this.#stopHearing?.();
    this.#deps.transport.close();
  }

  #checkConditions(attributes: Attributes): Decision | undefined {
    const { settings, observer } = this.#deps;
    if (settings.conditions === undefined) return undefined;
    const startMs = performance.now();
    const outcome = settings.conditions.match(attributes);
    const seconds = (performance.now() - startMs) / 1000;
    if ("error" in outcome) {
      observer?.conditions("error", seconds);
      return { verdict: settings.onFailure, reason: "", error: outcome.error };
    }
    observer?.conditions(outcome.matches ? "matched" : "excluded", seconds);
    return outcome.matches ? undefined : { verdict: "no-opinion", reason: "" };
  }

  async #ask(spec: ReviewSpec, key: string, attributes: Attributes, signal?: AbortSignal): Promise<Decision> {
    const { settings, observer } = this.#deps;
    const startMs = performance.now();
    const seconds = () => (performance.now() - startMs) / 1000;
    try {
      const decision = await atOnceWhileShort(readAnswer(await this.#call(spec, signal), this.#apiVersion()));
      observer?.called("success", seconds());
      if (questionChars(attributes) < MAX_CACHED_QUESTION_CHARS) this.#remember(key, decision);
      return decision;
    } catch (error) {
      const result = error instanceof CallTimedOut ? "timeout" : "error";
      const hasLeft = signal?.aborted === true;
      observer?.called(hasLeft ? "canceled" : result, seconds());
      if (settings.onFailure === "no-opinion" && !hasLeft) observer?.failedOpen(result);
      // Whoever leaves does not get past it, whatever its failures mean.
      return { verdict: hasLeft ? "deny" : settings.onFailure, reason: "", error: (error as Error).message };
    }
  }

  #remember(key: string, decision: Decision): void {
    const { settings, shared } = this.#deps;
    const lifeMs = decision.verdict === "allow" ? settings.authorizedTtlMs : settings.unauthorizedTtlMs;
    this.#cache.set(key, decision, lifeMs);
    if (lifeMs > 0) shared?.answers.tell({ topic: shared.topic, key, value: decision, lifeMs });
  }

  #call(spec: ReviewSpec, signal: AbortSignal | undefined): Promise<ReviewAnswer> {
    const { settings, apiGroup, clock, random } = this.#deps;
    const body = reviewBody(apiGroup, settings.version, spec);
    const waiting = signal === undefined ? {} : { signal };
    return attempt({ clock, random, ...waiting }, ATTEMPTS, () => this.#callOnce(body, waiting));
  }

  async #callOnce(body: object, waiting: Pick<ReviewCall, "signal">): Promise<Attempt<ReviewAnswer>> {
    const { transport, settings } = this.#deps;
    let answer: ReviewAnswer;
    try {
      answer = await transport.post(body, { timeoutMs: settings.timeoutMs, ...waiting });
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      return { problem: error };
    }
    const { status, retryAfterSeconds } = answer;
    if (status >= 200 && status <= 206) return { value: answer };
    const problem = new Error(`the authorization webhook answered with status ${status}`);
    if (!RETRIED_STATUSES.has(status) && retryAfterSeconds === undefined) throw problem;
    return { problem, afterMs: Math.min((retryAfterSeconds ?? 0) * 1000, settings.timeoutMs) };
  }

  #apiVersion(): string {
    return `${this.#deps.apiGroup}/${this.#deps.settings.version}`;
  }
}

const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 500, 504]);

/** Fails when the answer is no review of the version that was asked in. */
function* readAnswer({ body }: ReviewAnswer, apiVersion: string): Steps<Decision> {
  const review = yield* parse(body);
  const { status } = review;
  if (
    (review.kind ?? "SubjectAccessReview") !== "SubjectAccessReview" ||
    (review.apiVersion ?? apiVersion) !== apiVersion
  ) {
    throw new Error("the authorization webhook answered with another kind or version than it was asked in");
  }
  if (!isObject(status) || (status["allowed"] === undefined && status["denied"] === undefined)) {
    throw new Error("the authorization webhook's answer has no verdict");
  }
  const { allowed = false, denied = false, reason = "" } = status;
  if (typeof allowed !== "boolean" || typeof denied !== "boolean" || typeof reason !== "string") {
    throw new Error("the status in the authorization webhook's answer has the wrong types");
  }
  if (denied) {
    const both = allowed ? { error: "webhook subject access review returned both allow and deny response" } : {};
    return { verdict: "deny", reason, ...both };
  }
  return { verdict: allowed ? "allow" : "no-opinion", reason };
}

function* parse(body: Uint8Array): Steps<{ kind?: unknown; apiVersion?: unknown; status?: unknown }> {
  let value: unknown;
  try {
    value = (yield* decodeJsonInSteps(body)).value;
  } catch {
    throw new Error("the authorization webhook's answer is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error("the authorization webhook's answer is not an object");
  }
  return value;
}

function questionChars({ verb, resource, path = "" }: Attributes): number {
  if (resource === undefined) return verb.length + path.length;
  const { group, version, namespace, name, subresource } = resource;
  return (
    verb.length +
    group.length +
    version.length +
    resource.resource.length +
    namespace.length +
    name.length +
    subresource.length
  );
}
