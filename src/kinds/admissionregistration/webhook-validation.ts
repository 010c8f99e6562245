// Is a configuration of admission webhooks well-formed? In upstream's words.
// Requirements: document 1, table of removed API versions, row admissionregistration.

import { equalJson } from "../../base/json.ts";
import { duplicate, type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { dns1035LabelProblems, fullyQualifiedNameProblems } from "../../meta/name-formats.ts";
import { policyEnvironment } from "../../schema/policy-expressions.ts";
import type { HookContext } from "../define-kind.ts";
import { validateLabelSelector } from "../meta/selector-validation.ts";
import { webhookServiceErrors, webhookUrlErrors } from "../meta/webhook-client-validation.ts";
import { matchConditionErrors, scopeOf } from "./expression-validation.ts";
import type { MutatingWebhook, MutatingWebhookConfiguration } from "./mutating-webhook-configuration.ts";
import { FAILURE_POLICIES, MATCH_POLICIES, ruleErrors } from "./rule-validation.ts";
import type { ValidatingWebhook, ValidatingWebhookConfiguration } from "./validating-webhook-configuration.ts";

type Configuration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration;
type Webhook = ValidatingWebhook & Pick<MutatingWebhook, "reinvocationPolicy">;

const REVIEW_VERSIONS = ["v1", "v1beta1"];
const SIDE_EFFECTS = ["None", "NoneOnDryRun"];
const REINVOCATION_POLICIES = ["IfNeeded", "Never"];
const MAX_TIMEOUT_SECONDS = 30;

export function validateWebhooks(configuration: Configuration, context: HookContext): FieldError[] {
  return webhookErrors(configuration, undefined, context);
}

/** What was wrong before and is unchanged may stay, so that stored objects can still be written. */
export function validateWebhooksUpdate(
  configuration: Configuration,
  old: Configuration,
  context: HookContext,
): FieldError[] {
  return webhookErrors(configuration, old, context);
}

function webhookErrors(now: Configuration, old: Configuration | undefined, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  const wasUnique = old === undefined || hasUniqueNames(old);
  const recognizedBefore =
    old === undefined || webhooksOf(old).every(({ admissionReviewVersions }) => isRecognized(admissionReviewVersions));
  const oldConditions = old === undefined ? [] : webhooksOf(old).map(({ matchConditions }) => matchConditions ?? []);
  webhooksOf(now).forEach((webhook, index) => {
    const path = `webhooks[${index}]`;
    const stored = oldConditions.some((conditions) => equalJson(conditions, webhook.matchConditions ?? []));
    errors.push(...oneWebhookErrors(webhook, path, stored, context));
    errors.push(...reviewVersionErrors(webhook, `${path}.admissionReviewVersions`, recognizedBefore));
    if (seen.has(webhook.name) && wasUnique) errors.push(duplicate(`${path}.name`, webhook.name));
    seen.add(webhook.name);
  });
  return errors;
}

const webhooksOf = ({ webhooks }: Configuration): readonly Webhook[] => webhooks ?? [];

function hasUniqueNames(configuration: Configuration): boolean {
  const names = webhooksOf(configuration).map(({ name }) => name);
  return new Set(names).size === names.length;
}

const isRecognized = (versions: readonly string[] | undefined | null): boolean =>
  (versions ?? []).some((version) => REVIEW_VERSIONS.includes(version));

function oneWebhookErrors(webhook: Webhook, path: string, stored: boolean, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  const choice = (field: string, value: string | undefined | null, supported: readonly string[]) => {
    if (value != null && !supported.includes(value)) errors.push(notSupported(`${path}.${field}`, value, supported));
  };
  if (webhook.name === "") errors.push(required(`${path}.name`));
  else
    for (const problem of fullyQualifiedNameProblems(webhook.name))
      errors.push(invalid(`${path}.name`, webhook.name, problem));
  (webhook.rules ?? []).forEach((rule, index) => {
    errors.push(...ruleErrors(rule, `${path}.rules[${index}]`));
  });
  choice("failurePolicy", webhook.failurePolicy, FAILURE_POLICIES);
  choice("matchPolicy", webhook.matchPolicy, MATCH_POLICIES);
  if ((webhook.sideEffects ?? "") === "") {
    errors.push(required(`${path}.sideEffects`, `must specify one of ${SIDE_EFFECTS.join(", ")}`));
  } else choice("sideEffects", webhook.sideEffects, SIDE_EFFECTS);
  const { timeoutSeconds } = webhook;
  if (timeoutSeconds != null && (timeoutSeconds < 1 || timeoutSeconds > MAX_TIMEOUT_SECONDS)) {
    errors.push(
      invalid(`${path}.timeoutSeconds`, timeoutSeconds, "the timeout value must be between 1 and 30 seconds"),
    );
  }
  if (webhook.namespaceSelector != null)
    errors.push(...validateLabelSelector(webhook.namespaceSelector, `${path}.namespaceSelector`));
  if (webhook.objectSelector != null)
    errors.push(...validateLabelSelector(webhook.objectSelector, `${path}.objectSelector`));
  choice("reinvocationPolicy", webhook.reinvocationPolicy, REINVOCATION_POLICIES);
  errors.push(...clientErrors(webhook, `${path}.clientConfig`));
  const environment = policyEnvironment(scopeOf(context, { params: false, namespaceObject: false, stored }));
  errors.push(...matchConditionErrors(webhook.matchConditions, `${path}.matchConditions`, environment));
  return errors;
}

function clientErrors({ clientConfig: { url, service } }: Webhook, path: string): FieldError[] {
  if ((url == null) === (service == null)) return [required(path, "exactly one of url or service is required")];
  return url != null
    ? [...webhookUrlErrors(url, `${path}.url`)]
    : [...webhookServiceErrors(service!, `${path}.service`)];
}

function reviewVersionErrors(webhook: Webhook, path: string, mustKnowOne: boolean): FieldError[] {
  const versions = webhook.admissionReviewVersions ?? [];
  if (versions.length === 0) return [required(path, `must specify one of ${REVIEW_VERSIONS.join(", ")}`)];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  versions.forEach((version, index) => {
    if (seen.has(version)) errors.push(invalid(`${path}[${index}]`, version, "duplicate version"));
    else
      for (const problem of dns1035LabelProblems(version)) errors.push(invalid(`${path}[${index}]`, version, problem));
    seen.add(version);
  });
  if (mustKnowOne && !isRecognized(versions))
    errors.push(invalid(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(", ")}`));
  return errors;
}
