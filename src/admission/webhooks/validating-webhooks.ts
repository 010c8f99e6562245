// Admission: ValidatingAdmissionWebhook. All webhooks that a request concerns are asked at once; one refusal is enough.

import { internalError } from "../../meta/status-error.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../../registry/admission.ts";
import { isAdmissionConfiguration } from "../matching/matcher.ts";
import {
  CallError,
  callWebhook,
  type MatchedWebhook,
  matchWebhook,
  noted,
  type WebhookParts,
} from "./webhook-caller.ts";
import type { Webhook, WebhookSet } from "./webhook-set.ts";

export function validatingWebhooks(webhooks: WebhookSet, parts: WebhookParts): AdmissionPlugin {
  const { names } = parts;
  return {
    name: "ValidatingAdmissionWebhook",
    handles: (request) => webhooks.all().length > 0 && !isAdmissionConfiguration(names, request),
    async validate(request) {
      const concerned: MatchedWebhook[] = [];
      for (const webhook of webhooks.all()) {
        const matched = await matchWebhook(parts, request, webhook, "validate");
        if (matched !== undefined) concerned.push(matched);
      }
      const asked = concerned.map((matched, index) => judge(parts, request, matched, index));
      const outcomes = await Promise.allSettled(asked);
      // The first in order, whichever came first: the same request is answered with the same words.
      for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    },
  };
}

async function judge(
  parts: WebhookParts,
  request: AdmissionRequest,
  matched: MatchedWebhook,
  index: number,
): Promise<void> {
  const { webhook } = matched;
  try {
    await noted(parts, request, webhook, "validating", () => callWebhook(parts, request, matched, false));
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    if (!webhook.failsOpen) throw callFailure(webhook, error);
    const key = `${parts.names.failedOpenValidationAuditPrefix}round_0_index_${index}`;
    request.auditAnnotations.set(key, webhook.name);
  }
}

export function callFailure(webhook: Webhook, error: CallError) {
  return internalError(`failed calling webhook ${JSON.stringify(webhook.name)}: ${error.message}`);
}
