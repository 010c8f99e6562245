// Admission: MutatingAdmissionWebhook. One after the other, each sees what those before it have made of the object.

import { equalJson, type Json, type JsonObject } from "../../../base/json.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { badRequest, internalError } from "../../../meta/status-error.ts";
import { applyJsonPatch } from "../../../patch/json-patch.ts";
import { DecodeError } from "../../../schema/walk.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { hookContext, type WriteDeps } from "../../registry/write.ts";
import { type AdmissionPlugin, type AdmissionRequest, ONLY_ROUND } from "../admission.ts";
import { isAdmissionConfiguration } from "../matching/matcher.ts";
import { Reinvocation } from "./reinvocation.ts";
import type { ReviewAnswer } from "./review.ts";
import { callFailure } from "./validating-webhooks.ts";
import { CallError, callWebhook, type MatchedWebhook, matchWebhook, type WebhookParts } from "./webhook-caller.ts";
import type { Webhook, WebhookSet } from "./webhook-set.ts";

export interface MutatingParts extends WebhookParts {
  readonly writeDeps: () => WriteDeps;
}

export function mutatingWebhooks(webhooks: WebhookSet, parts: MutatingParts): AdmissionPlugin {
  const rounds = new WeakMap<AdmissionRequest, Reinvocation>();
  return {
    name: "MutatingAdmissionWebhook",
    handles: (request) => webhooks.all().length > 0 && !isAdmissionConfiguration(parts.names, request),
    async mutate(request, round = ONLY_ROUND) {
      const reinvocation = rounds.get(request) ?? new Reinvocation();
      rounds.set(request, reinvocation);
      if (round.again) reinvocation.startAgain(request.object);
      for (const [index, webhook] of webhooks.all().entries()) {
        if (round.again && !reinvocation.isDue(webhook.id)) continue;
        const outcome = await mutate(parts, request, webhook, `round_${round.again ? 1 : 0}_index_${index}`);
        if (outcome === "not concerned") continue;
        if (outcome === "changed") {
          reinvocation.demandEarlier();
          // The other plug-ins look at it again too.
          round.demandAnother();
        }
        if (webhook.reinvocable) reinvocation.remember(webhook.id);
      }
      reinvocation.finish(request.object);
    },
  };
}

async function mutate(
  parts: MutatingParts,
  request: AdmissionRequest,
  webhook: Webhook,
  place: string,
): Promise<"not concerned" | "changed" | "unchanged"> {
  const { names } = parts;
  try {
    const matched = await matchWebhook(parts, request, webhook);
    if (matched === undefined) return "not concerned";
    const answer = await callWebhook(parts, request, matched);
    const changed = answer.patch.length > 0 && (await apply(parts, request, matched, answer));
    const note = { configuration: webhook.configuration, webhook: webhook.name, mutated: changed };
    request.auditAnnotations.set(names.mutationWebhookAuditPrefix + place, JSON.stringify(note));
    return changed ? "changed" : "unchanged";
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    if (!webhook.failsOpen) throw callFailure(webhook, error);
    request.auditAnnotations.set(names.failedOpenMutationAuditPrefix + place, webhook.name);
    return "unchanged";
  }
}

/** True when the object is another one now. */
async function apply(
  parts: MutatingParts,
  request: AdmissionRequest,
  { webhook, matched, object }: MatchedWebhook,
  { patch }: ReviewAnswer,
): Promise<boolean> {
  const name = JSON.stringify(webhook.name);
  if (object === undefined) {
    throw internalError(
      `admission webhook ${name} attempted to modify the object, which is not supported for this operation`,
    );
  }
  let patched: Json;
  try {
    patched = applyJsonPatch(object as unknown as Json, patch);
  } catch (error) {
    const cause = (error as Error).cause;
    throw internalError(cause instanceof Error ? cause.message : (error as Error).message);
  }
  const next = await reshape(parts, request, matched, patched as JsonObject);
  const { metadata: before } = request.object!;
  if ((next.metadata.namespace ?? "") !== (before.namespace ?? ""))
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  // Who owns which field is the server's book: webhooks do not write in it.
  if (before.managedFields === undefined) delete next.metadata.managedFields;
  else next.metadata.managedFields = before.managedFields;
  if (equalJson(next, request.object)) return false;
  request.object = next;
  return true;
}

/** Bodies of sub-resources are taken as they come: their handlers look at them again. */
async function reshape(
  { equivalents, writeDeps }: MutatingParts,
  request: AdmissionRequest,
  matched: MatchedWebhook["matched"],
  patched: JsonObject,
): Promise<ApiObject> {
  const served = matched.other ?? equivalents.find(request.resource);
  const isItself = served !== undefined && patched["kind"] === served.kind.kind;
  if (!isItself) return { ...patched, metadata: { ...(patched["metadata"] as JsonObject) } } as unknown as ApiObject;
  const object = shape(served, patched);
  served.rules.default(object, hookContext(writeDeps(), request));
  if (matched.other === undefined) return object;
  const own = equivalents.find(request.resource)!;
  const { group, kind } = matched.other;
  return (await equivalents.convert(object, { group, version: kind.version, resource: kind.resource }, own))!;
}

/** A webhook may have made something of the object that its kind cannot be. */
function shape({ rules }: ServedResource, patched: JsonObject): ApiObject {
  try {
    const { object } = rules.shape(patched);
    object.metadata ??= {};
    return object;
  } catch (error) {
    if (error instanceof DecodeError) throw internalError(error.message);
    throw error;
  }
}
