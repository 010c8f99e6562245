// Is a configuration of admission webhooks well-formed? In upstream's words.
// Requirements: document 1, table of removed API versions, row admissionregistration.

import { append } from "../../base/append.ts";
import { equalJson } from "../../base/json.ts";
import { atOnce, flatMapInSteps, Pace, type Steps } from "../../base/steps.ts";
import { duplicate, type FieldError, invalid, required } from "../../meta/field-error.ts";
import { dns1035LabelProblems } from "../../meta/name-formats.ts";
import { checkFields, fieldErrors } from "../../schema/check-fields.ts";
import { policyEnvironment } from "../../schema/policy-expressions.ts";
import type { StructSchema } from "../../schema/schema.ts";
import type { HookContext, KindHooks } from "../define-kind.ts";
import { validateLabelSelectorInSteps } from "../meta/selector-validation.ts";
import { checkOptionalWord } from "../meta/value-checks.ts";
import { webhookServiceErrors, webhookUrlErrors } from "../meta/webhook-client-validation.ts";
import { matchConditionErrors, scopeOf } from "./expression-validation.ts";
import { judgingPace, ruleErrors } from "./rule-validation.ts";
import type { Webhook } from "./webhook-members.ts";
import type { MatchCondition } from "./webhook-schema.ts";

interface Configuration {
  readonly webhooks?: readonly Webhook[];
}

const REVIEW_VERSIONS = ["v1", "v1beta1"];
const NO_SIDE_EFFECTS = ["None", "NoneOnDryRun"];
const SIDE_EFFECTS = [...NO_SIDE_EFFECTS, "Some", "Unknown"];

/** The hooks of a kind whose webhooks are such structs. */
export function webhookHooks(
  structOf: () => StructSchema,
): Pick<KindHooks<Configuration>, "validate" | "validateUpdate"> {
  return {
    validate: (configuration, context) => webhookErrors(configuration, structOf(), STRICT, context),
    // What was wrong before and is unchanged may stay, so that stored objects can still be written.
    *validateUpdate(configuration, old, context) {
      const lenience = lenienceAfter(configuration, old);
      yield;
      return yield* webhookErrors(configuration, structOf(), lenience, context);
    },
  };
}

/** What a stored configuration already has, and may therefore keep. */
interface Lenience {
  readonly sideEffects: boolean;
  readonly unknownReviewVersions: boolean;
  readonly repeatedNames: boolean;
  readonly badSelectors: boolean;
  /** The conditions of every webhook are what they were: nobody looks at them again. */
  readonly sameConditions: boolean;
  /** Expressions that may use all that this version knows. */
  readonly storedExpressions: ReadonlySet<string>;
}

const STRICT: Lenience = {
  sideEffects: false,
  unknownReviewVersions: false,
  repeatedNames: false,
  badSelectors: false,
  sameConditions: false,
  storedExpressions: new Set(),
};

const NEVER_DUE = new Pace(Number.POSITIVE_INFINITY);

function lenienceAfter(now: Configuration, old: Configuration): Lenience {
  const before = webhooksOf(old);
  const after = webhooksOf(now);
  return {
    sideEffects: before.some(({ sideEffects }) => sideEffects == null || !NO_SIDE_EFFECTS.includes(sideEffects)),
    unknownReviewVersions: before.some(
      ({ admissionReviewVersions: versions }) => (versions ?? []).length > 0 && !isRecognized(versions),
    ),
    repeatedNames: new Set(before.map(({ name }) => name)).size < before.length,
    badSelectors: before.some((webhook) => atOnce(selectorErrors(webhook, "", NEVER_DUE, false)).length > 0),
    sameConditions:
      before.length === after.length &&
      before.every((webhook, index) => equalJson(conditionsOf(webhook), conditionsOf(after[index]!))),
    storedExpressions: new Set(before.flatMap(conditionsOf).map(({ expression }) => expression)),
  };
}

function* webhookErrors(
  now: Configuration,
  struct: StructSchema,
  lenience: Lenience,
  context: HookContext,
): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  const pace = judgingPace();
  for (const [index, webhook] of webhooksOf(now).entries()) {
    if (pace.due()) yield;
    const path = `webhooks[${index}]`;
    const { name } = webhook;
    append(errors, yield* oneWebhookErrors(webhook, struct, path, lenience, pace));
    if (!lenience.sameConditions) append(errors, yield* conditionErrors(webhook, path, lenience, context, pace));
    append(errors, reviewVersionErrors(webhook, `${path}.admissionReviewVersions`, !lenience.unknownReviewVersions));
    if (name !== "" && seen.has(name) && !lenience.repeatedNames) errors.push(duplicate(`${path}.name`, name));
    seen.add(name);
  }
  return errors;
}

const webhooksOf = ({ webhooks }: Configuration): readonly Webhook[] => webhooks ?? [];

const conditionsOf = ({ matchConditions }: Webhook): readonly MatchCondition[] => matchConditions ?? [];

const isRecognized = (versions: readonly string[] | undefined | null): boolean =>
  (versions ?? []).some((version) => REVIEW_VERSIONS.includes(version));

function* oneWebhookErrors(
  webhook: Webhook,
  struct: StructSchema,
  path: string,
  lenience: Lenience,
  pace: Pace,
): Steps<FieldError[]> {
  const errors = fieldErrors(webhook, struct, path, ["name"]);
  const ofRules = flatMapInSteps(webhook.rules ?? [], pace, (rule, index) =>
    ruleErrors(rule, `${path}.rules[${index}]`),
  );
  append(errors, yield* ofRules);
  checkFields(webhook, struct, path, errors, ["failurePolicy", "matchPolicy"]);
  const sideEffects = lenience.sideEffects ? SIDE_EFFECTS : NO_SIDE_EFFECTS;
  if (webhook.sideEffects == null) {
    errors.push(required(`${path}.sideEffects`, `must specify one of ${sideEffects.join(", ")}`));
  } else checkOptionalWord(errors, `${path}.sideEffects`, webhook.sideEffects, sideEffects);
  checkFields(webhook, struct, path, errors, ["timeoutSeconds"]);
  append(errors, yield* selectorErrors(webhook, path, pace, lenience.badSelectors));
  if (struct.fields.has("reinvocationPolicy")) checkFields(webhook, struct, path, errors, ["reinvocationPolicy"]);
  append(errors, clientErrors(webhook, `${path}.clientConfig`));
  return errors;
}

function* selectorErrors(webhook: Webhook, path: string, pace: Pace, anyValues: boolean): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  for (const field of ["namespaceSelector", "objectSelector"] as const) {
    const selector = webhook[field];
    if (selector == null) continue;
    append(errors, yield* validateLabelSelectorInSteps(selector, `${path}.${field}`, pace, { anyValues }));
  }
  return errors;
}

function* conditionErrors(
  webhook: Webhook,
  path: string,
  { storedExpressions }: Lenience,
  context: HookContext,
  pace: Pace,
): Steps<FieldError[]> {
  const conditions = conditionsOf(webhook);
  if (conditions.length === 0) return [];
  const environment = (stored: boolean) => policyEnvironment(scopeOf(context, { params: false, stored }));
  const fresh = environment(false);
  const stored = storedExpressions.size === 0 ? fresh : environment(true);
  return yield* matchConditionErrors(conditions, `${path}.matchConditions`, pace, (expression) =>
    storedExpressions.has(expression) ? stored : fresh,
  );
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
