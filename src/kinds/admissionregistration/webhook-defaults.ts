// Defaults of admission webhooks and policies.

import type { LabelSelector } from "../meta/label-selector.ts";
import type { MatchResources } from "./match-resources.ts";
import type { RuleWithOperations, WebhookClientConfig } from "./webhook-schema.ts";

interface Webhook {
  clientConfig: WebhookClientConfig;
  rules?: RuleWithOperations[];
  failurePolicy?: "Fail" | "Ignore";
  matchPolicy?: "Equivalent" | "Exact";
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  timeoutSeconds?: number;
}

const HTTPS_PORT = 443;
const TIMEOUT_SECONDS = 10;

export function defaultWebhook(webhook: Webhook): void {
  webhook.failurePolicy ??= "Fail";
  webhook.matchPolicy ??= "Equivalent";
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= TIMEOUT_SECONDS;
  if (webhook.clientConfig.service) webhook.clientConfig.service.port ??= HTTPS_PORT;
  defaultRules(webhook.rules);
}

/** The selectors and rules of a policy, in any version. */
type Matching = Omit<MatchResources, "matchPolicy"> & { matchPolicy?: string };

export function defaultMatchResources(match: Matching): void {
  match.matchPolicy ??= "Equivalent";
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  defaultRules(match.resourceRules);
  defaultRules(match.excludeResourceRules);
}

function defaultRules(rules: readonly { scope?: string }[] | undefined): void {
  for (const rule of rules ?? []) rule.scope ??= "*";
}
