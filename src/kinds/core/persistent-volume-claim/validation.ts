// What a PersistentVolumeClaim must look like: once made, only what a bound claim may ask for changes.

import { cloneJson, equalJson } from "../../../base/json.ts";
import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../../meta/field-error.ts";
import { qualifiedNameProblems } from "../../../meta/name-formats.ts";
import type { Names } from "../../../meta/names.ts";
import { checkImmutable } from "../../apps/workload-validation.ts";
import type { HookContext } from "../../define-kind.ts";
import { addProblems, IMMUTABLE } from "../../meta/value-checks.ts";
import { checkBasicAmount } from "../persistent-volume/spec-validation.ts";
import { USE_CLASS_NAME } from "../persistent-volume/validation.ts";
import { isNativeResource } from "../pod/resource-names.ts";
import { internalDiff } from "../pod/update-validation.ts";
import { checkResourceAmount, compareAmounts } from "../resource-amount-validation.ts";
import { type PersistentVolumeClaim, persistentVolumeClaimSpec } from "./schema.ts";
import { type ClaimRules, validateClaimSpec, warnClaimSpec } from "./spec-validation.ts";

export const validateClaim = ({ spec }: PersistentVolumeClaim): FieldError[] => validateClaimSpec(spec, "spec");

export function validateClaimUpdate(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  context: HookContext,
): FieldError[] {
  const whole = validateClaimSpec(claim.spec, "spec", forgivenOf(old));
  // Upstream judges the claim, and then the change, which is all of it.
  const errors = [...whole, ...whole];
  checkSameSpec(claim, old, context, errors);
  checkNotSmaller(claim, old, errors);
  checkImmutable(claim.spec.volumeMode, old.spec.volumeMode, "volumeMode", errors);
  checkAttributesClass(claim, old, context, errors);
  return errors;
}

const RESIZE_STATUSES = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
];

export function validateClaimStatus(
  { metadata, spec, status }: PersistentVolumeClaim,
  _old: PersistentVolumeClaim,
  { names }: HookContext,
): FieldError[] {
  const errors: FieldError[] = [];
  if (!metadata.resourceVersion) errors.push(required("resourceVersion"));
  if (!spec.accessModes?.length) errors.push(required("Spec.accessModes"));
  for (const [name, amount] of Object.entries(status.capacity ?? {})) {
    checkBasicAmount(errors, `status.capacity[${name}]`, amount);
  }
  for (const [name, word] of Object.entries(status.allocatedResourceStatuses ?? {})) {
    const field = "status.allocatedResourceStatuses";
    checkStorageName(name, field, names, errors);
    if (!RESIZE_STATUSES.includes(word)) errors.push(notSupported(field, name, RESIZE_STATUSES));
  }
  for (const [name, amount] of Object.entries(status.allocatedResources ?? {})) {
    const field = "status.allocatedResources";
    const count = errors.length;
    checkStorageName(name, field, names, errors);
    // One finding for each amount.
    if (errors.length === count) checkBasicAmount(errors, `${field}[${name}]`, amount);
    if (errors.length === count) checkResourceAmount(errors, `${field}[${name}]`, "storage", amount, names);
  }
  return errors;
}

export function warnClaim(
  { metadata, spec }: PersistentVolumeClaim,
  _old: PersistentVolumeClaim | undefined,
  { names }: HookContext,
): string[] {
  const { betaStorageClassAnnotation: annotation } = names;
  const isOld = Object.hasOwn(metadata.annotations ?? {}, annotation);
  return [...(isOld ? [`metadata.annotations[${annotation}]: ${USE_CLASS_NAME}`] : []), ...warnClaimSpec(spec, "spec")];
}

/** A stored claim keeps what an older release let through. */
function forgivenOf({ spec }: PersistentVolumeClaim): ClaimRules {
  const found = validateClaimSpec(spec, "spec");
  return {
    anyValues: found.some(({ field }) => field.startsWith("spec.selector.")),
    // As upstream has it: whoever named a group names what it likes, and its spec cannot change anyway.
    anyGroup: Boolean(spec.dataSource?.apiGroup || spec.dataSourceRef?.apiGroup),
  };
}

function checkSameSpec(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  { names }: HookContext,
  errors: FieldError[],
): void {
  const [spec, before] = [cloneJson(claim.spec), cloneJson(old.spec)];
  // A claim is bound to its volume once.
  if (!before.volumeName && spec.volumeName) before.volumeName = spec.volumeName;
  const { betaStorageClassAnnotation: annotation } = names;
  const [noted, notedBefore] = [claim.metadata.annotations?.[annotation], old.metadata.annotations?.[annotation]];
  const isUnset = before.storageClassName === undefined;
  const movedFromAnnotation =
    notedBefore !== undefined &&
    isUnset &&
    spec.storageClassName === notedBefore &&
    (noted === undefined || noted === notedBefore);
  if (movedFromAnnotation) delete spec.storageClassName;
  else {
    if ((noted ?? "") !== (notedBefore ?? "")) {
      errors.push(invalid(`metadata.annotations.${annotation}`, noted ?? "", IMMUTABLE));
    }
    // A claim without a class gets the default one when there is one.
    if (isUnset && notedBefore === undefined) delete spec.storageClassName;
  }
  if (claim.status.phase === "Bound") {
    const size = before.resources.requests?.["storage"];
    if (spec.resources.requests && size !== undefined) spec.resources.requests["storage"] = size;
    if (before.volumeAttributesClassName === undefined) delete spec.volumeAttributesClassName;
    else spec.volumeAttributesClassName = before.volumeAttributesClassName;
  }
  if (equalJson(spec, before)) return;
  const rule =
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
  const diff = internalDiff(before, spec, persistentVolumeClaimSpec);
  errors.push(forbiddenField("spec", `${rule}\n${diff}`));
}

/** A claim may ask for less again as long as that is more than it has. */
function checkNotSmaller(claim: PersistentVolumeClaim, old: PersistentVolumeClaim, errors: FieldError[]): void {
  const [size, before] = [claim.spec.resources.requests?.["storage"] ?? "0", old.spec.resources.requests?.["storage"]];
  if (before === undefined || compareAmounts(size, before) >= 0) return;
  if (compareAmounts(size, old.status.capacity?.["storage"] ?? "0") > 0) return;
  errors.push(forbiddenField("spec.resources.requests.storage", "field can not be less than status.capacity"));
}

function checkAttributesClass(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  { gateEnabled }: HookContext,
  errors: FieldError[],
): void {
  const name = claim.spec.volumeAttributesClassName;
  if (name === old.spec.volumeAttributesClassName) return;
  const forbid = (detail: string) => errors.push(forbiddenField("spec.volumeAttributesClassName", detail));
  if (!gateEnabled("VolumeAttributesClass")) {
    forbid("update is forbidden when the VolumeAttributesClass feature gate is disabled");
  } else if (old.status.currentVolumeAttributesClassName !== undefined && !name) {
    const to = name === undefined ? "nil" : "empty string";
    forbid(`update to ${to} is forbidden when status.currentVolumeAttributesClassName is not nil`);
  }
}

/** Of the names that have no owner but us, only one. */
function checkStorageName(name: string, field: string, names: Names, errors: FieldError[]): void {
  const problems = qualifiedNameProblems(name);
  addProblems(errors, field, name, problems);
  if (problems.length === 0 && isNativeResource(name, names) && name !== "storage") {
    errors.push(notSupported(field, name, ["storage"]));
  }
}
