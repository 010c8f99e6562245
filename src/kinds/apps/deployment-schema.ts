// The schema of Deployment.

import { type ObjectOf, opt, ptr, s, shown } from "../../schema/builder.ts";
import { podTemplateSpec } from "../core/pod-template.ts";
import { aspectMembers } from "../meta/condition.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type Deployment = ObjectOf<typeof deploymentSchema>;

export const deploymentSchema = objectSchema("apps.v1.Deployment", "Rolls out pods and new versions of them.", () => ({
  spec: opt.of(deploymentSpec, 2, "The pods that shall run, and how to get there."),
  status: opt.of(deploymentStatus, 3, "How far the rollout has come; written by the controller."),
}));

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

export type DeploymentStrategy = ObjectOf<typeof deploymentStrategy>;

export const deploymentStrategy = s.struct(
  "apps.v1.DeploymentStrategy",
  "How old pods are replaced by new ones.",
  () => ({
    type: opt.enumOf(
      "DeploymentStrategyType",
      ["Recreate", "RollingUpdate"],
      1,
      "RollingUpdate (the default) replaces pods step by step; Recreate ends all old ones before any new one starts.",
    ),
    rollingUpdate: ptr.of(rollingUpdateDeployment, 2, "The pace of a rolling update; only with type RollingUpdate."),
  }),
);

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
  terminatingReplicas: ptr.int32(9, "Pods that are ending but not yet gone."),
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
