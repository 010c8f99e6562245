// The schema of Deployment.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { podTemplateSpec } from "../core/pod-template.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type Deployment = ObjectOf<typeof deploymentSchema>;

export const deploymentSchema = objectSchema(
  "apps.v1.Deployment",
  { doc: "Rolls out pods and new versions of them." },
  () => ({
    spec: s.of(deploymentSpec, { proto: 2, optional: true, doc: "The pods that shall run, and how to get there." }),
    status: s.of(deploymentStatus, {
      proto: 3,
      optional: true,
      doc: "How far the rollout has come; written by the controller.",
    }),
  }),
);

export type DeploymentSpec = ObjectOf<typeof deploymentSpec>;

export const deploymentSpec = s.struct("apps.v1.DeploymentSpec", { doc: "What a deployment shall run." }, () => ({
  replicas: s.int32({
    proto: 1,
    optional: true,
    pointer: true,
    doc: "How many pods shall run; 1 if not set, 0 stops all.",
  }),
  selector: s.of(labelSelector, {
    proto: 2,
    pointer: true,
    doc: "Which pods belong to the deployment; the template's labels must match. Cannot change.",
  }),
  template: s.of(podTemplateSpec, {
    proto: 3,
    doc: "The pod to run; a change of it starts a rollout. Its restart policy must be Always.",
  }),
  strategy: s.of(deploymentStrategy, {
    proto: 4,
    optional: true,
    patchStrategy: ["retainKeys"],
    doc: "How old pods are replaced by new ones.",
  }),
  minReadySeconds: s.int32({
    proto: 5,
    optional: true,
    doc: "Seconds that a new pod must be ready without a crash before it counts as available; 0 means at once.",
  }),
  revisionHistoryLimit: s.int32({
    proto: 6,
    optional: true,
    pointer: true,
    doc: "How many old replica sets are kept to roll back to; 10 if not set.",
  }),
  paused: s.boolean({ proto: 7, optional: true, doc: "While true, changes of the template are not rolled out." }),
  progressDeadlineSeconds: s.int32({
    proto: 9,
    optional: true,
    pointer: true,
    doc: "Seconds without progress after which the rollout is reported as failed, though it goes on. 600 if not set.",
  }),
}));

export type DeploymentStrategy = ObjectOf<typeof deploymentStrategy>;

export const deploymentStrategy = s.struct(
  "apps.v1.DeploymentStrategy",
  { doc: "How old pods are replaced by new ones." },
  () => ({
    type: s.enumOf(["Recreate", "RollingUpdate"], {
      alias: "DeploymentStrategyType",
      proto: 1,
      optional: true,
      doc: "RollingUpdate (the default) replaces pods step by step; Recreate ends all old ones before any new one starts.",
    }),
    rollingUpdate: s.of(rollingUpdateDeployment, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The pace of a rolling update; only with type RollingUpdate.",
    }),
  }),
);

export type RollingUpdateDeployment = ObjectOf<typeof rollingUpdateDeployment>;

export const rollingUpdateDeployment = s.struct(
  "apps.v1.RollingUpdateDeployment",
  { doc: "The pace of a rolling update: one of the two limits must be above zero." },
  () => ({
    maxUnavailable: s.intOrString({
      proto: 1,
      optional: true,
      pointer: true,
      doc: "How many of the replicas may be unavailable during an update: a number, or a percentage rounded down. 25% if not set.",
    }),
    maxSurge: s.intOrString({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "How many pods beyond the replicas may exist during an update: a number, or a percentage rounded up. 25% if not set.",
    }),
  }),
);

export type DeploymentStatus = ObjectOf<typeof deploymentStatus>;

export const deploymentStatus = s.struct("apps.v1.DeploymentStatus", { doc: "How far a deployment has come." }, () => ({
  observedGeneration: s.int64({
    proto: 1,
    optional: true,
    doc: "The generation of the spec that this status describes.",
  }),
  replicas: s.int32({ proto: 2, optional: true, doc: "Pods of the deployment, old and new, that are not ending." }),
  updatedReplicas: s.int32({ proto: 3, optional: true, doc: "Pods of the current template that are not ending." }),
  readyReplicas: s.int32({ proto: 7, optional: true, doc: "Pods that are ready and not ending." }),
  availableReplicas: s.int32({
    proto: 4,
    optional: true,
    doc: "Pods that have been ready for at least minReadySeconds and are not ending.",
  }),
  unavailableReplicas: s.int32({
    proto: 5,
    optional: true,
    doc: "Pods that are still missing for full availability: not yet created, or not yet available.",
  }),
  terminatingReplicas: s.int32({
    proto: 9,
    optional: true,
    pointer: true,
    doc: "Pods that are ending but not yet gone.",
  }),
  conditions: s.list(deploymentCondition, {
    proto: 6,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
    doc: "The present state by aspect: Available, Progressing, ReplicaFailure.",
  }),
  collisionCount: s.int32({
    proto: 8,
    optional: true,
    pointer: true,
    doc: "How often the name of a new replica set was already taken; keeps the hashes in names unique.",
  }),
}));

export type DeploymentCondition = ObjectOf<typeof deploymentCondition>;

export const deploymentCondition = s.struct(
  "apps.v1.DeploymentCondition",
  { doc: "One aspect of the state of a deployment." },
  () => ({
    type: s.string({ alias: "DeploymentConditionType", proto: 1, doc: "Available, Progressing or ReplicaFailure." }),
    status: s.string({
      alias: "ConditionStatus",
      proto: 2,
      doc: "Whether the condition holds: True, False or Unknown.",
    }),
    lastUpdateTime: s.time({ proto: 6, required: false, doc: "When the condition was last written." }),
    lastTransitionTime: s.time({ proto: 7, required: false, doc: "When the status last became what it is." }),
    reason: s.string({ proto: 4, optional: true, doc: "One word for programs: why it became so." }),
    message: s.string({ proto: 5, optional: true, doc: "Details for people." }),
  }),
);
