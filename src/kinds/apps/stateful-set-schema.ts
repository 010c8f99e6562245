// The schema of StatefulSet.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { persistentVolumeClaimSchema } from "../core/persistent-volume-claim-schema.ts";
import { podTemplateSpec } from "../core/pod-template.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type StatefulSet = ObjectOf<typeof statefulSetSchema>;

export const statefulSetSchema = objectSchema(
  "apps.v1.StatefulSet",
  {
    doc: "Runs pods with stable names and storage of their own. A pod that is replaced gets the same name and the same volumes.",
  },
  () => ({
    spec: s.of(statefulSetSpec, {
      proto: 2,
      optional: true,
      doc: "The pods that shall run, with their identities and volumes.",
    }),
    status: s.of(statefulSetStatus, {
      proto: 3,
      optional: true,
      doc: "How far that has come; written by the controller, a little late.",
    }),
  }),
);

export type StatefulSetSpec = ObjectOf<typeof statefulSetSpec>;

export const statefulSetSpec = s.struct("apps.v1.StatefulSetSpec", { doc: "What a stateful set shall run." }, () => ({
  replicas: s.int32({
    proto: 1,
    optional: true,
    pointer: true,
    doc: "How many pods shall run, numbered from the first ordinal on; 1 if not set.",
  }),
  selector: s.of(labelSelector, {
    proto: 2,
    pointer: true,
    doc: "Which pods belong to the set; the template's labels must match. Cannot change.",
  }),
  template: s.of(podTemplateSpec, {
    proto: 3,
    doc: "The pod to run; each one is named after the set and its number: web-0, web-1.",
  }),
  volumeClaimTemplates: s.list(persistentVolumeClaimSchema, {
    proto: 4,
    optional: true,
    listType: "atomic",
    doc: "A claim is made from each of these for every pod; it replaces a volume of the same name in the template. Cannot change.",
  }),
  serviceName: s.string({
    proto: 5,
    required: false,
    doc: "The headless service that gives the pods their DNS names; create it before the set. Cannot change.",
  }),
  podManagementPolicy: s.enumOf(["OrderedReady", "Parallel"], {
    alias: "PodManagementPolicyType",
    proto: 6,
    optional: true,
    doc: "OrderedReady (the default) starts and stops pods one after another; Parallel all at once. Cannot change.",
  }),
  updateStrategy: s.of(statefulSetUpdateStrategy, {
    proto: 7,
    optional: true,
    doc: "How running pods are replaced when the template changes.",
  }),
  revisionHistoryLimit: s.int32({
    proto: 8,
    optional: true,
    pointer: true,
    doc: "How many old revisions are kept to roll back to; 10 if not set.",
  }),
  minReadySeconds: s.int32({
    proto: 9,
    optional: true,
    doc: "Seconds that a new pod must be ready without a crash before it counts as available; 0 means at once.",
  }),
  persistentVolumeClaimRetentionPolicy: s.of(statefulSetPersistentVolumeClaimRetentionPolicy, {
    proto: 10,
    optional: true,
    pointer: true,
    doc: "What becomes of the claims made from the templates; not set, all are kept.",
  }),
  ordinals: s.of(statefulSetOrdinals, {
    proto: 11,
    optional: true,
    pointer: true,
    doc: "How the pods are numbered; not set, from 0 on.",
  }),
}));

export type StatefulSetUpdateStrategy = ObjectOf<typeof statefulSetUpdateStrategy>;

export const statefulSetUpdateStrategy = s.struct(
  "apps.v1.StatefulSetUpdateStrategy",
  { doc: "How pods are replaced when the template changes." },
  () => ({
    type: s.enumOf(["OnDelete", "RollingUpdate"], {
      alias: "StatefulSetUpdateStrategyType",
      proto: 1,
      optional: true,
      doc: "RollingUpdate (the default) replaces pods from the highest number down; OnDelete only those that somebody deletes.",
    }),
    rollingUpdate: s.of(rollingUpdateStatefulSetStrategy, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Limits of a rolling update; only with type RollingUpdate.",
    }),
  }),
);

