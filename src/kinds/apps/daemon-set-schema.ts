// The schema of DaemonSet.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { podTemplateSpec } from "../core/pod-template.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type DaemonSet = ObjectOf<typeof daemonSetSchema>;

export const daemonSetSchema = objectSchema(
  "apps.v1.DaemonSet",
  { doc: "Runs one pod on every node that fits." },
  () => ({
    spec: s.of(daemonSetSpec, { proto: 2, optional: true, doc: "What shall run on the nodes." }),
    status: s.of(daemonSetStatus, {
      proto: 3,
      optional: true,
      doc: "How far that has come; written by the controller.",
    }),
  }),
);

export type DaemonSetSpec = ObjectOf<typeof daemonSetSpec>;

export const daemonSetSpec = s.struct("apps.v1.DaemonSetSpec", { doc: "What runs on every node." }, () => ({
  selector: s.of(labelSelector, {
    proto: 1,
    pointer: true,
    doc: "Which pods belong to the daemon set; the template's labels must match. Cannot change.",
  }),
  template: s.of(podTemplateSpec, {
    proto: 2,
    doc: "The pod that runs on each node that its node selector and tolerations allow.",
  }),
  updateStrategy: s.of(daemonSetUpdateStrategy, {
    proto: 3,
    optional: true,
    doc: "How running pods are replaced when the template changes.",
  }),
  minReadySeconds: s.int32({
    proto: 4,
    optional: true,
    doc: "Seconds that a new pod must be ready without a crash before it counts as available; 0 means at once.",
  }),
  revisionHistoryLimit: s.int32({
    proto: 6,
    optional: true,
    pointer: true,
    doc: "How many old revisions are kept to roll back to; 10 if not set.",
  }),
}));

export type DaemonSetUpdateStrategy = ObjectOf<typeof daemonSetUpdateStrategy>;

export const daemonSetUpdateStrategy = s.struct(
  "apps.v1.DaemonSetUpdateStrategy",
  { doc: "How pods are replaced when the template changes." },
  () => ({
    type: s.enumOf(["OnDelete", "RollingUpdate"], {
      alias: "DaemonSetUpdateStrategyType",
      proto: 1,
      optional: true,
      doc: "RollingUpdate (the default) replaces pods step by step; OnDelete only those that somebody deletes.",
    }),
    rollingUpdate: s.of(rollingUpdateDaemonSet, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The pace of a rolling update; only with type RollingUpdate.",
    }),
  }),
);

export type RollingUpdateDaemonSet = ObjectOf<typeof rollingUpdateDaemonSet>;

export const rollingUpdateDaemonSet = s.struct(
  "apps.v1.RollingUpdateDaemonSet",
  { doc: "The pace of a rolling update: exactly one of the two limits is above zero." },
  () => ({
    maxUnavailable: s.intOrString({
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Nodes that may be without an available pod during an update: a number, or a percentage rounded up. 1 if not set.",
    }),
    maxSurge: s.intOrString({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Nodes that may run the new pod beside the old one during an update: a number, or a percentage rounded up. 0 if not set.",
    }),
  }),
);

export type DaemonSetStatus = ObjectOf<typeof daemonSetStatus>;

export const daemonSetStatus = s.struct("apps.v1.DaemonSetStatus", { doc: "How far a daemon set has come." }, () => ({
  currentNumberScheduled: s.int32({ proto: 1, doc: "Nodes that run a pod of the set and shall run one." }),
  numberMisscheduled: s.int32({ proto: 2, doc: "Nodes that run a pod of the set although they shall not." }),
  desiredNumberScheduled: s.int32({ proto: 3, doc: "Nodes that shall run a pod of the set." }),
  numberReady: s.int32({ proto: 4, doc: "Nodes that shall run a pod and have one that is ready." }),
  observedGeneration: s.int64({
    proto: 5,
    optional: true,
    doc: "The generation of the spec that this status describes.",
  }),
  updatedNumberScheduled: s.int32({ proto: 6, optional: true, doc: "Nodes that run a pod of the current template." }),
  numberAvailable: s.int32({
    proto: 7,
    optional: true,
    doc: "Nodes with a pod that has been ready for at least minReadySeconds.",
  }),
  numberUnavailable: s.int32({
    proto: 8,
    optional: true,
    doc: "Nodes that shall run a pod but have none that is available.",
  }),
  collisionCount: s.int32({
    proto: 9,
    optional: true,
    pointer: true,
    doc: "How often the name of a new revision was already taken; keeps the hashes in names unique.",
  }),
  conditions: s.list(daemonSetCondition, {
    proto: 10,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
    doc: "The present state by aspect.",
  }),
}));

export type DaemonSetCondition = ObjectOf<typeof daemonSetCondition>;

export const daemonSetCondition = s.struct(
  "apps.v1.DaemonSetCondition",
  { doc: "One aspect of the state of a daemon set." },
  () => ({
    type: s.string({ alias: "DaemonSetConditionType", proto: 1, doc: "The aspect that is reported." }),
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
