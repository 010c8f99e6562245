// ResourceQuota: the most that a namespace may use in all.

import { equalJson } from "../../base/json.ts";
import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { sortedKeys } from "../../schema/sorted-keys.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type HookContext } from "../define-kind.ts";
import { internalForm } from "../meta/internal-form.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { IMMUTABLE } from "../meta/value-checks.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { isHugePage, isStandardResource } from "./pod/resource-names.ts";
import { checkResourceName } from "./pod/resource-validation.ts";
import { checkResourceAmount } from "./resource-amount-validation.ts";
import { roundResourceList } from "./resource-list.ts";

export type ResourceQuota = ObjectOf<typeof resourceQuotaSchema>;

const resourceQuotaSchema = objectSchema("core.v1.ResourceQuota", "The most that a namespace may use in all.", () => ({
  spec: opt.of(resourceQuotaSpec, 2, "The limits."),
  status: opt.of(resourceQuotaStatus, 3, "The limits in force, and what is used of them."),
}));

export const resourceQuota = defineKind({
  group: "",
  version: "v1",
  kind: "ResourceQuota",
  resource: "resourcequotas",
  scope: "Namespaced",
  shortNames: ["quota"],
  schema: resourceQuotaSchema,
  unconditionalUpdate: true,
  returnDeletedObject: true,
  columns: [
    NAME_COLUMN,
    { name: "Request", type: "string", cell: (quota) => quotaCell(quota, "requests") },
    { name: "Limit", type: "string", cell: (quota) => quotaCell(quota, "limits") },
    AGE_COLUMN,
  ],
  subresources: { status: { ...statusSubresource<ResourceQuota>(), validateUpdate: validateResourceQuotaStatus } },
  hooks: {
    default({ spec, status }) {
      roundResourceList(spec.hard);
      roundResourceList(status.hard);
      roundResourceList(status.used);
    },
    prepareForCreate(quota) {
      quota.status = {};
    },
    prepareForUpdate: keepStatus,
    validate: validateResourceQuota,
    validateUpdate: validateResourceQuotaUpdate,
  },
});

const QUOTA_SCOPES = [
  "BestEffort",
  "CrossNamespacePodAffinity",
  "NotBestEffort",
  "NotTerminating",
  "PriorityClass",
  "Terminating",
  "VolumeAttributesClass",
] as const;

export type ResourceQuotaSpec = ObjectOf<typeof resourceQuotaSpec>;

const resourceQuotaSpec = s.struct(
  "core.v1.ResourceQuotaSpec",
  "The limits of a quota, and for which objects they count.",
  () => ({
    hard: opt.map(
      "quantity",
      1,
      "The most of each resource, such as `requests.cpu`, `pods` or `count/<resource>.<group>`.",
      { alias: "ResourceList" },
    ),
    scopes: opt.atomic(
      s.enumValue(QUOTA_SCOPES),
      2,
      "Sorts of pods or claims to which the quota is restricted; all must match. Not set, everything counts.",
      { alias: "ResourceQuotaScope" },
    ),
    scopeSelector: ptr.of(scopeSelector, 3, "Like `scopes`, with values; both must match."),
  }),
);

const scopeSelector = s.struct(
  "core.v1.ScopeSelector",
  "Selects the objects for which a quota counts.",
  { mapType: "atomic" },
  () => ({
    matchExpressions: opt.atomic(scopedResourceSelectorRequirement, 1, "Requirements, all of which must hold."),
  }),
);

const scopedResourceSelectorRequirement = s.struct(
  "core.v1.ScopedResourceSelectorRequirement",
  "A requirement for one scope.",
  () => ({
    scopeName: s.enumOf(
      "ResourceQuotaScope",
      QUOTA_SCOPES,
      1,
      "The scope. Only `PriorityClass` and `VolumeAttributesClass` have values.",
    ),
    operator: s.enumOf(
      "ScopeSelectorOperator",
      ["DoesNotExist", "Exists", "In", "NotIn"],
      2,
      "`In` and `NotIn` a list of values, `Exists` and `DoesNotExist` for the scope alone.",
    ),
    values: opt.atomic("string", 3, "At least one for `In` and `NotIn`, none for the others."),
  }),
);

