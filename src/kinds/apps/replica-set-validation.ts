// Replica sets: what they must say, what may change.

import { type FieldError, invalid } from "../../meta/field-error.ts";
import { dns1123LabelProblems } from "../../meta/name-formats.ts";
import { warnName, warnPodTemplate } from "../core/pod-warnings.ts";
import type { HookContext } from "../define-kind.ts";
import { checkNotNegative } from "../meta/value-checks.ts";
import type { ReplicaSet } from "./replica-set-schema.ts";
import {
  checkAvailable,
  checkCounters,
  checkImmutable,
  checkParts,
  checkRunningTemplate,
  checkSelector,
  checkSelectsTemplate,
} from "./workload-validation.ts";

export function validateReplicaSet({ spec }: ReplicaSet, context: HookContext, old?: ReplicaSet): FieldError[] {
  const errors: FieldError[] = [];
  checkNotNegative(errors, "spec.replicas", spec.replicas);
  checkNotNegative(errors, "spec.minReadySeconds", spec.minReadySeconds);
  // Upstream says deployment here too.
  if (checkSelector(spec.selector, "spec.selector", "deployment", errors)) {
    checkSelectsTemplate(spec.selector, spec.template, "spec.template", errors);
    checkRunningTemplate(spec.template, "spec.template", "ReplicaSet", context, old?.spec.template, errors);
  } else errors.push(invalid("spec.selector", spec.selector, "invalid label selector"));
  return errors;
}

export function validateReplicaSetUpdate(set: ReplicaSet, old: ReplicaSet, context: HookContext): FieldError[] {
  const errors = validateReplicaSet(set, context, old);
  checkImmutable(set.spec.selector, old.spec.selector, "spec.selector", errors);
  return errors;
}

const COUNTERS = [
  "replicas",
  "fullyLabeledReplicas",
  "readyReplicas",
  "availableReplicas",
  "observedGeneration",
  "terminatingReplicas",
];

export function validateReplicaSetStatus({ status }: ReplicaSet): FieldError[] {
  const errors: FieldError[] = [];
  checkCounters(status, COUNTERS, errors);
  checkParts(status, ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"], errors);
  checkAvailable(status, "cannot be greater than readyReplicas", errors);
  return errors;
}

export function warnReplicaSet(set: ReplicaSet, old: ReplicaSet | undefined, context: HookContext): string[] {
  const { metadata, spec } = set;
  if (old === undefined) {
    return [
      ...warnName(metadata.name ?? "", dns1123LabelProblems),
      ...warnPodTemplate(spec.template, "spec.template", context),
    ];
  }
  return metadata.generation === old.metadata.generation
    ? []
    : warnPodTemplate(spec.template, "spec.template", context);
}
