// Calls one webhook about one request, and judges the answer. A webhook that is slow, broken or lying fails alone.

import { randomUUID } from "node:crypto";
import { append } from "../../base/append.ts";
import type { Steps } from "../../base/steps.ts";
import type { WebhookClient } from "../../client/callouts/webhook-client.ts";
import { failedAnswerText } from "../../client/failed-answer.ts";
import { encodeJsonInSteps } from "../../codec/json.ts";
import { qualifiedNameProblems } from "../../meta/name-formats.ts";
import type { Names } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import { badRequest, forbidden, lateRequest } from "../../meta/status-error.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import type { Authorizer } from "../../registry/authorizer.ts";
import { authorizerVariables, CelAuthorizer } from "../matching/cel-authorizer.ts";
import type { ConditionObserver, ConditionOwner } from "../matching/condition-metrics.ts";
import type { Equivalents } from "../matching/equivalents.ts";
import { meetsConditions } from "../matching/match-conditions.ts";
import type { MatchedRequest, Matcher } from "../matching/matcher.ts";
import { reviewRequest } from "../matching/review-request.ts";
import { soon } from "../matching/soon.ts";
import { WebhookDenial, webhookDenial } from "./denial.ts";
import { buildReview, type ReviewAnswer, ReviewError, readReview, reviewVersion, UnreadableAnswer } from "./review.ts";
import type { RefusalCause, WebhookObserver, WebhookType } from "./webhook-metrics.ts";
import type { Webhook } from "./webhook-set.ts";

/** An answer holds at most a patch of an object, and objects are not larger than this. */
const MAX_ANSWER_BYTES = 3 * 1024 * 1024;

const BAD_REQUEST = 400;
/** What upstream's client takes for no success begins behind it. */
const PARTIAL_CONTENT = 206;
const UNAVAILABLE = 503;
const MS_PER_SECOND = 1000;

/** A webhook could not be asked, or its answer could not be used: the failure policy decides what that means. */
export class CallError extends Error {
  /** The status that the failure stands for. */
  readonly code: number;

  constructor(message: string, code = UNAVAILABLE) {
    super(message);
    this.code = code;
  }
}

export interface WebhookParts {
  readonly names: Names;
  readonly matcher: Matcher;
  readonly equivalents: Equivalents;
  readonly authorizer: Authorizer;
  readonly client: Pick<WebhookClient, "post">;
  readonly calls: WebhookObserver;
  readonly conditions: ConditionObserver;
}

/** A webhook that the request concerns, and the request in the version that it wants to see. */
export interface MatchedWebhook {
  readonly webhook: Webhook;
  readonly matched: MatchedRequest;
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
}

/** Undefined when the webhook is not concerned. Conditions that cannot be evaluated refuse the request, or skip it. */
export async function matchWebhook(
  parts: WebhookParts,
  request: AdmissionRequest,
  webhook: Webhook,
  type: ConditionOwner["type"],
): Promise<MatchedWebhook | undefined> {
  const { names, matcher, equivalents } = parts;
  const matched = await matcher.match(request, webhook.criteria);
  if (matched === undefined) return undefined;
  const said = async (object: ApiObject | undefined) =>
    matched.other === undefined ? object : equivalents.convert(object, request.resource, matched.other);
  const found = { webhook, matched, object: await said(request.object), oldObject: await said(request.oldObject) };
  const conditions = await webhook.conditions.get(request);
  if (conditions.length === 0) return found;
  const authorizer = new CelAuthorizer(parts.authorizer, request.user);
  const activation = {
    object: found.object ?? null,
    oldObject: found.oldObject ?? null,
    request: reviewRequest(request, matched),
    // It has a name in conditions, but is never looked up for them: as upstream.
    namespaceObject: null,
    ...authorizerVariables(names, authorizer, request),
  };
  const owner = { name: webhook.name, kind: "webhook", type } as const;
  const startMs = performance.now();
  const outcome = await authorizer.settleInSteps(() => meetsConditions(conditions, activation), request);
  const errors = "error" in outcome ? outcome.errors : 0;
  parts.conditions.evaluated(owner, request.operation, secondsSince(startMs), errors);
  if ("error" in outcome && !webhook.failsOpen) {
    const { group, resource } = request.resource;
    throw forbidden({ group, resource }, request.name, outcome.error);
  }
  if (!("error" in outcome) && outcome.matches) return found;
  parts.conditions.excluded(owner, request.operation);
  return undefined;
}

