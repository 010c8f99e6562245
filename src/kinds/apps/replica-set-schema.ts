// The schema of ReplicaSet.

import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { podTemplateSpec } from "../core/pod-template.ts";
import { aspectMembers } from "../meta/condition.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type ReplicaSet = ObjectOf<typeof replicaSetSchema>;

export const replicaSetSchema = objectSchema(
  "apps.v1.ReplicaSet",
  "Keeps a number of equal pods running. Usually a deployment makes and owns it.",
  () => ({
    spec: opt.of(replicaSetSpec, 2, "Which pods shall run, and how many."),
    status: opt.of(replicaSetStatus, 3, "How many there are; written by the controller, a little late."),
  }),
);

const replicaSetSpec = s.struct("apps.v1.ReplicaSetSpec", "Which pods, and how many.", () => ({
  replicas: ptr.int32(1, "How many pods shall run; 1 if not set, 0 stops all."),
  minReadySeconds: opt.int32(
    4,
    "Seconds that a new pod must be ready without a crash before it counts as available; 0 means at once.",
  ),
  selector: s.of(labelSelector, 2, "Which pods belong to the set; the template's labels must match. Cannot change.", {
    pointer: true,
  }),
  template: opt.of(
    podTemplateSpec,
    3,
    "The pod to create when there are too few; existing pods keep what they were made from.",
  ),
}));

const replicaSetStatus = s.struct("apps.v1.ReplicaSetStatus", "How many pods a replica set has.", () => ({
  replicas: s.int32(1, "Pods of the set that are not ending."),
  fullyLabeledReplicas: opt.int32(2, "Pods that carry all labels of the template."),
  readyReplicas: opt.int32(4, "Pods that are ready."),
  availableReplicas: opt.int32(5, "Pods that have been ready for at least minReadySeconds."),
  terminatingReplicas: ptr.int32(7, "Pods that are ending but not yet gone."),
  observedGeneration: opt.int64(3, "The generation of the spec that this status describes."),
  conditions: opt.listBy("type", replicaSetCondition, 6, "The present state by aspect."),
}));

const replicaSetCondition = s.struct("apps.v1.ReplicaSetCondition", "One aspect of the state of a replica set.", () =>
  aspectMembers("ReplicaSetConditionType", "The aspect that is reported, such as ReplicaFailure."),
);
