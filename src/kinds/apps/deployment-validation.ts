// Deployments: what they must say, what may change.

import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../meta/field-error.ts";
import { dns1123LabelProblems } from "../../meta/name-formats.ts";
import { warnName, warnPodTemplate } from "../core/pod-warnings.ts";
import type { HookContext } from "../define-kind.ts";
import { internalForm } from "../meta/internal-form.ts";
import { checkNotNegative } from "../meta/value-checks.ts";
import { type Deployment, type DeploymentStrategy, deploymentStrategy } from "./deployment-schema.ts";
import {
  checkAmount,
  checkAtMostAll,
  checkAvailable,
  checkCollisionCount,
  checkCounters,
  checkImmutable,
  checkParts,
  checkRunningTemplate,
  checkSelector,
  checkSelectsTemplate,
  isNothing,
} from "./workload-validation.ts";

export function validateDeployment({ spec }: Deployment, context: HookContext, old?: Deployment): FieldError[] {
  const errors: FieldError[] = [];
  checkNotNegative(errors, "spec.replicas", spec.replicas);
  if (checkSelector(spec.selector, "spec.selector", "deployment", errors)) {
    checkSelectsTemplate(spec.selector, spec.template, "spec.template", errors);
    // Deployments and replica sets share this in upstream, also its words.
    checkRunningTemplate(spec.template, "spec.template", "ReplicaSet", context, old?.spec.template, errors);
  } else errors.push(invalid("spec.selector", spec.selector, "invalid label selector"));
  checkStrategy(spec.strategy, "spec.strategy", errors);
  checkNotNegative(errors, "spec.minReadySeconds", spec.minReadySeconds);
  checkNotNegative(errors, "spec.revisionHistoryLimit", spec.revisionHistoryLimit);
  const deadline = spec.progressDeadlineSeconds;
  checkNotNegative(errors, "spec.progressDeadlineSeconds", deadline);
  if (deadline !== undefined && deadline <= (spec.minReadySeconds ?? 0)) {
    errors.push(invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"));
  }
  return errors;
}

export function validateDeploymentUpdate(deployment: Deployment, old: Deployment, context: HookContext): FieldError[] {
  const errors = validateDeployment(deployment, context, old);
  checkImmutable(deployment.spec.selector, old.spec.selector, "spec.selector", errors);
  return errors;
}

export function validateDeploymentStatus({ status }: Deployment, old: Deployment): FieldError[] {
  const errors: FieldError[] = [];
  checkCounters(
    status,
    [
      "observedGeneration",
      "replicas",
      "updatedReplicas",
      "readyReplicas",
      "availableReplicas",
      "unavailableReplicas",
      "terminatingReplicas",
      "collisionCount",
    ],
    errors,
  );
  checkParts(status, ["updatedReplicas", "readyReplicas", "availableReplicas"], errors);
  checkAvailable(status, "cannot be greater than readyReplicas", errors);
  checkCollisionCount(status, old.status, errors);
  return errors;
}

export function warnDeployment(deployment: Deployment, old: Deployment | undefined, context: HookContext): string[] {
  const { metadata, spec } = deployment;
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

function checkStrategy(strategy: DeploymentStrategy, at: string, errors: FieldError[]): void {
  const { type, rollingUpdate } = strategy;
  const field = `${at}.rollingUpdate`;
  if (type === "Recreate") {
    if (!rollingUpdate) return;
    errors.push(forbiddenField(field, "may not be specified when strategy `type` is 'Recreate'"));
  } else if (type === "RollingUpdate") {
    if (!rollingUpdate) {
      errors.push(required(field, "this should be defaulted and never be nil"));
      return;
    }
    const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
    checkAmount(maxUnavailable, `${field}.maxUnavailable`, errors);
    checkAmount(maxSurge, `${field}.maxSurge`, errors);
    if (isNothing(maxUnavailable) && isNothing(maxSurge)) {
      errors.push(invalid(`${field}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0"));
    }
    checkAtMostAll(maxUnavailable, `${field}.maxUnavailable`, errors);
  } else errors.push(notSupported(at, internalForm(strategy, deploymentStrategy), ["Recreate", "RollingUpdate"]));
}