const resourceQuotaStatus = s.struct(
  "core.v1.ResourceQuotaStatus",
  "The limits of a quota and what is used of them.",
  () => ({
    hard: opt.map("quantity", 1, "The limits that are enforced, by resource.", { alias: "ResourceList" }),
    used: opt.map("quantity", 2, "What is used in the namespace now, by resource.", { alias: "ResourceList" }),
  }),
);

function validateResourceQuota({ spec, status }: ResourceQuota, context: HookContext): FieldError[] {
  const errors = validateSpec(spec, context);
  checkAmounts(status.hard, "status.hard", context, errors);
  checkAmounts(status.used, "status.used", context, errors);
  return errors;
}

function validateResourceQuotaUpdate({ spec }: ResourceQuota, old: ResourceQuota, context: HookContext): FieldError[] {
  const errors = validateSpec(spec, context);
  const sorted = (scopes: readonly string[] | undefined) => [...new Set(scopes)].sort();
  if (!equalJson(sorted(spec.scopes), sorted(old.spec.scopes))) {
    errors.push(invalid("spec.scopes", spec.scopes ?? null, IMMUTABLE));
  }
  return errors;
}

function validateResourceQuotaStatus(
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

/** How many resources of the quota each scope does not cover. There are few scopes, however often they are named. */
function uncoveredBy({ hard }: ResourceQuotaSpec): (scope: string) => number {
  const limited = Object.keys(hard ?? {}).filter((name) => isQuotaResource(name) || isHugePage(name));
  const counts = new Map<string, number>();
  return (scope) => {
    if (!SCOPES.has(scope)) return 0;
    let count = counts.get(scope);
    if (count === undefined) {
      count = limited.filter((name) => !scopeCovers(scope, name)).length;
      counts.set(scope, count);
    }
    return count;
  };
}

/** Every scope may be wrong for every resource: further findings would tell nobody more. */
const MAX_FINDINGS = 1000;

function checkScopes(spec: ResourceQuotaSpec, errors: FieldError[]): void {
  const scopes: readonly string[] = spec.scopes ?? [];
  const say = (detail: string) => errors.push(invalid("spec.scopes", scopes, detail));
  const uncovered = uncoveredBy(spec);
  for (const scope of scopes) {
    if (errors.length >= MAX_FINDINGS) return;
    if (!SCOPES.has(scope)) say("unsupported scope");
    for (let count = Math.min(uncovered(scope), MAX_FINDINGS); count > 0; count--)
      say("unsupported scope applied to resource");
  }
  for (let count = conflicts(new Set(scopes)); count > 0; count--) say("conflicting scopes");
}

const MUST_EXIST =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function checkSelector(spec: ResourceQuotaSpec, errors: FieldError[]): void {
  if (!spec.scopeSelector) return;
  const at = "spec.scopeSelector.matchExpressions";
  let shown: unknown;
  const say = (detail: string) => {
    shown ??= internalForm(spec.scopeSelector, scopeSelector);
    errors.push(invalid(at, shown, detail));
  };
  const uncovered = uncoveredBy(spec);
  const requirements = spec.scopeSelector.matchExpressions ?? [];
  for (const { scopeName, operator, values } of requirements) {
    if (errors.length >= MAX_FINDINGS) return;
    if (!SCOPES.has(scopeName)) errors.push(invalid(`${at}.scopeName`, scopeName, "unsupported scope"));
    for (let count = Math.min(uncovered(scopeName), MAX_FINDINGS); count > 0; count--)
      say("unsupported scope applied to resource");
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

/** `cpu: 1/2, memory: 1Gi/4Gi`; limits are the resources named so, requests all others. */
function quotaCell({ status }: ResourceQuota, which: "requests" | "limits"): string {
  const hard = status.hard ?? {};
  return sortedKeys(hard)
    .filter((name) => name.startsWith("limits.") === (which === "limits"))
    .map((name) => `${name}: ${status.used?.[name] ?? "0"}/${hard[name]}`)
    .join(", ");
}
