// A definition as the server keeps it: a summary that is always there, and the whole, which is decoded when it is needed.

import { append } from "../../../base/append.ts";
import type { Steps } from "../../../base/steps.ts";
import type { FieldPath } from "../../../codec/field-picker.ts";
import { authorityBundleProblem } from "../../../kinds/apiextensions/authority-bundle.ts";
import type { CustomResourceDefinition } from "../../../kinds/apiextensions/custom-resource-definition.ts";
import type { CustomResourceDefinitionVersion } from "../../../kinds/apiextensions/custom-resource-definition-schema.ts";
import { compareVersions } from "../../../kinds/kind-registry.ts";
import { type FieldError, fieldErrorText } from "../../../meta/field-error.ts";
import type { ApiObject } from "../../../meta/object.ts";
import type { Props } from "../../../schema/crd-props.ts";
import { structuralErrors } from "../../../schema/structural.ts";

/** What is kept of every definition, used or not: small. */
export interface DefinitionSummary {
  /** `<plural>.<group>`. */
  readonly name: string;
  readonly uid: string;
  readonly group: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly names: DefinitionNames;
  readonly acceptedNames: DefinitionNames;
  readonly versions: readonly VersionSummary[];
  readonly storedVersions: readonly string[];
  readonly conversion: "None" | "Webhook";
  /** Not established yet, and nobody can trust the webhook that converts: it is not served. */
  readonly badAuthority: boolean;
  readonly terminating: boolean;
  /** Of the time before schemas were structural: nothing is pruned, whatever its schemas say. */
  readonly keepsUnknown: boolean;
  readonly conditions: readonly DefinitionCondition[];
  /** Of the approval that protected groups need. */
  readonly approval: string;
  readonly generation: number;
  readonly resourceVersion: string;
}

export interface DefinitionNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

export interface VersionSummary {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  /** Undefined when it is not deprecated. */
  readonly deprecation: string | undefined;
  readonly subresources: CustomResourceDefinitionVersion["subresources"];
  readonly selectableFields: CustomResourceDefinitionVersion["selectableFields"];
}

export interface DefinitionCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime?: string;
}

/** All that a summary is made of: the schemas, which may be large, are not. */
export const SUMMARY_FIELDS: readonly FieldPath[] = [
  ...["name", "uid", "deletionTimestamp", "annotations", "generation", "resourceVersion"].map((name) => [
    "metadata",
    name,
  ]),
  ...["group", "scope", "names", "conversion", "preserveUnknownFields"].map((name) => ["spec", name]),
  ...["name", "served", "storage", "deprecated", "deprecationWarning", "subresources", "selectableFields"].map(
    (name) => ["spec", "versions", name],
  ),
  ["status"],
];

export function summaryOf(object: ApiObject, approvedAnnotation: string): DefinitionSummary {
  const { metadata, spec, status } = asDefinition(object);
  const conditions = conditionsOf(status);
  return {
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    group: spec.group,
    scope: spec.scope === "Cluster" ? "Cluster" : "Namespaced",
    names: namesOf(spec.names),
    acceptedNames: namesOf(status?.acceptedNames ?? {}),
    versions: (spec.versions ?? []).map((version) =>
      versionSummary(version, spec.versions ?? [], spec.group, spec.names.kind),
    ),
    storedVersions: status?.storedVersions ?? [],
    conversion: spec.conversion?.strategy === "Webhook" ? "Webhook" : "None",
    badAuthority:
      !isEstablished({ conditions }) &&
      authorityBundleProblem(spec.conversion?.webhook?.clientConfig?.caBundle ?? "") !== undefined,
    terminating: metadata.deletionTimestamp !== undefined,
    keepsUnknown: spec.preserveUnknownFields === true,
    conditions,
    approval: metadata.annotations?.[approvedAnnotation] ?? "",
    generation: metadata.generation ?? 0,
    resourceVersion: metadata.resourceVersion ?? "",
  };
}

function conditionsOf(status: CustomResourceDefinition["status"]): DefinitionCondition[] {
  return (status?.conditions ?? []).map(({ type, status: verdict, reason, message, lastTransitionTime }) => ({
    type,
    status: verdict,
    reason: reason ?? "",
    message: message ?? "",
    ...(lastTransitionTime ? { lastTransitionTime } : {}),
  }));
}

/** What validation has let through is structural: only what is new, or was found not to be, is looked at. */
export function isJudged(definition: Pick<DefinitionSummary, "conditions">): boolean {
  return isEstablished(definition) && conditionOf(definition, NON_STRUCTURAL) === undefined;
}

export const NON_STRUCTURAL = "NonStructuralSchema";
const MAX_VIOLATIONS = 10;

/** Why its schemas are not structural; empty when they are. */
export function* violationsOf(object: ApiObject): Steps<string> {
  const errors: FieldError[] = [];
  for (const [i, { schema }] of (asDefinition(object).spec.versions ?? []).entries()) {
    const at = `spec.versions[${i}].schema.openAPIV3Schema`;
    if (schema?.openAPIV3Schema) append(errors, yield* structuralErrors(schema.openAPIV3Schema as Props, at));
    yield;
  }
  const texts = errors.slice(0, MAX_VIOLATIONS).map(fieldErrorText);
  return texts.length <= 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}

/** The stored bytes were written as this kind. */
export function asDefinition(object: ApiObject): CustomResourceDefinition {
  return object as unknown as CustomResourceDefinition;
}

function conditionOf(definition: Pick<DefinitionSummary, "conditions">, type: string): DefinitionCondition | undefined {
  return definition.conditions.find((condition) => condition.type === type);
}

export function isEstablished(definition: Pick<DefinitionSummary, "conditions">): boolean {
  return conditionOf(definition, "Established")?.status === "True";
}

/** Every stored object is kept in the storage version. */
export function isStoredInOneVersion(definition: Pick<DefinitionSummary, "versions" | "storedVersions">): boolean {
  const stored = storageVersionOf(definition);
  return definition.storedVersions.every((version) => version === stored);
}

export function storageVersionOf(definition: Pick<DefinitionSummary, "versions">): string {
  return definition.versions.find((version) => version.storage)?.name ?? "";
}

function namesOf(names: Partial<CustomResourceDefinition["spec"]["names"]>): DefinitionNames {
  return {
    plural: names.plural ?? "",
    singular: names.singular ?? "",
    kind: names.kind ?? "",
    listKind: names.listKind ?? "",
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
  };
}

function versionSummary(
  version: CustomResourceDefinitionVersion,
  all: readonly CustomResourceDefinitionVersion[],
  group: string,
  kind: string,
): VersionSummary {
  return {
    name: version.name,
    served: version.served,
    storage: version.storage,
    subresources: version.subresources,
    selectableFields: version.selectableFields,
    deprecation: version.deprecated
      ? (version.deprecationWarning ?? defaultWarning(version.name, all, group, kind))
      : undefined,
  };
}

/** Names the version to go to, when there is one that is served, not deprecated and not less stable. */
function defaultWarning(
  name: string,
  all: readonly CustomResourceDefinitionVersion[],
  group: string,
  kind: string,
): string {
  const text = `${group}/${name} ${kind} is deprecated`;
  const better = all
    .filter((other) => other.served && !other.deprecated && other.name !== name)
    .map((other) => other.name);
  const best = better.sort(compareVersions)[0];
  return best === undefined || compareVersions(best, name) > 0 ? text : `${text}; use ${group}/${best} ${kind}`;
}
