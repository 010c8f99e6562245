// What a claim to storage asks for: in claims themselves, and in the templates of claims that pods and sets carry.

import { append } from "../../../base/append.ts";
import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../../meta/field-error.ts";
import { dns1123LabelProblems, dns1123SubdomainProblems } from "../../../meta/name-formats.ts";
import { parseQuantity, quantitySign } from "../../../meta/quantity.ts";
import { checkFields } from "../../../schema/check-fields.ts";
import { type SelectorRules, validateLabelSelector } from "../../meta/selector-validation.ts";
import { addProblems, checkRequired } from "../../meta/value-checks.ts";
import { isWhole } from "../pod/resource-names.ts";
import { type PersistentVolumeClaimSpec, persistentVolumeClaimSpec } from "./schema.ts";

export interface ClaimRules extends SelectorRules {
  /** The stored claim names a group already: it is not judged again. */
  readonly anyGroup?: boolean;
}

const ACCESS_MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const ALONE = "ReadWriteOncePod";

export function validateClaimSpec(spec: PersistentVolumeClaimSpec, at: string, rules: ClaimRules = {}): FieldError[] {
  const errors: FieldError[] = [];
  const modes = spec.accessModes ?? [];
  if (modes.length === 0) errors.push(required(`${at}.accessModes`, "at least 1 access mode is required"));
  if (spec.selector) append(errors, validateLabelSelector(spec.selector, `${at}.selector`, rules));
  checkAccessModes(modes, `${at}.accessModes`, errors);
  checkStorage(spec.resources.requests?.["storage"], `${at}.resources[storage]`, errors);
  checkFields(spec, persistentVolumeClaimSpec, at, errors, ["storageClassName", "volumeMode"]);
  checkDataSources(spec, at, rules, errors);
  checkFields(spec, persistentVolumeClaimSpec, at, errors, ["volumeAttributesClassName"]);
  return errors;
}

/** Amounts that storage cannot have, for a warning. */
export function warnClaimSpec(spec: PersistentVolumeClaimSpec, at: string): string[] {
  const warnings: string[] = [];
  for (const part of ["requests", "limits"] as const) {
    const amount = spec.resources[part]?.["storage"];
    if (amount === undefined || isWhole(amount)) continue;
    const field = `${at}.resources.${part}[storage]`;
    warnings.push(`${field}: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`);
  }
  return warnings;
}

export function checkAccessModes(modes: readonly string[], field: string, errors: FieldError[]): void {
  for (const mode of modes) if (!ACCESS_MODES.includes(mode)) errors.push(notSupported(field, mode, ACCESS_MODES));
  const shared = modes.some((mode) => mode !== ALONE && ACCESS_MODES.includes(mode));
  if (shared && modes.includes(ALONE)) {
    errors.push(forbiddenField(field, "may not use ReadWriteOncePod with other access modes"));
  }
}

function checkStorage(amount: string | undefined, field: string, errors: FieldError[]): void {
  if (amount === undefined) {
    errors.push(required(field));
    return;
  }
  const quantity = parseQuantity(amount);
  if (quantity !== undefined && quantitySign(quantity) <= 0) {
    errors.push(invalid(field, amount, "must be greater than zero"));
  }
}

function checkDataSources(spec: PersistentVolumeClaimSpec, at: string, rules: ClaimRules, errors: FieldError[]): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource) checkDataSource(dataSource, `${at}.dataSource`, rules, errors);
  if (dataSourceRef) {
    checkDataSource(dataSourceRef, `${at}.dataSourceRef`, rules, errors);
    const { namespace } = dataSourceRef;
    if (namespace) addProblems(errors, `${at}.dataSourceRef.namespace`, namespace, dns1123LabelProblems(namespace));
  }
  if (!dataSource || !dataSourceRef) return;
  // Upstream shows the field here, which has nothing to show.
  if (dataSourceRef.namespace) {
    errors.push(invalid(at, {}, "may not be specified when dataSourceRef.namespace is specified"));
  } else if (
    dataSource.apiGroup !== dataSourceRef.apiGroup ||
    dataSource.kind !== dataSourceRef.kind ||
    dataSource.name !== dataSourceRef.name
  ) {
    errors.push(invalid(at, {}, "must match dataSourceRef"));
  }
}

function checkDataSource(
  source: { apiGroup: string | null; kind: string; name: string },
  at: string,
  { anyGroup }: ClaimRules,
  errors: FieldError[],
): void {
  checkRequired(errors, `${at}.name`, source.name);
  checkRequired(errors, `${at}.kind`, source.kind);
  if (!source.apiGroup) {
    const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    if (source.kind !== "PersistentVolumeClaim") errors.push(invalid(at, source.kind, detail));
  } else if (!anyGroup) {
    addProblems(errors, `${at}.apiGroup`, source.apiGroup, dns1123SubdomainProblems(source.apiGroup));
  }
}
