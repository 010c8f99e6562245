// The schema of ReplicaSet.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { podTemplateSpec } from "../core/pod-template.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type ReplicaSet = ObjectOf<typeof replicaSetSchema>;

export const replicaSetSchema = objectSchema(
  "apps.v1.ReplicaSet",
  { doc: "Keeps a number of equal pods running. Usually a deployment makes and owns it." },
  () => ({
    spec: s.of(replicaSetSpec, { proto: 2, optional: true, doc: "Which pods shall run, and how many." }),
    status: s.of(replicaSetStatus, {
      proto: 3,
      optional: true,
      doc: "How many there are; written by the controller, a little late.",
    }),
  }),
);

export type ReplicaSetSpec = ObjectOf<typeof replicaSetSpec>;

export const replicaSetSpec = s.struct("apps.v1.ReplicaSetSpec", { doc: "Which pods, and how many." }, () => ({
  replicas: s.int32({
    proto: 1,
    optional: true,
    pointer: true,
    doc: "How many pods shall run; 1 if not set, 0 stops all.",
  }),
  minReadySeconds: s.int32({
    proto: 4,
    optional: true,
    doc: "Seconds that a new pod must be ready without a crash before it counts as available; 0 means at once.",
  }),
  selector: s.of(labelSelector, {
    proto: 2,
    pointer: true,
    doc: "Which pods belong to the set; the template's labels must match. Cannot change.",
  }),
  template: s.of(podTemplateSpec, {
    proto: 3,
    optional: true,
    doc: "The pod to create when there are too few; existing pods keep what they were made from.",
  }),
}));

export type ReplicaSetStatus = ObjectOf<typeof replicaSetStatus>;

export const replicaSetStatus = s.struct(
  "apps.v1.ReplicaSetStatus",
  { doc: "How many pods a replica set has." },
  () => ({
    replicas: s.int32({ proto: 1, doc: "Pods of the set that are not ending." }),
    fullyLabeledReplicas: s.int32({ proto: 2, optional: true, doc: "Pods that carry all labels of the template." }),
    readyReplicas: s.int32({ proto: 4, optional: true, doc: "Pods that are ready." }),
    availableReplicas: s.int32({
      proto: 5,
      optional: true,
      doc: "Pods that have been ready for at least minReadySeconds.",
    }),
    terminatingReplicas: s.int32({
      proto: 7,
      optional: true,
      pointer: true,
      doc: "Pods that are ending but not yet gone.",
    }),
    observedGeneration: s.int64({
      proto: 3,
      optional: true,
      doc: "The generation of the spec that this status describes.",
    }),
    conditions: s.list(replicaSetCondition, {
      proto: 6,
      optional: true,
      listType: "map",
      mapKeys: ["type"],
      patchStrategy: ["merge"],
      patchMergeKey: "type",
      doc: "The present state by aspect.",
    }),
  }),
);

export type ReplicaSetCondition = ObjectOf<typeof replicaSetCondition>;

export const replicaSetCondition = s.struct(
  "apps.v1.ReplicaSetCondition",
  { doc: "One aspect of the state of a replica set." },
  () => ({
    type: s.string({
      alias: "ReplicaSetConditionType",
      proto: 1,
      doc: "The aspect that is reported, such as ReplicaFailure.",
    }),
    status: s.string({
      alias: "ConditionStatus",
      proto: 2,
      doc: "Whether the condition holds: True, False or Unknown.",
    }),
    lastTransitionTime: s.time({ proto: 3, required: false, doc: "When the status last became what it is." }),
    reason: s.string({ proto: 4, optional: true, doc: "One word for programs: why it became so." }),
    message: s.string({ proto: 5, optional: true, doc: "Details for people." }),
  }),
);
