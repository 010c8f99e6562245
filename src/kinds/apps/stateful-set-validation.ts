// Stateful sets: what they must say, what may change.

import { append } from "../../base/append.ts";
import { equalJsonInSteps } from "../../base/json-in-steps.ts";
import { flatMapInSteps, Pace, type Steps } from "../../base/steps.ts";
import { type FieldError, forbiddenField, invalid, required } from "../../meta/field-error.ts";
import { validateAnnotations, validateLabels } from "../../meta/metadata-validation.ts";
import { checkFields } from "../../schema/check-fields.ts";
import { validateClaimSpec, warnClaimSpec } from "../core/persistent-volume-claim/spec-validation.ts";
import { validatePodAnnotations } from "../core/pod/annotation-validation.ts";
import type { PodTemplateSpec } from "../core/pod/template-schema.ts";
import { validatePodTemplateSpec } from "../core/pod/template-validation.ts";
import { podRules } from "../core/pod/validation-rules.ts";
import { warnPodTemplate } from "../core/pod/warnings.ts";
import type { Volume } from "../core/volumes/volume.ts";
import type { HookContext } from "../define-kind.ts";
import { internalForm } from "../meta/internal-form.ts";
import { checkNotNegative } from "../meta/value-checks.ts";
import {
  rollingUpdateStatefulSetStrategy,
  type StatefulSet,
  type StatefulSetSpec,
  statefulSetSpec,
  statefulSetUpdateStrategy,
} from "./stateful-set-schema.ts";
import {
  checkAmount,
  checkAtMostAll,
  checkAvailable,
  checkCollisionCount,
  checkCounters,
  checkParts,
  checkRunsOn,
  checkSelector,
  checkSelectsTemplate,
  isEmptySelector,
  isNothing,
} from "./workload-validation.ts";

interface SetRules {
  /** What cannot change is not judged again. */
  readonly isUpdate: boolean;
  /** The stored set has a template that is not good: the new one is not held to more. */
  readonly anyTemplate: boolean;
}

export function validateStatefulSet({ spec }: StatefulSet, context: HookContext): Steps<FieldError[]> {
  return validateSpec(spec, context, { isUpdate: false, anyTemplate: false });
}

const UPDATABLE =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

export function* validateStatefulSetUpdate(
  set: StatefulSet,
  old: StatefulSet,
  context: HookContext,
): Steps<FieldError[]> {
  const oldErrors = yield* validateSpec(old.spec, context, { isUpdate: true, anyTemplate: false }, old.spec.template);
  yield;
  const rules = { isUpdate: true, anyTemplate: oldErrors.length > 0 };
  const errors = yield* validateSpec(set.spec, context, rules, old.spec.template);
  if (!(yield* equalJsonInSteps(fixedPart(set.spec), fixedPart(old.spec))))
    errors.push(forbiddenField("spec", UPDATABLE));
  return errors;
}

export function validateStatefulSetStatus({ status }: StatefulSet, old: StatefulSet): FieldError[] {
  const errors: FieldError[] = [];
  const parts = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];
  checkCounters(status, ["replicas", ...parts, "observedGeneration", "collisionCount"], errors);
  checkParts(status, parts, errors);
  checkAvailable(status, "cannot be greater than status.readyReplicas", errors);
  checkCollisionCount(status, old.status, errors);
  return errors;
}

const CLAIMS_PER_STEP = 60;

export function* warnStatefulSet(
  set: StatefulSet,
  old: StatefulSet | undefined,
  context: HookContext,
): Steps<string[]> {
  const { spec, metadata } = set;
  const changed = old === undefined || metadata.generation !== old.metadata.generation;
  const warnings = changed ? warnPodTemplate(spec.template, "spec.template", context) : [];
  const ofClaims = flatMapInSteps(spec.volumeClaimTemplates ?? [], new Pace(CLAIMS_PER_STEP), (claim, index) =>
    warnClaimSpec(claim.spec, `spec.volumeClaimTemplates[${index}]${old === undefined ? "" : ".Spec"}`),
  );
  append(warnings, yield* ofClaims);
  if ((spec.revisionHistoryLimit ?? 0) < 0) {
    const detail = "a negative value retains all historical revisions; a value >= 0 is recommended";
    warnings.push(`spec.revisionHistoryLimit: ${detail}`);
  }
  return warnings;
}

