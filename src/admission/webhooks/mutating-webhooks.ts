// Admission: MutatingAdmissionWebhook. One after the other, each sees what those before it have made of the object.

import type { Json, JsonObject } from "../../base/json.ts";
import type { Steps } from "../../base/steps.ts";
import { encodeJsonPlainInSteps } from "../../codec/json.ts";
import { internalError } from "../../meta/status-error.ts";
import { applyJsonPatchInSteps, type JsonPatchOperation } from "../../patch/json-patch.ts";
import { type AdmissionPlugin, type AdmissionRequest, ONLY_ROUND } from "../../registry/admission.ts";
import type { WriteDeps } from "../../registry/write.ts";
import { isAdmissionConfiguration } from "../matching/matcher.ts";
import { replaceObject } from "../matching/replace-object.ts";
import { soon } from "../matching/soon.ts";
import { Reinvocation } from "./reinvocation.ts";
import { decodePatch, ReviewError } from "./review.ts";
import { callFailure } from "./validating-webhooks.ts";
import {
  CallError,
  callWebhook,
  type MatchedWebhook,
  matchWebhook,
  noted,
  type WebhookParts,
} from "./webhook-caller.ts";
import type { Webhook, WebhookSet } from "./webhook-set.ts";

interface MutatingParts extends WebhookParts {
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
      if (round.again) await soon(reinvocation.startAgain(request.object), request);
      for (const [index, webhook] of webhooks.all().entries()) {
        if (round.again && !reinvocation.isDue(webhook.id)) continue;
        const outcome = await mutate(parts, request, webhook, `round_${round.again ? 1 : 0}_index_${index}`);
        if (outcome === "not concerned") continue;
        if (outcome === "changed") {
          reinvocation.demandEarlier();
          // The other plug-ins look at it again too.
          round.requestReinvocation();
        }
        if (webhook.reinvocable) reinvocation.remember(webhook.id);
      }
      await soon(reinvocation.finish(request.object), request);
    },
  };
}

async function mutate(
  parts: MutatingParts,
  request: AdmissionRequest,
  webhook: Webhook,
  place: string,
): Promise<"not concerned" | "changed" | "unchanged"> {
  const matched = await matchWebhook(parts, request, webhook, "admit");
  if (matched === undefined) return "not concerned";
  const { names } = parts;
  let changed = false;
  try {
    changed = await noted(parts, request, webhook, "admit", () => callAndApply(parts, request, matched, place));
    return changed ? "changed" : "unchanged";
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    if (!webhook.failsOpen) throw callFailure(webhook, error);
    request.auditAnnotations.set(names.failedOpenMutationAuditPrefix + place, webhook.name);
    return "unchanged";
  } finally {
    const note = { configuration: webhook.configuration, webhook: webhook.name, mutated: changed };
    request.auditAnnotations.set(names.mutationWebhookAuditPrefix + place, JSON.stringify(note));
  }
}

/** True when the object is another one now. */
async function callAndApply(
  parts: MutatingParts,
  request: AdmissionRequest,
  matched: MatchedWebhook,
  place: string,
): Promise<boolean> {
  const { webhook } = matched;
  const { patch: bytes, patchType } = await callWebhook(parts, request, matched, true);
  if (bytes === undefined) return false;
  const patch = await soon(readPatch(bytes), request);
  if (patch.length === 0) return false;
  if (patchType !== "JSONPatch") throw new CallError(`unsupported patch type ${JSON.stringify(patchType)}`);
  const changed = await apply(parts, request, matched, patch);
  const note = { configuration: webhook.configuration, webhook: webhook.name, patch, patchType: "JSONPatch" };
  const text = Buffer.from(await soon(encodeJsonPlainInSteps(note), request)).toString();
  request.auditAnnotations.set(parts.names.patchWebhookAuditPrefix + place, text);
  return changed;
}

function* readPatch(bytes: Uint8Array): Steps<readonly JsonPatchOperation[]> {
  try {
    return yield* decodePatch(bytes);
  } catch (error) {
    if (!(error instanceof ReviewError)) throw error;
    throw new CallError(`received undecodable patch in webhook response: ${error.message}`);
  }
}

async function apply(
  parts: MutatingParts,
  request: AdmissionRequest,
  { webhook, matched, object }: MatchedWebhook,
  patch: readonly JsonPatchOperation[],
): Promise<boolean> {
  if (object === undefined) {
    throw internalError(
      `admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object, which is not supported for this operation`,
    );
  }
  let patched: Json;
  try {
    const replaceSets = parts.names.dialect !== "platform";
    patched = await soon(applyJsonPatchInSteps(object as unknown as Json, patch, { replaceSets }), request);
  } catch (error) {
    const { cause, message } = error as Error;
    throw internalError(typeof cause === "string" ? cause : message);
  }
  return replaceObject(parts, request, matched, patched as JsonObject);
}
