// Deployment: rolls out pods and new versions of them.

import type { Steps } from "../../base/steps.ts";
import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../meta/field-error.ts";
import { type ObjectOf, opt, ptr, s, shown } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { rowFields } from "../cells/row-fields.ts";
import { selectorCell, selectorText } from "../cells/selectors.ts";
import { containerColumns, containerFields } from "../cells/workloads.ts";
import { defaultPodTemplate } from "../core/pod/defaults.ts";
import { podTemplateSpec } from "../core/pod/template-schema.ts";
import { defineKind, type HookContext } from "../define-kind.ts";
import { aspectMembers } from "../meta/condition.ts";
import { internalForm } from "../meta/internal-form.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { checkNotNegative } from "../meta/value-checks.ts";
import { keepStatus, scaleSubresource, statusSubresource } from "../subresources.ts";
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
  warnWorkload,
} from "./workload-validation.ts";

export type Deployment = ObjectOf<typeof deploymentSchema>;

const deploymentSchema = objectSchema("apps.v1.Deployment", "Rolls out pods and new versions of them.", () => ({
  spec: opt.of(deploymentSpec, 2, "The pods that shall run, and how to get there."),
  status: opt.of(deploymentStatus, 3, "How far the rollout has come; written by the controller."),
}));

export const deployment = defineKind({
  group: "apps",
  version: "v1",
  kind: "Deployment",
  resource: "deployments",
  scope: "Namespaced",
  shortNames: ["deploy"],
  categories: ["all"],
  schema: deploymentSchema,
  unconditionalUpdate: true,
  generation: "andAnnotations",
  rowFields: rowFields(
    "spec.replicas",
    "spec.selector",
    ...containerFields("spec.template.spec"),
    "status.readyReplicas",
    "status.updatedReplicas",
    "status.availableReplicas",
  ),
  columns: [
    NAME_COLUMN,
    { name: "Ready", type: "string", cell: ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}` },
    { name: "Up-to-date", type: "string", cell: ({ status }) => status.updatedReplicas ?? 0 },
    { name: "Available", type: "string", cell: ({ status }) => status.availableReplicas ?? 0 },
    AGE_COLUMN,
    ...containerColumns<Deployment>((deployment) => deployment.spec.template),
    { name: "Selector", type: "string", priority: 1, cell: (deployment) => selectorCell(deployment.spec.selector) },
  ],
  subresources: {
    scale: scaleSubresource<Deployment>(({ spec }) => selectorText(spec.selector)),
    status: {
      ...statusSubresource<Deployment>({ keepLabels: true, resetFields: [["spec"], ["metadata", "labels"]] }),
      validateUpdate: validateDeploymentStatus,
    },
  },
  hooks: {
    default({ spec }, context) {
      spec.replicas ??= 1;
      spec.strategy.type ||= "RollingUpdate";
      if (spec.strategy.type === "RollingUpdate") {
        spec.strategy.rollingUpdate ??= {};
        spec.strategy.rollingUpdate.maxUnavailable ??= "25%";
        spec.strategy.rollingUpdate.maxSurge ??= "25%";
      }
      spec.revisionHistoryLimit ??= 10;
      spec.progressDeadlineSeconds ??= 600;
      return defaultPodTemplate(spec.template, context);
    },
    prepareForCreate(deployment) {
      deployment.status = {};
    },
    prepareForUpdate: keepStatus,
    validate: (deployment, context) => validateDeployment(deployment, context),
    validateUpdate: validateDeploymentUpdate,
    warn: warnWorkload,
  },
});

const deploymentSpec = s.struct("apps.v1.DeploymentSpec", "What a deployment shall run.", () => ({
  replicas: ptr.int32(1, "How many pods shall run; 1 if not set, 0 stops all."),
  selector: s.of(
    labelSelector,
    2,
    "Which pods belong to the deployment; the template's labels must match. Cannot change.",
    { pointer: true },
  ),
  template: s.of(
    podTemplateSpec,
    3,
    "The pod to run; a change of it starts a rollout. Its restart policy must be Always.",
  ),
  strategy: opt.of(deploymentStrategy, 4, "How old pods are replaced by new ones.", { patchStrategy: ["retainKeys"] }),
  minReadySeconds: opt.int32(
    5,
    "Seconds that a new pod must be ready without a crash before it counts as available; 0 means at once.",
  ),
  revisionHistoryLimit: ptr.int32(6, "How many old replica sets are kept to roll back to; 10 if not set."),
  paused: opt.boolean(7, "While true, changes of the template are not rolled out."),
  progressDeadlineSeconds: ptr.int32(
    9,
    "Seconds without progress after which the rollout is reported as failed, though it goes on. 600 if not set.",
  ),
}));

type DeploymentStrategy = ObjectOf<typeof deploymentStrategy>;

const deploymentStrategy = s.struct("apps.v1.DeploymentStrategy", "How old pods are replaced by new ones.", () => ({
  type: opt.enumOf(
    "DeploymentStrategyType",
    ["Recreate", "RollingUpdate"],
    1,
    "RollingUpdate (the default) replaces pods step by step; Recreate ends all old ones before any new one starts.",
  ),
  rollingUpdate: ptr.of(rollingUpdateDeployment, 2, "The pace of a rolling update; only with type RollingUpdate."),
}));

const rollingUpdateDeployment = s.struct(
  "apps.v1.RollingUpdateDeployment",
  "The pace of a rolling update: one of the two limits must be above zero.",
  () => ({
    maxUnavailable: ptr.intOrString(
      1,
      "How many of the replicas may be unavailable during an update: a number, or a percentage rounded down. 25% if not set.",
    ),
    maxSurge: ptr.intOrString(
      2,
      "How many pods beyond the replicas may exist during an update: a number, or a percentage rounded up. 25% if not set.",
    ),
  }),
);

const deploymentStatus = s.struct("apps.v1.DeploymentStatus", "How far a deployment has come.", () => ({
  observedGeneration: opt.int64(1, "The generation of the spec that this status describes."),
  replicas: opt.int32(2, "Pods of the deployment, old and new, that are not ending."),
  updatedReplicas: opt.int32(3, "Pods of the current template that are not ending."),
  readyReplicas: opt.int32(7, "Pods that are ready and not ending."),
  availableReplicas: opt.int32(4, "Pods that have been ready for at least minReadySeconds and are not ending."),
  unavailableReplicas: opt.int32(
    5,
    "Pods that are still missing for full availability: not yet created, or not yet available.",
  ),
  terminatingReplicas: ptr.int32(9, "Pods that are ending but not yet gone.", {
    gate: "DeploymentReplicaSetTerminatingReplicas",
  }),
  conditions: opt.listBy(
    "type",
    deploymentCondition,
    6,
    "The present state by aspect: Available, Progressing, ReplicaFailure.",
  ),
  collisionCount: ptr.int32(
    8,
    "How often the name of a new replica set was already taken; keeps the hashes in names unique.",
  ),
}));

const deploymentCondition = s.struct("apps.v1.DeploymentCondition", "One aspect of the state of a deployment.", () =>
  s.renumbered(
    aspectMembers("DeploymentConditionType", "Available, Progressing or ReplicaFailure.", 3, {
      lastUpdateTime: shown.time(6, "When the condition was last written."),
    }),
    { lastTransitionTime: 7 },
  ),
);

function* validateDeployment({ spec }: Deployment, context: HookContext, old?: Deployment): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  checkNotNegative(errors, "spec.replicas", spec.replicas);
  if (checkSelector(spec.selector, "spec.selector", "deployment", errors)) {
    checkSelectsTemplate(spec.selector, spec.template, "spec.template", errors);
    // Deployments and replica sets share this in upstream, also its words.
    yield* checkRunningTemplate(spec.template, "spec.template", "ReplicaSet", context, old?.spec.template, errors);
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

function* validateDeploymentUpdate(deployment: Deployment, old: Deployment, context: HookContext): Steps<FieldError[]> {
  const errors = yield* validateDeployment(deployment, context, old);
  checkImmutable(deployment.spec.selector, old.spec.selector, "spec.selector", errors);
  return errors;
}

function validateDeploymentStatus({ status }: Deployment, old: Deployment): FieldError[] {
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
