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
    spec: s.of(deploymentSpec, { proto: 2, optional: true }),
    status: s.of(deploymentStatus, { proto: 3, optional: true }),
  }),
);

export type DeploymentSpec = ObjectOf<typeof deploymentSpec>;

export const deploymentSpec = s.struct("apps.v1.DeploymentSpec", { doc: "What a deployment shall run." }, () => ({
  replicas: s.int32({ proto: 1, optional: true, pointer: true }),
  selector: s.of(labelSelector, { proto: 2, pointer: true }),
  template: s.of(podTemplateSpec, { proto: 3 }),
  strategy: s.of(deploymentStrategy, { proto: 4, optional: true, patchStrategy: ["retainKeys"] }),
  minReadySeconds: s.int32({ proto: 5, optional: true }),
  revisionHistoryLimit: s.int32({ proto: 6, optional: true, pointer: true }),
  paused: s.boolean({ proto: 7, optional: true }),
  progressDeadlineSeconds: s.int32({ proto: 9, optional: true, pointer: true }),
}));

export type DeploymentStrategy = ObjectOf<typeof deploymentStrategy>;

export const deploymentStrategy = s.struct("apps.v1.DeploymentStrategy", () => ({
  type: s.enumOf(["Recreate", "RollingUpdate"], { alias: "DeploymentStrategyType", proto: 1, optional: true }),
  rollingUpdate: s.of(rollingUpdateDeployment, { proto: 2, optional: true, pointer: true }),
}));

export type RollingUpdateDeployment = ObjectOf<typeof rollingUpdateDeployment>;

export const rollingUpdateDeployment = s.struct("apps.v1.RollingUpdateDeployment", () => ({
  maxUnavailable: s.intOrString({ proto: 1, optional: true, pointer: true }),
  maxSurge: s.intOrString({ proto: 2, optional: true, pointer: true }),
}));

export type DeploymentStatus = ObjectOf<typeof deploymentStatus>;

export const deploymentStatus = s.struct("apps.v1.DeploymentStatus", () => ({
  observedGeneration: s.int64({ proto: 1, optional: true }),
  replicas: s.int32({ proto: 2, optional: true }),
  updatedReplicas: s.int32({ proto: 3, optional: true }),
  readyReplicas: s.int32({ proto: 7, optional: true }),
  availableReplicas: s.int32({ proto: 4, optional: true }),
  unavailableReplicas: s.int32({ proto: 5, optional: true }),
  terminatingReplicas: s.int32({ proto: 9, optional: true, pointer: true }),
  conditions: s.list(deploymentCondition, {
    proto: 6,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
  }),
  collisionCount: s.int32({ proto: 8, optional: true, pointer: true }),
}));

export type DeploymentCondition = ObjectOf<typeof deploymentCondition>;

export const deploymentCondition = s.struct("apps.v1.DeploymentCondition", () => ({
  type: s.string({ alias: "DeploymentConditionType", proto: 1 }),
  status: s.string({ alias: "ConditionStatus", proto: 2 }),
  lastUpdateTime: s.time({ proto: 6, required: false }),
  lastTransitionTime: s.time({ proto: 7, required: false }),
  reason: s.string({ proto: 4, optional: true }),
  message: s.string({ proto: 5, optional: true }),
}));
