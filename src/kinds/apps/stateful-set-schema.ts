// The schema of StatefulSet.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { persistentVolumeClaimSchema } from "../core/persistent-volume-claim-schema.ts";
import { podTemplateSpec } from "../core/pod-template.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type StatefulSet = ObjectOf<typeof statefulSetSchema>;

export const statefulSetSchema = objectSchema(
  "apps.v1.StatefulSet",
  { doc: "Runs pods with stable names and storage of their own." },
  () => ({
    spec: s.of(statefulSetSpec, { proto: 2, optional: true }),
    status: s.of(statefulSetStatus, { proto: 3, optional: true }),
  }),
);

export type StatefulSetSpec = ObjectOf<typeof statefulSetSpec>;

export const statefulSetSpec = s.struct("apps.v1.StatefulSetSpec", { doc: "What a stateful set shall run." }, () => ({
  replicas: s.int32({ proto: 1, optional: true, pointer: true }),
  selector: s.of(labelSelector, { proto: 2, pointer: true }),
  template: s.of(podTemplateSpec, { proto: 3 }),
  volumeClaimTemplates: s.list(persistentVolumeClaimSchema, { proto: 4, optional: true, listType: "atomic" }),
  serviceName: s.string({ proto: 5, required: false }),
  podManagementPolicy: s.enumOf(["OrderedReady", "Parallel"], {
    alias: "PodManagementPolicyType",
    proto: 6,
    optional: true,
  }),
  updateStrategy: s.of(statefulSetUpdateStrategy, { proto: 7, optional: true }),
  revisionHistoryLimit: s.int32({ proto: 8, optional: true, pointer: true }),
  minReadySeconds: s.int32({ proto: 9, optional: true }),
  persistentVolumeClaimRetentionPolicy: s.of(statefulSetPersistentVolumeClaimRetentionPolicy, {
    proto: 10,
    optional: true,
    pointer: true,
  }),
  ordinals: s.of(statefulSetOrdinals, { proto: 11, optional: true, pointer: true }),
}));

export type StatefulSetUpdateStrategy = ObjectOf<typeof statefulSetUpdateStrategy>;

export const statefulSetUpdateStrategy = s.struct("apps.v1.StatefulSetUpdateStrategy", () => ({
  type: s.enumOf(["OnDelete", "RollingUpdate"], { alias: "StatefulSetUpdateStrategyType", proto: 1, optional: true }),
  rollingUpdate: s.of(rollingUpdateStatefulSetStrategy, { proto: 2, optional: true, pointer: true }),
}));

export type RollingUpdateStatefulSetStrategy = ObjectOf<typeof rollingUpdateStatefulSetStrategy>;

export const rollingUpdateStatefulSetStrategy = s.struct("apps.v1.RollingUpdateStatefulSetStrategy", () => ({
  partition: s.int32({ proto: 1, optional: true, pointer: true }),
  maxUnavailable: s.intOrString({ proto: 2, optional: true, pointer: true, gate: "MaxUnavailableStatefulSet" }),
}));

export type StatefulSetPersistentVolumeClaimRetentionPolicy = ObjectOf<
  typeof statefulSetPersistentVolumeClaimRetentionPolicy
>;

export const statefulSetPersistentVolumeClaimRetentionPolicy = s.struct(
  "apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy",
  () => ({
    whenDeleted: s.string({ alias: "PersistentVolumeClaimRetentionPolicyType", proto: 1, optional: true }),
    whenScaled: s.string({ alias: "PersistentVolumeClaimRetentionPolicyType", proto: 2, optional: true }),
  }),
);

export type StatefulSetOrdinals = ObjectOf<typeof statefulSetOrdinals>;

export const statefulSetOrdinals = s.struct("apps.v1.StatefulSetOrdinals", () => ({
  start: s.int32({ proto: 1, required: false }),
}));

export type StatefulSetStatus = ObjectOf<typeof statefulSetStatus>;

export const statefulSetStatus = s.struct("apps.v1.StatefulSetStatus", () => ({
  observedGeneration: s.int64({ proto: 1, optional: true }),
  replicas: s.int32({ proto: 2 }),
  readyReplicas: s.int32({ proto: 3, optional: true }),
  currentReplicas: s.int32({ proto: 4, optional: true }),
  updatedReplicas: s.int32({ proto: 5, optional: true }),
  currentRevision: s.string({ proto: 6, optional: true }),
  updateRevision: s.string({ proto: 7, optional: true }),
  collisionCount: s.int32({ proto: 9, optional: true, pointer: true }),
  conditions: s.list(statefulSetCondition, {
    proto: 10,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
  }),
  availableReplicas: s.int32({ proto: 11, required: false }),
}));

export type StatefulSetCondition = ObjectOf<typeof statefulSetCondition>;

export const statefulSetCondition = s.struct("apps.v1.StatefulSetCondition", () => ({
  type: s.string({ alias: "StatefulSetConditionType", proto: 1 }),
  status: s.string({ alias: "ConditionStatus", proto: 2 }),
  lastTransitionTime: s.time({ proto: 3, required: false }),
  reason: s.string({ proto: 4, optional: true }),
  message: s.string({ proto: 5, optional: true }),
}));
