// Admission: ValidatingAdmissionWebhook. All webhooks that a request concerns are asked at once; one refusal is enough.

import { internalError } from "../../../meta/status-error.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../admission.ts";
import { isAdmissionConfiguration } from "../matching/matcher.ts";
import { CallError, callWebhook, matchWebhook, type WebhookParts } from "./webhook-caller.ts";
import type { Webhook, WebhookSet } from "./webhook-set.ts";

export function validatingWebhooks(webhooks: WebhookSet, parts: WebhookParts): AdmissionPlugin {
  const { names } = parts;
  return {
    name: "ValidatingAdmissionWebhook",
    handles: (request) => webhooks.all().length > 0 && !isAdmissionConfiguration(names, request),
    async validate(request) {
      let index = -1;
      const asked = webhooks.all().map((webhook) => judge(parts, request, webhook, () => ++index));
      const outcomes = await Promise.allSettled(asked);
      // The first in order, whichever came first: the same request is answered with the same words.
      for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    },
  };
}

async function judge(
  parts: WebhookParts,
  request: AdmissionRequest,
  webhook: Webhook,
  nextIndex: () => number,
): Promise<void> {
  try {
    const matched = await matchWebhook(parts, request, webhook);
    if (matched !== undefined) await callWebhook(parts, request, matched);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    if (!webhook.failsOpen) throw callFailure(webhook, error);
    const key = `${parts.names.failedOpenValidationAuditPrefix}round_0_index_${nextIndex()}`;
    request.auditAnnotations.set(key, webhook.name);
  }
}

export function callFailure(webhook: Webhook, error: CallError) {
  return internalError(`failed calling webhook ${JSON.stringify(webhook.name)}: ${error.message}`);
}
