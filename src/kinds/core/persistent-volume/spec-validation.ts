// What a volume must look like: as an object of its own, and inline in an attachment.

import { posix } from "node:path";
import { append } from "../../../base/append.ts";
import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../../meta/field-error.ts";
import { dns1123SubdomainProblems } from "../../../meta/name-formats.ts";
import { parseQuantity, quantityToInteger } from "../../../meta/quantity.ts";
import { checkFields } from "../../../schema/check-fields.ts";
import type { HookContext } from "../../define-kind.ts";
import { addProblems, checkOptionalWord } from "../../meta/value-checks.ts";
import { validateNodeSelector } from "../node-selector-validation.ts";
import { checkAccessModes } from "../persistent-volume-claim/spec-validation.ts";
import { checkAmountPositive, signOf } from "../resource-amount-validation.ts";
import { type PersistentVolumeSpec, persistentVolumeSpec, type VolumeNodeAffinity } from "./schema.ts";
import { checkVolumeSources } from "./source-validation.ts";

const INLINE = "in the context of inline volumes";
const NOT_INLINE = `may not be specified ${INLINE}`;

export function validateVolumeSpec(spec: PersistentVolumeSpec, at: string, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  checkModes(spec, at, errors);
  checkCapacity(spec.capacity ?? {}, `${at}.capacity`, spec.capacity, errors);
  const policy = spec.persistentVolumeReclaimPolicy ?? "";
  const policies = ["Delete", "Recycle", "Retain"];
  if (policy !== "") checkOptionalWord(errors, `${at}.persistentVolumeReclaimPolicy`, policy, policies);
  checkNodeAffinity(spec.nodeAffinity, `${at}.nodeAffinity`, errors);
  checkSources(spec, at, context, errors, Boolean(spec.nodeAffinity));
  checkRecycled(spec, at, errors);
  checkFields(spec, persistentVolumeSpec, at, errors, ["storageClassName", "volumeMode"]);
  checkAttributesClass(spec, at, errors);
  return errors;
}

/** Of an inline volume the attachment needs the driver's part only. */
export function validateInlineVolumeSpec(spec: PersistentVolumeSpec, at: string, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.claimRef) errors.push(forbiddenField(`${at}.claimRef`, NOT_INLINE));
  if (Object.keys(spec.capacity ?? {}).length > 0) errors.push(forbiddenField(`${at}.capacity`, NOT_INLINE));
  if (!spec.csi) errors.push(required(`${at}.csi`, `has to be specified ${INLINE}`));
  checkModes(spec, at, errors);
  const policy = spec.persistentVolumeReclaimPolicy ?? "";
  if (policy !== "" && policy !== "Retain") {
    errors.push(forbiddenField(`${at}.persistentVolumeReclaimPolicy`, `may only be Retain ${INLINE}`));
  }
  if (spec.nodeAffinity) errors.push(forbiddenField(`${at}.nodeAffinity`, NOT_INLINE));
  checkSources(spec, at, context, errors, false);
  checkRecycled(spec, at, errors);
  if (spec.storageClassName) errors.push(forbiddenField(`${at}.storageClassName`, NOT_INLINE));
  if (spec.volumeMode !== undefined && spec.volumeMode !== "Filesystem") {
    errors.push(forbiddenField(`${at}.volumeMode`, `may not specify volumeMode other than Filesystem ${INLINE}`));
  }
  return errors;
}

function checkModes({ accessModes }: PersistentVolumeSpec, at: string, errors: FieldError[]): void {
  if (!accessModes?.length) errors.push(required(`${at}.accessModes`));
  checkAccessModes(accessModes ?? [], `${at}.accessModes`, errors);
}

function checkCapacity(
  capacity: Readonly<Record<string, string>>,
  field: string,
  shown: unknown,
  errors: FieldError[],
): void {
  const names = Object.keys(capacity);
  if (names.length === 0) errors.push(required(field));
  if (!Object.hasOwn(capacity, "storage") || names.length > 1) {
    errors.push(notSupported(field, shown ?? null, ["storage"]));
  }
  for (const name of names) {
    const amount = capacity[name]!;
    checkBasicAmount(errors, `${field}[${name}]`, amount);
    checkAmountPositive(errors, `${field}[${name}]`, amount);
  }
}

/** Upstream shows the whole number here, not the text. */
export function checkBasicAmount(errors: FieldError[], field: string, amount: string): void {
  if (signOf(amount) >= 0) return;
  const whole = Number(quantityToInteger(parseQuantity(amount)!));
  errors.push(invalid(field, whole, "must be a valid resource quantity"));
}

function checkNodeAffinity(affinity: VolumeNodeAffinity | undefined, at: string, errors: FieldError[]): void {
  if (!affinity) return;
  if (affinity.required) append(errors, validateNodeSelector(affinity.required, `${at}.required`));
  else errors.push(required(`${at}.required`, "must specify required node constraints"));
}

function checkSources(
  spec: PersistentVolumeSpec,
  at: string,
  context: HookContext,
  errors: FieldError[],
  hasAffinity: boolean,
): void {
  const found: FieldError[] = [];
  const count = checkVolumeSources(spec, at, context, found);
  append(errors, found);
  if (count === 0) errors.push(required(at, "must specify a volume type"));
  // One that stands behind another source is told that alone.
  const isSecond = found.some(({ field }) => field === `${at}.local`);
  if (spec.local && !isSecond && !hasAffinity) {
    errors.push(required(`${at}.nodeAffinity`, "Local volume requires node affinity"));
  }
}

function checkRecycled(spec: PersistentVolumeSpec, at: string, errors: FieldError[]): void {
  if (spec.persistentVolumeReclaimPolicy !== "Recycle" || !spec.hostPath || !isRoot(spec.hostPath.path)) return;
  const detail = "may not be 'recycle' for a hostPath mount of '/'";
  errors.push(forbiddenField(`${at}.persistentVolumeReclaimPolicy`, detail));
}

function checkAttributesClass(spec: PersistentVolumeSpec, at: string, errors: FieldError[]): void {
  const { volumeAttributesClassName: name } = spec;
  if (name === undefined) return;
  const field = `${at}.volumeAttributesClassName`;
  if (name === "") errors.push(required(field, "an empty string is disallowed"));
  else addProblems(errors, field, name, dns1123SubdomainProblems(name));
  if (!spec.csi) errors.push(required(`${at}.csi`, "has to be specified when using volumeAttributesClassName"));
}

const isRoot = (path: string): boolean => posix.normalize(path).replace(/\/+$/, "") === "";
