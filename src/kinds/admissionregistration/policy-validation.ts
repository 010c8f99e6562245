// Is a validating or mutating admission policy well-formed? In upstream's words.

import { append } from "../../base/append.ts";
import { equalJsonInSteps } from "../../base/json-in-steps.ts";
import { flatMapInSteps, type Pace, type Steps } from "../../base/steps.ts";
import { duplicate, type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { dns1035LabelProblems, dns1123SubdomainProblems, qualifiedNameProblems } from "../../meta/name-formats.ts";
import { checkFields, fieldErrors } from "../../schema/check-fields.ts";
import {
  BOOLEAN,
  type NamedExpression,
  type PolicyEnvironment,
  policyEnvironment,
  policyEnvironmentInSteps,
  TEXT,
  TEXT_OR_NULL,
} from "../../schema/policy-expressions.ts";
import { policyLiterals } from "../../schema/policy-literals.ts";
import type { HookContext } from "../define-kind.ts";
import { expressionError, expressionErrors, matchConditionErrors, scopeOf } from "./expression-validation.ts";
import { paramKind, variable } from "./match-resources.ts";
import { FAILURE_POLICIES, judgingPace, type Matching, matchResourcesErrors } from "./rule-validation.ts";
import {
  type AuditAnnotation,
  type ValidatingAdmissionPolicy,
  type Validation,
  validatingAdmissionPolicySpec,
  validation,
} from "./validating-admission-policy-schema.ts";
import type { MatchCondition } from "./webhook-schema.ts";

const MAX_VALUE_EXPRESSION_BYTES = 5 * 1024;
const REASONS = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

export function* validateValidatingPolicy(
  policy: ValidatingAdmissionPolicy,
  context: HookContext,
  old?: ValidatingAdmissionPolicy,
): Steps<FieldError[]> {
  const { spec } = policy;
  const stored = old !== undefined && (yield* equalJsonInSteps(spec, old.spec));
  const pace = judgingPace();
  const { environment, errors } = yield* policyErrors(spec, pace, stored, context);
  const validations = spec.validations ?? [];
  const annotations = spec.auditAnnotations ?? [];
  if (validations.length === 0 && annotations.length === 0) {
    const words = "validations or auditAnnotations must contain at least one item";
    return [...errors, required("spec.validations", words), required("spec.auditAnnotations", words)];
  }
  const ofValidations = flatMapInSteps(validations, pace, (one, index) =>
    validationErrors(one, `spec.validations[${index}]`, environment, pace),
  );
  append(errors, yield* ofValidations);
  checkFields(spec, validatingAdmissionPolicySpec, "spec", errors, ["auditAnnotations"]);
  const keys = new Set<string>();
  for (const [index, annotation] of annotations.entries()) {
    if (pace.due()) yield;
    const path = `spec.auditAnnotations[${index}]`;
    append(errors, yield* annotationErrors(annotation, path, policy.metadata.name ?? "", environment, pace));
    if (keys.has(annotation.key)) errors.push(duplicate(`${path}.key`, annotation.key));
    keys.add(annotation.key);
  }
  return errors;
}

interface PolicySpec {
  readonly failurePolicy?: string;
  readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string } | null;
  readonly matchConstraints?: Matching | null;
  readonly matchConditions?: readonly MatchCondition[] | null;
  readonly variables?: readonly NamedExpression[] | null;
}

