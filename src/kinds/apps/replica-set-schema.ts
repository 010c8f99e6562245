// The schema of ReplicaSet.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { podTemplateSpec } from "../core/pod-template.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type ReplicaSet = ObjectOf<typeof replicaSetSchema>;

export const replicaSetSchema = objectSchema(
  "apps.v1.ReplicaSet",
  { doc: "Keeps a number of equal pods running." },
  () => ({
    spec: s.of(replicaSetSpec, { proto: 2, optional: true }),
    status: s.of(replicaSetStatus, { proto: 3, optional: true }),
  }),
);

export type ReplicaSetSpec = ObjectOf<typeof replicaSetSpec>;

export const replicaSetSpec = s.struct("apps.v1.ReplicaSetSpec", { doc: "Which pods, and how many." }, () => ({
  replicas: s.int32({ proto: 1, optional: true, pointer: true }),
  minReadySeconds: s.int32({ proto: 4, optional: true }),
  selector: s.of(labelSelector, { proto: 2, pointer: true }),
  template: s.of(podTemplateSpec, { proto: 3, optional: true }),
}));

export type ReplicaSetStatus = ObjectOf<typeof replicaSetStatus>;

export const replicaSetStatus = s.struct("apps.v1.ReplicaSetStatus", () => ({
  replicas: s.int32({ proto: 1 }),
  fullyLabeledReplicas: s.int32({ proto: 2, optional: true }),
  readyReplicas: s.int32({ proto: 4, optional: true }),
  availableReplicas: s.int32({ proto: 5, optional: true }),
  terminatingReplicas: s.int32({ proto: 7, optional: true, pointer: true }),
  observedGeneration: s.int64({ proto: 3, optional: true }),
  conditions: s.list(replicaSetCondition, {
    proto: 6,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
  }),
}));

export type ReplicaSetCondition = ObjectOf<typeof replicaSetCondition>;

export const replicaSetCondition = s.struct("apps.v1.ReplicaSetCondition", () => ({
  type: s.string({ alias: "ReplicaSetConditionType", proto: 1 }),
  status: s.string({ alias: "ConditionStatus", proto: 2 }),
  lastTransitionTime: s.time({ proto: 3, required: false }),
  reason: s.string({ proto: 4, optional: true }),
  message: s.string({ proto: 5, optional: true }),
}));
