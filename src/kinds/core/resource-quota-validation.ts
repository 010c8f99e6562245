// What a ResourceQuota must look like.

import { equalJson } from "../../base/json.ts";
import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import type { HookContext } from "../define-kind.ts";
import { internalForm } from "../meta/internal-form.ts";
import { IMMUTABLE } from "../meta/value-checks.ts";
import { isHugePage, isStandardResource } from "./pod-resource-names.ts";
import { checkResourceName } from "./pod-resource-validation.ts";
import { checkResourceAmount } from "./resource-amount-validation.ts";
import { type ResourceQuota, type ResourceQuotaSpec, scopeSelector } from "./resource-quota-schema.ts";

export function validateResourceQuota({ spec, status }: ResourceQuota, context: HookContext): FieldError[] {
  const errors = validateSpec(spec, context);
  checkAmounts(status.hard, "status.hard", context, errors);
  checkAmounts(status.used, "status.used", context, errors);
  return errors;
}

export function validateResourceQuotaUpdate(
  { spec }: ResourceQuota,
  old: ResourceQuota,
  context: HookContext,
): FieldError[] {
  const errors = validateSpec(spec, context);
  const sorted = (scopes: readonly string[] | undefined) => [...new Set(scopes)].sort();
  if (!equalJson(sorted(spec.scopes), sorted(old.spec.scopes))) {
    errors.push(invalid("scopes", spec.scopes ?? null, IMMUTABLE));
  }
  return errors;
}

export function validateResourceQuotaStatus(
  { metadata, status }: ResourceQuota,
  _old: ResourceQuota,
  context: HookContext,
): FieldError[] {
  const errors = metadata.resourceVersion ? [] : [required("resourceVersion")];
  checkAmounts(status.hard, "status.hard", context, errors);
  checkAmounts(status.used, "status.used", context, errors);
  return errors;
}

function validateSpec(spec: ResourceQuotaSpec, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  checkAmounts(spec.hard, "spec.hard", context, errors);
  checkScopes(spec, errors);
  checkSelector(spec, errors);
  return errors;
}

function checkAmounts(
  amounts: Record<string, string> | undefined,
  field: string,
  context: HookContext,
  errors: FieldError[],
): void {
  for (const name in amounts) {
    const at = `${field}[${name}]`;
    checkResourceName(errors, at, name);
    if (!name.includes("/") && !isQuotaResource(name)) {
      errors.push(invalid(at, name, "must be a standard resource for quota"));
    }
    checkResourceAmount(errors, at, name, amounts[name]!, context.names);
  }
}

const isQuotaResource = (name: string): boolean => name !== "storage" && isStandardResource(name);

const CONFLICTS = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

const conflicts = (scopes: ReadonlySet<string>): number =>
  CONFLICTS.filter(([one, other]) => scopes.has(one) && scopes.has(other)).length;

const EXISTS_ONLY = ["BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity"];
const SCOPES = new Set([...EXISTS_ONLY, "PriorityClass", "VolumeAttributesClass"]);

const POD_AMOUNTS = new Set(["cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"]);

function scopeCovers(scope: string, name: string): boolean {
  switch (scope) {
    case "BestEffort":
      return name === "pods";
    case "VolumeAttributesClass":
      return name === "persistentvolumeclaims" || name === "requests.storage";
    default:
      return !SCOPES.has(scope) || name === "pods" || POD_AMOUNTS.has(name);
  }
}

const uncovered = (scope: string, { hard }: ResourceQuotaSpec): number =>
  Object.keys(hard ?? {}).filter((name) => (isQuotaResource(name) || isHugePage(name)) && !scopeCovers(scope, name))
    .length;

function checkScopes(spec: ResourceQuotaSpec, errors: FieldError[]): void {
  const scopes: readonly string[] = spec.scopes ?? [];
  const say = (detail: string) => errors.push(invalid("spec.scopes", scopes, detail));
  for (const scope of scopes) {
    if (!SCOPES.has(scope)) say("unsupported scope");
    for (let count = uncovered(scope, spec); count > 0; count--) say("unsupported scope applied to resource");
  }
  for (let count = conflicts(new Set(scopes)); count > 0; count--) say("conflicting scopes");
}

const MUST_EXIST =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function checkSelector(spec: ResourceQuotaSpec, errors: FieldError[]): void {
  if (!spec.scopeSelector) return;
  const at = "spec.scopeSelector.matchExpressions";
  const say = (detail: string) => errors.push(invalid(at, internalForm(spec.scopeSelector, scopeSelector), detail));
  const requirements = spec.scopeSelector.matchExpressions ?? [];
  for (const { scopeName, operator, values } of requirements) {
    if (!SCOPES.has(scopeName)) errors.push(invalid(`${at}.scopeName`, scopeName, "unsupported scope"));
    for (let count = uncovered(scopeName, spec); count > 0; count--) say("unsupported scope applied to resource");
    if (EXISTS_ONLY.includes(scopeName) && operator !== "Exists") {
      errors.push(invalid(`${at}.operator`, operator, MUST_EXIST));
    }
    checkOperator(operator, values ?? [], at, errors);
  }
  const scopes = new Set(requirements.map(({ scopeName }) => scopeName));
  for (let count = conflicts(scopes); count > 0; count--) say("conflicting scopes");
}

function checkOperator(operator: string, values: readonly string[], at: string, errors: FieldError[]): void {
  switch (operator) {
    case "In":
    case "NotIn": {
      const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
      if (values.length === 0) errors.push(required(`${at}.values`, detail));
      return;
    }
    case "Exists":
    case "DoesNotExist": {
      const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
      if (values.length > 0) errors.push(invalid(`${at}.values`, values, detail));
      return;
    }
    default:
      errors.push(invalid(`${at}.operator`, operator, "not a valid selector operator"));
  }
}