/** What both kinds of policies have; and the environment of their other expressions. */
export function* policyErrors(
  spec: PolicySpec,
  pace: Pace,
  stored: boolean,
  context: HookContext,
  /** Of a policy that builds patches: the texts in which it does. */
  building?: readonly string[],
): Steps<{ environment: PolicyEnvironment; errors: FieldError[] }> {
  const errors: FieldError[] = [];
  if (spec.failurePolicy == null) errors.push(required("spec.failurePolicy"));
  else if (!FAILURE_POLICIES.includes(spec.failurePolicy))
    errors.push(notSupported("spec.failurePolicy", spec.failurePolicy, FAILURE_POLICIES));
  if (spec.paramKind != null) append(errors, paramKindErrors(spec.paramKind, "spec.paramKind"));
  if (spec.matchConstraints == null) errors.push(required("spec.matchConstraints"));
  else {
    append(errors, yield* matchResourcesErrors(spec.matchConstraints, "spec.matchConstraints", pace));
    // Without a rule there is no type that expressions could be checked against.
    if ((spec.matchConstraints.resourceRules ?? []).length === 0)
      errors.push(required("spec.matchConstraints.resourceRules"));
  }
  const variables = (spec.variables ?? []).filter(({ expression }) => expression.trim() !== "");
  const scope = scopeOf(context, { params: spec.paramKind != null, stored });
  const environment = yield* policyEnvironmentInSteps(
    building === undefined ? scope : { ...scope, jsonPatch: true, structs: policyLiterals(building) },
    variables,
    pace,
  );
  // Conditions come before variables are worked out.
  const early = policyEnvironment(scope);
  append(errors, yield* matchConditionErrors(spec.matchConditions, "spec.matchConditions", pace, () => early));
  const compiledOf = new Map(variables.map((one, index) => [one, environment.compiledVariables[index]]));
  for (const [index, given] of (spec.variables ?? []).entries()) {
    if (pace.due()) yield;
    const { expression } = given;
    const path = `spec.variables[${index}]`;
    checkFields(given, variable, path, errors);
    if (expression.trim() === "") errors.push(required(`${path}.expression`, "expression is not specified"));
    else {
      const compiled = compiledOf.get(given);
      if (compiled?.ok === false) errors.push(expressionError(`${path}.expression`, expression, compiled));
    }
  }
  return { environment, errors };
}

function paramKindErrors(given: { apiVersion?: string; kind?: string }, path: string): FieldError[] {
  return [
    ...apiVersionErrors(given.apiVersion ?? "", `${path}.apiVersion`),
    ...fieldErrors(given, paramKind, path, ["kind"]),
  ];
}

function apiVersionErrors(apiVersion: string, path: string): FieldError[] {
  if (apiVersion === "") return [required(path)];
  const parts = apiVersion.split("/", 3);
  if (parts.length > 2) return [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [group, version] = parts.length === 2 ? [parts[0]!, parts[1]!] : ["", parts[0]!];
  const errors: FieldError[] = [];
  const groupProblems = group === "" ? [] : dns1123SubdomainProblems(group);
  if (groupProblems.length > 0) errors.push(invalid(path, group, groupProblems.join(",")));
  const versionProblems = version === "" ? ["version must be specified"] : dns1035LabelProblems(version);
  if (versionProblems.length > 0) errors.push(invalid(path, version, versionProblems.join(",")));
  return errors;
}

function* validationErrors(
  given: Validation,
  path: string,
  environment: PolicyEnvironment,
  pace: Pace,
): Steps<FieldError[]> {
  const { expression, messageExpression, reason } = given;
  const errors: FieldError[] = [];
  if (expression.trim() === "") errors.push(required(`${path}.expression`, "expression is not specified"));
  else append(errors, yield* expressionErrors(environment, expression, `${path}.expression`, BOOLEAN, pace));
  if (messageExpression) {
    if (messageExpression.trim() === "")
      errors.push(invalid(`${path}.messageExpression`, messageExpression, "must be non-empty if specified"));
    else {
      const silent = environment.withoutAuthorizer();
      append(errors, yield* expressionErrors(silent, messageExpression, `${path}.messageExpression`, TEXT, pace));
    }
  }
  checkFields(given, validation, path, errors, ["message"]);
  if (reason != null && !REASONS.includes(reason)) errors.push(notSupported(`${path}.reason`, reason, REASONS));
  return errors;
}

function* annotationErrors(
  { key, valueExpression }: AuditAnnotation,
  path: string,
  policyName: string,
  environment: PolicyEnvironment,
  pace: Pace,
): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  if (policyName === "") errors.push(invalid(`${path}.key`, key, "requires metadata.name be non-empty"));
  else {
    const whole = `${policyName}/${key}`;
    for (const problem of qualifiedNameProblems(whole)) errors.push(invalid(`${path}.key`, whole, problem));
  }
  if (valueExpression.trim() === "")
    errors.push(required(`${path}.valueExpression`, "valueExpression is not specified"));
  else if (Buffer.byteLength(valueExpression) > MAX_VALUE_EXPRESSION_BYTES)
    errors.push(required(`${path}.valueExpression`, `must not exceed ${MAX_VALUE_EXPRESSION_BYTES} bytes in length`));
  else {
    const at = `${path}.valueExpression`;
    append(errors, yield* expressionErrors(environment, valueExpression, at, TEXT_OR_NULL, pace));
  }
  return errors;
}
