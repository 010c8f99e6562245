// The schema of StatefulSet.

import { dns1123LabelProblems } from "../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s, shown } from "../../schema/builder.ts";
import { INSIDE, NOT_NEGATIVE } from "../../schema/check-fields.ts";
import { persistentVolumeClaimSchema } from "../core/persistent-volume-claim/schema.ts";
import { podTemplateSpec } from "../core/pod/template-schema.ts";
import { aspectMembers } from "../meta/condition.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type StatefulSet = ObjectOf<typeof statefulSetSchema>;

export const statefulSetSchema = objectSchema(
  "apps.v1.StatefulSet",
  "Runs pods with stable names and storage of their own. A pod that is replaced gets the same name and the same volumes.",
  () => ({
    spec: opt.of(statefulSetSpec, 2, "The pods that shall run, with their identities and volumes."),
    status: opt.of(statefulSetStatus, 3, "How far that has come; written by the controller, a little late."),
  }),
);

export type StatefulSetSpec = ObjectOf<typeof statefulSetSpec>;

export const statefulSetSpec = s.struct("apps.v1.StatefulSetSpec", "What a stateful set shall run.", () => ({
  replicas: ptr.int32(1, "How many pods shall run, numbered from the first ordinal on; 1 if not set.", {
    must: NOT_NEGATIVE,
  }),
  selector: s.of(labelSelector, 2, "Which pods belong to the set; the template's labels must match. Cannot change.", {
    pointer: true,
  }),
  template: s.of(podTemplateSpec, 3, "The pod to run; each one is named after the set and its number: web-0, web-1."),
  volumeClaimTemplates: opt.atomic(
    persistentVolumeClaimSchema,
    4,
    "A claim is made from each of these for every pod; it replaces a volume of the same name in the template. Cannot change.",
  ),
  serviceName: shown.string(
    5,
    "The headless service that gives the pods their DNS names; create it before the set. Cannot change.",
    { must: { form: dns1123LabelProblems } },
  ),
  podManagementPolicy: opt.enumOf(
    "PodManagementPolicyType",
    ["OrderedReady", "Parallel"],
    6,
    "OrderedReady (the default) starts and stops pods one after another; Parallel all at once. Cannot change.",
    { must: { filled: true, form: managementProblems } },
  ),
  updateStrategy: opt.of(statefulSetUpdateStrategy, 7, "How running pods are replaced when the template changes."),
  revisionHistoryLimit: ptr.int32(8, "How many old revisions are kept to roll back to; 10 if not set."),
  minReadySeconds: opt.int32(
    9,
    "Seconds that a new pod must be ready without a crash before it counts as available; 0 means at once.",
    { must: NOT_NEGATIVE },
  ),
  persistentVolumeClaimRetentionPolicy: ptr.of(
    statefulSetPersistentVolumeClaimRetentionPolicy,
    10,
    "What becomes of the claims made from the templates; not set, all are kept.",
    { must: INSIDE },
  ),
  ordinals: ptr.of(statefulSetOrdinals, 11, "How the pods are numbered; not set, from 0 on.", { must: INSIDE }),
}));

const managementProblems = (policy: string): string[] =>
  policy === "OrderedReady" || policy === "Parallel" ? [] : ["must be 'OrderedReady' or 'Parallel'"];

export const statefulSetUpdateStrategy = s.struct(
  "apps.v1.StatefulSetUpdateStrategy",
  "How pods are replaced when the template changes.",
  () => ({
    type: opt.enumOf(
      "StatefulSetUpdateStrategyType",
      ["OnDelete", "RollingUpdate"],
      1,
      "RollingUpdate (the default) replaces pods from the highest number down; OnDelete only those that somebody deletes.",
    ),
    rollingUpdate: ptr.of(
      rollingUpdateStatefulSetStrategy,
      2,
      "Limits of a rolling update; only with type RollingUpdate.",
    ),
  }),
);

export const rollingUpdateStatefulSetStrategy = s.struct(
  "apps.v1.RollingUpdateStatefulSetStrategy",
  "Which pods a rolling update replaces, and how many at a time.",
  () => ({
    partition: ptr.int32(1, "Only pods with this number or a higher one are updated; 0, the default, updates all."),
    maxUnavailable: ptr.intOrString(
      2,
      "How many pods may be unavailable during an update: a number, or a percentage rounded up. 1 if not set.",
      { gate: "MaxUnavailableStatefulSet" },
    ),
  }),
);

const statefulSetPersistentVolumeClaimRetentionPolicy = s.struct(
  "apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy",
  "What becomes of the claims that were made from the templates.",
  () => ({
    whenDeleted: opt.named(
      "PersistentVolumeClaimRetentionPolicyType",
      1,
      "When the set is deleted: Retain (the default) keeps the claims, Delete removes them with their pods.",
      { must: RETENTION },
    ),
    whenScaled: opt.named(
      "PersistentVolumeClaimRetentionPolicyType",
      2,
      "When replicas are reduced: Retain (the default) keeps the claims of the pods that go, Delete removes them.",
      { must: RETENTION },
    ),
  }),
);

const RETENTION = { strict: true, listed: ["Retain", "Delete"] };

const statefulSetOrdinals = s.struct(
  "apps.v1.StatefulSetOrdinals",
  "How the pods of a stateful set are numbered.",
  () => ({
    start: shown.int32(1, "The number of the first pod; the others follow it without gaps. 0 if not set.", {
      must: NOT_NEGATIVE,
    }),
  }),
);

const statefulSetStatus = s.struct("apps.v1.StatefulSetStatus", "How far a stateful set has come.", () => ({
  observedGeneration: opt.int64(1, "The generation of the spec that this status describes."),
  replicas: s.int32(2, "Pods that the controller has created."),
  readyReplicas: opt.int32(3, "Pods that are ready."),
  currentReplicas: opt.int32(4, "Pods of the revision named by currentRevision."),
  updatedReplicas: opt.int32(5, "Pods of the revision named by updateRevision."),
  currentRevision: opt.string(6, "The revision from which the pods that are not yet updated were made."),
  updateRevision: opt.string(7, "The revision of the present template, to which pods are updated."),
  collisionCount: ptr.int32(
    9,
    "How often the name of a new revision was already taken; keeps the hashes in names unique.",
  ),
  conditions: opt.listBy("type", statefulSetCondition, 10, "The present state by aspect."),
  availableReplicas: shown.int32(11, "Pods that have been ready for at least minReadySeconds."),
}));

const statefulSetCondition = s.struct(
  "apps.v1.StatefulSetCondition",
  "One aspect of the state of a stateful set.",
  () => aspectMembers("StatefulSetConditionType", "The aspect that is reported."),
);
