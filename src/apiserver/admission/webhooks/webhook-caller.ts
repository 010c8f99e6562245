// Calls one webhook about one request, and judges the answer. A webhook that is slow, broken or lying fails alone.

import { randomUUID } from "node:crypto";
import type { WebhookClient } from "../../../client/webhook-client.ts";
import { encodeJson } from "../../../codec/json.ts";
import type { Names } from "../../../meta/names.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { badRequest, type StatusDetails, StatusError, type StatusReason } from "../../../meta/status-error.ts";
import type { Authorizer } from "../../authz/authorizer.ts";
import type { AdmissionRequest } from "../admission.ts";
import { authorizerVariables, CelAuthorizer } from "../matching/cel-authorizer.ts";
import type { Equivalents } from "../matching/equivalents.ts";
import { meetsConditions } from "../matching/match-conditions.ts";
import type { MatchedRequest, Matcher } from "../matching/matcher.ts";
import { reviewRequest } from "../matching/review-request.ts";
import { buildReview, type ReviewAnswer, ReviewError, readReview, reviewVersion } from "./review.ts";
import type { Webhook } from "./webhook-set.ts";

/** An answer holds at most a patch of an object, and objects are not larger than this. */
const MAX_ANSWER_BYTES = 3 * 1024 * 1024;

/** A webhook could not be asked, or its answer could not be used: the failure policy decides what that means. */
export class CallError extends Error {}

export interface WebhookParts {
  readonly names: Names;
  readonly matcher: Matcher;
  readonly equivalents: Equivalents;
  readonly authorizer: Authorizer;
  readonly client: Pick<WebhookClient, "post">;
}

/** A webhook that the request concerns, and the request in the version that it wants to see. */
export interface MatchedWebhook {
  readonly webhook: Webhook;
  readonly matched: MatchedRequest;
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
}

/** Undefined when the webhook is not concerned. Fails with CallError when its conditions cannot be evaluated. */
export async function matchWebhook(
  parts: WebhookParts,
  request: AdmissionRequest,
  webhook: Webhook,
): Promise<MatchedWebhook | undefined> {
  const { names, matcher, equivalents } = parts;
  const matched = await matcher.match(request, webhook.criteria);
  if (matched === undefined) return undefined;
  const said = async (object: ApiObject | undefined) =>
    matched.other === undefined ? object : equivalents.convert(object, request.resource, matched.other);
  const found = { webhook, matched, object: await said(request.object), oldObject: await said(request.oldObject) };
  const conditions = webhook.conditions();
  if (conditions.length === 0) return found;
  const authorizer = new CelAuthorizer(parts.authorizer, request.user);
  const activation = {
    object: found.object ?? null,
    oldObject: found.oldObject ?? null,
    request: reviewRequest(request, matched),
    ...authorizerVariables(names, authorizer, request),
  };
  const outcome = await authorizer.settle(() => meetsConditions(conditions, activation));
  if ("error" in outcome) throw new CallError(outcome.error);
  return outcome.matches ? found : undefined;
}

/** What the webhook says. Fails with CallError, or with the refusal. */
export async function callWebhook(
  { names, client }: WebhookParts,
  request: AdmissionRequest,
  { webhook, matched, object, oldObject }: MatchedWebhook,
): Promise<ReviewAnswer> {
  if (request.dryRun && !webhook.dryRunSafe)
    throw badRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`);
  const version = reviewVersion(webhook.reviewVersions);
  if (version === undefined)
    throw new CallError("webhook does not accept known AdmissionReview versions (v1, v1beta1)");
  const uid = randomUUID();
  const review = buildReview(names, version, uid, reviewRequest(request, matched), object, oldObject);
  const answer = await ask(client, webhook, encodeJson(review as never));
  const read = readAnswer(names, version, uid, answer);
  request.warnings.push(...read.warnings);
  for (const [key, value] of read.auditAnnotations) request.auditAnnotations.set(`${webhook.name}/${key}`, value);
  if (!read.allowed) throw rejection(webhook.name, read.status);
  return read;
}

async function ask(client: WebhookParts["client"], webhook: Webhook, body: Uint8Array): Promise<Uint8Array> {
  const { timeoutMs } = webhook;
  let reply: Awaited<ReturnType<WebhookClient["post"]>>;
  try {
    const query = `timeout=${timeoutMs / 1000}s`;
    reply = await client.post(webhook.client, { body, timeoutMs, maxAnswerBytes: MAX_ANSWER_BYTES, query });
  } catch (error) {
    throw new CallError(`failed to call webhook: ${(error as Error).message}`);
  }
  if (reply.status < 200 || reply.status > 299) {
    throw new CallError(`failed to call webhook: the webhook answered with status ${reply.status}`);
  }
  return reply.body;
}

function readAnswer(names: Names, version: string, uid: string, body: Uint8Array): ReviewAnswer {
  try {
    return readReview(names, version, uid, body);
  } catch (error) {
    if (error instanceof ReviewError) throw new CallError(`received invalid webhook response: ${error.message}`);
    throw error;
  }
}

const FIRST_ERROR_CODE = 400;
const LAST_ERROR_CODE = 599;

/** The webhook's own words, as a failure whatever it says. */
function rejection(webhook: string, status: Readonly<Record<string, unknown>>): StatusError {
  const { code, message, reason, details } = status;
  const denied = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const words =
    typeof message === "string" && message !== ""
      ? `${denied}: ${message}`
      : typeof reason === "string" && reason !== ""
        ? `${denied}: ${reason}`
        : `${denied} without explanation`;
  const isError =
    typeof code === "number" && Number.isInteger(code) && code >= FIRST_ERROR_CODE && code <= LAST_ERROR_CODE;
  return new StatusError(
    isError ? code : FIRST_ERROR_CODE,
    (typeof reason === "string" ? reason : "") as StatusReason,
    words,
    typeof details === "object" && details !== null && !Array.isArray(details) ? (details as StatusDetails) : undefined,
  );
}