/** Calls, and takes note of how that ended. Fails with what the call fails with. */
export async function noted<T>(
  { calls }: WebhookParts,
  { operation, caller }: AdmissionRequest,
  { name, failsOpen }: Webhook,
  type: WebhookType,
  call: () => Promise<T>,
): Promise<T> {
  const startMs = performance.now();
  const note = (code: number, refused?: RefusalCause) =>
    calls.called({
      name,
      type,
      operation,
      code,
      seconds: secondsSince(startMs),
      ...(refused === undefined ? {} : { refused }),
    });
  try {
    const answer = await call();
    note(OK);
    return answer;
  } catch (error) {
    if (error instanceof CallError) {
      note(error.code, failsOpen ? undefined : "calling_webhook_error");
      if (failsOpen) calls.failedOpen(name, type);
    } else if (error instanceof WebhookDenial) note(error.code, "no_error");
    else if (caller?.signal.aborted !== true) note(0, "apiserver_internal_error");
    throw error;
  }
}

const OK = 200;
const secondsSince = (startMs: number): number => (performance.now() - startMs) / MS_PER_SECOND;

/** What the webhook says. Fails with CallError, with the refusal, or with 504 where nobody waits any more. */
export async function callWebhook(
  { names, client }: WebhookParts,
  request: AdmissionRequest,
  { webhook, matched, object, oldObject }: MatchedWebhook,
  mutating: boolean,
): Promise<ReviewAnswer> {
  if (request.dryRun && !webhook.dryRunSafe)
    throw badRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`);
  const version = reviewVersion(webhook.reviewVersions);
  if (version === undefined)
    throw new CallError(
      "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)",
      BAD_REQUEST,
    );
  const uid = randomUUID();
  const review = buildReview(names, version, uid, reviewRequest(request, matched), object, oldObject);
  const body = await soon(encodeJsonInSteps(review), request);
  const answer = await ask(client, webhook, body, request.caller?.signal);
  const read = await soon(asCallErrors(readReview(names, version, uid, mutating, answer)), request);
  append(request.warnings, read.warnings);
  for (const [key, value] of read.auditAnnotations) {
    const named = `${webhook.name}/${key}`;
    // Others are left out, as upstream leaves them out: readers of the log tell by the first slash who has spoken.
    if (qualifiedNameProblems(named).length === 0) request.auditAnnotations.set(named, value);
  }
  if (!read.allowed) throw webhookDenial(webhook.name, read.status);
  return read;
}

async function ask(
  client: WebhookParts["client"],
  webhook: Webhook,
  body: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const { timeoutMs } = webhook;
  let reply: Awaited<ReturnType<WebhookClient["post"]>>;
  try {
    const query = `timeout=${timeoutMs / MS_PER_SECOND}s`;
    reply = await client.post(webhook.client, {
      body,
      timeoutMs,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      query,
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    // Whoever does not wait for the answer must not be let past a webhook that is passed over when it fails.
    if (signal?.aborted === true) throw lateRequest();
    throw new CallError(`failed to call webhook: ${(error as Error).message}`);
  }
  if (reply.status < 200 || reply.status > PARTIAL_CONTENT) {
    throw new CallError(`failed to call webhook: ${failedAnswerText(reply.status, reply.body)}`, reply.status);
  }
  if (reply.body.length === 0) {
    const what = `0-length response with status code: ${reply.status} and content type: application/json`;
    throw new CallError(`failed to call webhook: ${what}`);
  }
  return reply.body;
}

/** What cannot be read counts as a failed call. */
function* asCallErrors(reading: Steps<ReviewAnswer>): Steps<ReviewAnswer> {
  try {
    return yield* reading;
  } catch (error) {
    if (error instanceof UnreadableAnswer) throw new CallError(`failed to call webhook: ${error.message}`);
    if (error instanceof ReviewError) throw new CallError(`received invalid webhook response: ${error.message}`);
    throw error;
  }
}