export type RollingUpdateStatefulSetStrategy = ObjectOf<typeof rollingUpdateStatefulSetStrategy>;

export const rollingUpdateStatefulSetStrategy = s.struct(
  "apps.v1.RollingUpdateStatefulSetStrategy",
  { doc: "Which pods a rolling update replaces, and how many at a time." },
  () => ({
    partition: s.int32({
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Only pods with this number or a higher one are updated; 0, the default, updates all.",
    }),
    maxUnavailable: s.intOrString({
      proto: 2,
      optional: true,
      pointer: true,
      gate: "MaxUnavailableStatefulSet",
      doc: "How many pods may be unavailable during an update: a number, or a percentage rounded up. 1 if not set.",
    }),
  }),
);

export type StatefulSetPersistentVolumeClaimRetentionPolicy = ObjectOf<
  typeof statefulSetPersistentVolumeClaimRetentionPolicy
>;

export const statefulSetPersistentVolumeClaimRetentionPolicy = s.struct(
  "apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy",
  { doc: "What becomes of the claims that were made from the templates." },
  () => ({
    whenDeleted: s.string({
      alias: "PersistentVolumeClaimRetentionPolicyType",
      proto: 1,
      optional: true,
      doc: "When the set is deleted: Retain (the default) keeps the claims, Delete removes them with their pods.",
    }),
    whenScaled: s.string({
      alias: "PersistentVolumeClaimRetentionPolicyType",
      proto: 2,
      optional: true,
      doc: "When replicas are reduced: Retain (the default) keeps the claims of the pods that go, Delete removes them.",
    }),
  }),
);

export type StatefulSetOrdinals = ObjectOf<typeof statefulSetOrdinals>;

export const statefulSetOrdinals = s.struct(
  "apps.v1.StatefulSetOrdinals",
  { doc: "How the pods of a stateful set are numbered." },
  () => ({
    start: s.int32({
      proto: 1,
      required: false,
      doc: "The number of the first pod; the others follow it without gaps. 0 if not set.",
    }),
  }),
);

export type StatefulSetStatus = ObjectOf<typeof statefulSetStatus>;

export const statefulSetStatus = s.struct(
  "apps.v1.StatefulSetStatus",
  { doc: "How far a stateful set has come." },
  () => ({
    observedGeneration: s.int64({
      proto: 1,
      optional: true,
      doc: "The generation of the spec that this status describes.",
    }),
    replicas: s.int32({ proto: 2, doc: "Pods that the controller has created." }),
    readyReplicas: s.int32({ proto: 3, optional: true, doc: "Pods that are ready." }),
    currentReplicas: s.int32({ proto: 4, optional: true, doc: "Pods of the revision named by currentRevision." }),
    updatedReplicas: s.int32({ proto: 5, optional: true, doc: "Pods of the revision named by updateRevision." }),
    currentRevision: s.string({
      proto: 6,
      optional: true,
      doc: "The revision from which the pods that are not yet updated were made.",
    }),
    updateRevision: s.string({
      proto: 7,
      optional: true,
      doc: "The revision of the present template, to which pods are updated.",
    }),
    collisionCount: s.int32({
      proto: 9,
      optional: true,
      pointer: true,
      doc: "How often the name of a new revision was already taken; keeps the hashes in names unique.",
    }),
    conditions: s.list(statefulSetCondition, {
      proto: 10,
      optional: true,
      listType: "map",
      mapKeys: ["type"],
      patchStrategy: ["merge"],
      patchMergeKey: "type",
      doc: "The present state by aspect.",
    }),
    availableReplicas: s.int32({
      proto: 11,
      required: false,
      doc: "Pods that have been ready for at least minReadySeconds.",
    }),
  }),
);

export type StatefulSetCondition = ObjectOf<typeof statefulSetCondition>;

export const statefulSetCondition = s.struct(
  "apps.v1.StatefulSetCondition",
  { doc: "One aspect of the state of a stateful set." },
  () => ({
    type: s.string({ alias: "StatefulSetConditionType", proto: 1, doc: "The aspect that is reported." }),
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
