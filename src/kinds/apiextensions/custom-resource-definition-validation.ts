// Validation of CustomResourceDefinition, in upstream's words. Requirements: document 1, "Removed API versions".

import { append } from "../../base/append.ts";
import { equalJsonInSteps } from "../../base/json-in-steps.ts";
import { flatMapInSteps, Pace, type Steps } from "../../base/steps.ts";
import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { fieldErrors } from "../../schema/check-fields.ts";
import { additionalOf, itemsOf, type Props, propertiesOf } from "../../schema/crd-props.ts";
import type { HookContext } from "../define-kind.ts";
import { differentNames } from "../meta/value-checks.ts";
import { approvalErrors } from "./api-approval-validation.ts";
import { type ConversionLeniency, conversionErrors, leniencyOf } from "./conversion-validation.ts";
import {
  type CustomResourceDefinition,
  type CustomResourceDefinitionNames,
  type CustomResourceDefinitionSpec,
  customResourceDefinitionNames,
  customResourceDefinitionSpec,
} from "./custom-resource-definition-schema.ts";
import { versionErrors } from "./definition-version-validation.ts";

export function* validateDefinition(definition: CustomResourceDefinition, context: HookContext): Steps<FieldError[]> {
  const { metadata, spec } = definition;
  return [
    ...differentNames(metadata, `${spec.names.plural}.${spec.group}`, 'must be spec.names.plural+"."+spec.group'),
    ...(yield* specErrors(spec, undefined, leniencyOf(undefined, false), context)),
    ...(yield* statusErrors(definition)),
    ...approvalErrors(definition, undefined, context.names),
    ...(spec.preserveUnknownFields ? [PRESERVES, ...(hasDefaults(spec) ? [PRESERVES_DEFAULTS] : [])] : []),
  ];
}

export function* validateDefinitionUpdate(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
  context: HookContext,
): Steps<FieldError[]> {
  const { spec } = definition;
  const established =
    old.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") ?? false;
  return [
    ...(yield* specErrors(spec, old.spec, leniencyOf(old.spec.conversion ?? undefined, established), context)),
    ...(established
      ? [
          ...immutable(spec.scope, old.spec.scope, "spec.scope"),
          ...immutable(spec.names.kind, old.spec.names.kind, "spec.names.kind"),
        ]
      : []),
    // These make the name of the definition, which never changes.
    ...immutable(spec.group, old.spec.group, "spec.group"),
    ...immutable(spec.names.plural, old.spec.names.plural, "spec.names.plural"),
    ...(yield* statusErrors(definition)),
    ...approvalErrors(definition, old, context.names),
    ...(spec.preserveUnknownFields && !old.spec.preserveUnknownFields ? [PRESERVES] : []),
    ...(spec.preserveUnknownFields && hasDefaults(spec) ? [PRESERVES_DEFAULTS] : []),
  ];
}

/** Through the status sub-resource. */
export function validateDefinitionStatus({ status }: CustomResourceDefinition): FieldError[] {
  return [...acceptedNamesErrors(status)];
}

const PRESERVES = invalid(
  "spec.preserveUnknownFields",
  true,
  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
);

const PRESERVES_DEFAULTS = invalid(
  "spec.preserveUnknownFields",
  true,
  "must be false in order to use defaults in the schema",
);

function hasDefaults({ versions }: CustomResourceDefinitionSpec): boolean {
  return (versions ?? []).some(({ schema }) => schema?.openAPIV3Schema && anyDefault(schema.openAPIV3Schema as Props));
}

function anyDefault(props: Props): boolean {
  if (props.default !== undefined) return true;
  const inner = [itemsOf(props), additionalOf(props), ...propertiesOf(props).map(([, property]) => property)];
  return inner.some((each) => each !== undefined && anyDefault(each));
}

function immutable(value: string, old: string, path: string): FieldError[] {
  return value === old ? [] : [invalid(path, value, "field is immutable")];
}

function* specErrors(
  spec: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec | undefined,
  lenient: ConversionLeniency,
  context: HookContext,
): Steps<FieldError[]> {
  const errors = fieldErrors(spec, customResourceDefinitionSpec, "spec");
  // What did not change was accepted once; rules that became stricter since do not lock a definition up.
  const unchanged = old !== undefined && (yield* equalJsonInSteps(spec.versions, old.versions));
  for (const found of versionErrors(spec, old, context, unchanged)) {
    if (found === undefined) yield;
    else errors.push(found);
  }
  yield;
  for (const key of ["plural", "singular", "kind", "listKind"] as const) {
    if ((spec.names[key] ?? "") === "") errors.push(required(`spec.names.${key}`));
  }
  append(errors, [...namesErrors(spec.names, "spec.names")]);
  append(errors, [...conversionErrors(spec.conversion ?? undefined, "spec.conversion", lenient)]);
  return errors;
}

function* namesErrors(names: CustomResourceDefinitionNames, at: string): Generator<FieldError> {
  const struct = customResourceDefinitionNames;
  yield* fieldErrors(names, struct, at, ["plural", "singular", "kind", "listKind", "shortNames"]);
  if (names.kind !== "" && names.kind === names.listKind)
    yield invalid(`${at}.listKind`, names.listKind, "kind and listKind may not be the same");
  yield* fieldErrors(names, struct, at, ["categories"]);
}

const STORED_VERSIONS_PER_STEP = 250;

function* statusErrors({ spec, status }: CustomResourceDefinition): Steps<FieldError[]> {
  const at = "status.storedVersions";
  const errors = [...acceptedNamesErrors(status)];
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) {
    errors.push(invalid(at, status?.storedVersions ?? null, "must have at least one stored version"));
    return errors;
  }
  const declared = new Set<string>();
  const known = new Set(stored);
  for (const { name, storage } of spec.versions ?? []) {
    declared.add(name);
    // Found once: a second version of the same name is not there.
    if (!known.delete(name) && storage) errors.push(invalid(at, stored, `must have the storage version ${name}`));
  }
  yield;
  const ofVersions = flatMapInSteps(stored, new Pace(STORED_VERSIONS_PER_STEP), (name, i) =>
    declared.has(name) ? [] : [invalid(`${at}[${i}]`, name, undeclared(name))],
  );
  append(errors, yield* ofVersions);
  return errors;
}

const undeclared = (name: string): string =>
  `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a ` +
  `storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;

function* acceptedNamesErrors(status: CustomResourceDefinition["status"]): Generator<FieldError> {
  if (status?.acceptedNames) yield* namesErrors(status.acceptedNames, "status.acceptedNames");
}