function fixedPart(spec: StatefulSetSpec): object {
  const { replicas: _r, ordinals: _o, template: _t, updateStrategy: _u, ...rest } = spec;
  const { revisionHistoryLimit: _h, persistentVolumeClaimRetentionPolicy: _p, minReadySeconds: _m, ...fixed } = rest;
  return fixed;
}

function* validateSpec(
  spec: StatefulSetSpec,
  context: HookContext,
  rules: SetRules,
  oldTemplate?: PodTemplateSpec,
): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  checkFields(spec, statefulSetSpec, "spec", errors, ["podManagementPolicy"]);
  checkUpdateStrategy(spec, errors);
  checkFields(spec, statefulSetSpec, "spec", errors, ["persistentVolumeClaimRetentionPolicy"]);
  if (!rules.isUpdate) {
    const ofClaims = flatMapInSteps(spec.volumeClaimTemplates ?? [], new Pace(CLAIMS_PER_STEP), (claim, index) =>
      validateClaimSpec(claim.spec, `spec.volumeClaimTemplates[${index}].spec`),
    );
    append(errors, yield* ofClaims);
    yield;
  }
  checkFields(spec, statefulSetSpec, "spec", errors, ["replicas", "minReadySeconds", "ordinals"]);
  if (!rules.isUpdate) checkFields(spec, statefulSetSpec, "spec", errors, ["serviceName"]);
  if (checkSelector(spec.selector, "spec.selector", "statefulset", errors)) {
    yield* checkTemplate(spec, context, rules, oldTemplate, errors);
  } else errors.push(invalid("spec.selector", spec.selector, ""));
  checkRunsOn(spec.template, "spec.template", "StatefulSet", errors);
  return errors;
}

function checkUpdateStrategy({ updateStrategy: strategy }: StatefulSetSpec, errors: FieldError[]): void {
  const at = "spec.updateStrategy";
  const { rollingUpdate } = strategy;
  const type: string = strategy.type ?? "";
  if (type === "") errors.push(required(at));
  else if (type === "OnDelete") {
    if (!rollingUpdate) return;
    const value = internalForm(rollingUpdate, rollingUpdateStatefulSetStrategy);
    errors.push(invalid(`${at}.rollingUpdate`, value, "only allowed for updateStrategy 'RollingUpdate'"));
  } else if (type !== "RollingUpdate") {
    const value = internalForm(strategy, statefulSetUpdateStrategy);
    errors.push(invalid(at, value, "must be 'RollingUpdate' or 'OnDelete'"));
  } else if (rollingUpdate) {
    checkNotNegative(errors, `${at}.rollingUpdate.partition`, rollingUpdate.partition);
    const { maxUnavailable } = rollingUpdate;
    if (maxUnavailable === undefined) return;
    const field = `${at}.rollingUpdate.maxUnavailable`;
    checkAmount(maxUnavailable, field, errors);
    if (isNothing(maxUnavailable)) errors.push(invalid(field, maxUnavailable, "cannot be 0"));
    checkAtMostAll(maxUnavailable, field, errors);
  }
}

/** The template as the set's pods get it: with volumes for their claims, and names of their own. */
function* checkTemplate(
  spec: StatefulSetSpec,
  context: HookContext,
  rules: SetRules,
  old: PodTemplateSpec | undefined,
  errors: FieldError[],
): Steps<void> {
  const at = "spec.template";
  const template = podTemplateOf(spec);
  const { annotations, labels } = template.metadata;
  if (!spec.selector || !isEmptySelector(spec.selector)) checkSelectsTemplate(spec.selector, template, at, errors);
  if (!rules.anyTemplate) {
    append(errors, yield* validatePodTemplateSpec(template, at, context, old));
    return;
  }
  append(errors, validateLabels(labels, `${at}.labels`));
  append(errors, validateAnnotations(annotations, `${at}.annotations`));
  validatePodAnnotations(annotations, template.spec, `${at}.annotations`, podRules(context, false, old), errors);
}

function podTemplateOf({ template, volumeClaimTemplates }: StatefulSetSpec): PodTemplateSpec {
  const { hostname: _h, subdomain: _s, ...podSpec } = template.spec;
  const claims = new Map<string, Volume>();
  for (const { metadata } of volumeClaimTemplates ?? []) {
    const name = metadata.name ?? "";
    claims.set(name, { name, persistentVolumeClaim: { claimName: name } } as Volume);
  }
  if (claims.size === 0) return { ...template, spec: podSpec };
  const own = (podSpec.volumes ?? []).filter(({ name }) => !claims.has(name));
  return { ...template, spec: { ...podSpec, volumes: [...claims.values(), ...own] } };
}
