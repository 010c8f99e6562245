// What a PersistentVolume must look like: its place never changes, most of the rest does not either.

import { cloneJson, equalJson } from "../../../base/json.ts";
import { type FieldError, forbiddenField, invalid, required } from "../../../meta/field-error.ts";
import type { Names } from "../../../meta/names.ts";
import { checkImmutable } from "../../apps/workload-validation.ts";
import type { HookContext } from "../../define-kind.ts";
import { internalForm } from "../../meta/internal-form.ts";
import { IMMUTABLE } from "../../meta/value-checks.ts";
import { internalDiff } from "../pod/update-validation.ts";
import { deprecatedLabel } from "../pod/warnings.ts";
import { type PersistentVolume, type VolumeNodeAffinity, volumeNodeAffinity } from "./schema.ts";
import { type PersistentVolumeSource, persistentVolumeSource } from "./source.ts";
import { validateVolumeSpec } from "./spec-validation.ts";

export const validatePersistentVolume = ({ spec }: PersistentVolume, context: HookContext): FieldError[] =>
  validateVolumeSpec(spec, "spec", context);

export function validatePersistentVolumeUpdate(
  volume: PersistentVolume,
  old: PersistentVolume,
  context: HookContext,
): FieldError[] {
  const whole = validatePersistentVolume(volume, context);
  // Upstream judges the volume, and then the change, which is all of it.
  const errors = [...whole, ...whole];
  checkSameSource(volume, old, errors);
  checkImmutable(volume.spec.volumeMode, old.spec.volumeMode, "volumeMode", errors);
  checkSameAffinity(volume.spec.nodeAffinity, old.spec.nodeAffinity, context.names, errors);
  const [name, before] = [volume.spec.volumeAttributesClassName, old.spec.volumeAttributesClassName];
  if (name === before) return errors;
  const field = "spec.volumeAttributesClassName";
  if (!context.gateEnabled("VolumeAttributesClass")) {
    const detail = "update is forbidden when the VolumeAttributesClass feature gate is disabled";
    errors.push(forbiddenField(field, detail));
  } else if (name === undefined) {
    errors.push(forbiddenField(field, "update from non-nil value to nil is forbidden"));
  }
  return errors;
}

export const validatePersistentVolumeStatus = ({ metadata }: PersistentVolume): FieldError[] =>
  metadata.resourceVersion ? [] : [required("resourceVersion")];

const OLD_SOURCES: readonly (readonly [keyof PersistentVolumeSource, string, string?])[] = [
  ["photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "deprecated in v1.22, non-functional in v1.25+", "storageOS"],
  ["glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "deprecated in v1.28, non-functional in v1.31+"],
  ["cephfs", "deprecated in v1.28, non-functional in v1.31+"],
];

export function warnPersistentVolume(
  { metadata, spec }: PersistentVolume,
  _old: PersistentVolume | undefined,
  { names }: HookContext,
): string[] {
  const warnings: string[] = [];
  const say = (annotation: string, detail: string) => {
    if (!Object.hasOwn(metadata.annotations ?? {}, annotation)) return;
    warnings.push(`metadata.annotations[${annotation}]: ${detail}`);
  };
  say(names.betaStorageClassAnnotation, USE_CLASS_NAME);
  say(names.mountOptionsAnnotation, 'deprecated since v1.31; use "mountOptions" attribute instead');
  if (spec.persistentVolumeReclaimPolicy === "Recycle") {
    const advice = "Instead, the recommended approach is to use dynamic provisioning.";
    warnings.push(`spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. ${advice}`);
  }
  for (const [key, message, name = key] of OLD_SOURCES) if (spec[key]) warnings.push(`spec.${name}: ${message}`);
  (spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).forEach(({ matchExpressions }, term) => {
    (matchExpressions ?? []).forEach(({ key }, index) => {
      const message = deprecatedLabel(key, names);
      if (message === undefined) return;
      const field = `spec.nodeAffinity.required.nodeSelectorTerms[${term}].matchExpressions[${index}].key`;
      warnings.push(`${field}: ${key} is ${message}`);
    });
  });
  return warnings;
}

export const USE_CLASS_NAME = 'deprecated since v1.8; use "storageClassName" attribute instead';

function checkSameSource(volume: PersistentVolume, old: PersistentVolume, errors: FieldError[]): void {
  const source = sourceOf(volume);
  const before = cloneJson(sourceOf(old));
  // A secret for growing the volume may be added later.
  if (before.csi && source.csi?.controllerExpandSecretRef) {
    before.csi.controllerExpandSecretRef ??= source.csi.controllerExpandSecretRef;
  }
  if (equalJson(source, before)) return;
  const diff = internalDiff(before, source, persistentVolumeSource);
  const detail = `spec.persistentvolumesource is immutable after creation\n${diff}`;
  errors.push(forbiddenField("spec.persistentvolumesource", detail));
}

function sourceOf({ spec }: PersistentVolume): PersistentVolumeSource {
  const source: Record<string, unknown> = {};
  for (const key of persistentVolumeSource.fields.keys()) {
    const member = spec[key as keyof PersistentVolumeSource];
    if (member !== undefined) source[key] = member;
  }
  return source as PersistentVolumeSource;
}

/** Once set it stays, but labels of nodes may take their new names. */
function checkSameAffinity(
  affinity: VolumeNodeAffinity | undefined,
  old: VolumeNodeAffinity | undefined,
  names: Names,
  errors: FieldError[],
): void {
  if (!old || equalJson(affinity, old)) return;
  const renamed = new Map([
    [names.betaZoneLabel, names.zoneLabel],
    [names.betaRegionLabel, names.regionLabel],
    [names.betaOsLabel, names.osLabel],
    [names.betaArchLabel, names.archLabel],
    [names.betaInstanceTypeLabel, names.instanceTypeLabel],
  ]);
  const before = cloneJson(old);
  (before.required?.nodeSelectorTerms ?? []).forEach(({ matchExpressions }, term) => {
    const now = affinity?.required?.nodeSelectorTerms?.[term]?.matchExpressions ?? [];
    (matchExpressions ?? []).forEach((expression, index) => {
      const newName = renamed.get(expression.key);
      if (newName !== undefined && now[index]?.key === newName) expression.key = newName;
    });
  });
  if (equalJson(affinity, before)) return;
  const shown = affinity ? internalForm(affinity, volumeNodeAffinity) : null;
  errors.push(invalid("nodeAffinity", shown, `${IMMUTABLE}, except for updating from beta label to GA`));
}
