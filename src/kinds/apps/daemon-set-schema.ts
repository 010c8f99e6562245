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
    spec: s.of(daemonSetSpec, { proto: 2, optional: true }),
    status: s.of(daemonSetStatus, { proto: 3, optional: true }),
  }),
);

export type DaemonSetSpec = ObjectOf<typeof daemonSetSpec>;

export const daemonSetSpec = s.struct("apps.v1.DaemonSetSpec", { doc: "What runs on every node." }, () => ({
  selector: s.of(labelSelector, { proto: 1, pointer: true }),
  template: s.of(podTemplateSpec, { proto: 2 }),
  updateStrategy: s.of(daemonSetUpdateStrategy, { proto: 3, optional: true }),
  minReadySeconds: s.int32({ proto: 4, optional: true }),
  revisionHistoryLimit: s.int32({ proto: 6, optional: true, pointer: true }),
}));

export type DaemonSetUpdateStrategy = ObjectOf<typeof daemonSetUpdateStrategy>;

export const daemonSetUpdateStrategy = s.struct("apps.v1.DaemonSetUpdateStrategy", () => ({
  type: s.enumOf(["OnDelete", "RollingUpdate"], { alias: "DaemonSetUpdateStrategyType", proto: 1, optional: true }),
  rollingUpdate: s.of(rollingUpdateDaemonSet, { proto: 2, optional: true, pointer: true }),
}));

export type RollingUpdateDaemonSet = ObjectOf<typeof rollingUpdateDaemonSet>;

export const rollingUpdateDaemonSet = s.struct("apps.v1.RollingUpdateDaemonSet", () => ({
  maxUnavailable: s.intOrString({ proto: 1, optional: true, pointer: true }),
  maxSurge: s.intOrString({ proto: 2, optional: true, pointer: true }),
}));

export type DaemonSetStatus = ObjectOf<typeof daemonSetStatus>;

export const daemonSetStatus = s.struct("apps.v1.DaemonSetStatus", () => ({
  currentNumberScheduled: s.int32({ proto: 1 }),
  numberMisscheduled: s.int32({ proto: 2 }),
  desiredNumberScheduled: s.int32({ proto: 3 }),
  numberReady: s.int32({ proto: 4 }),
  observedGeneration: s.int64({ proto: 5, optional: true }),
  updatedNumberScheduled: s.int32({ proto: 6, optional: true }),
  numberAvailable: s.int32({ proto: 7, optional: true }),
  numberUnavailable: s.int32({ proto: 8, optional: true }),
  collisionCount: s.int32({ proto: 9, optional: true, pointer: true }),
  conditions: s.list(daemonSetCondition, {
    proto: 10,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
  }),
}));

export type DaemonSetCondition = ObjectOf<typeof daemonSetCondition>;

export const daemonSetCondition = s.struct("apps.v1.DaemonSetCondition", () => ({
  type: s.string({ alias: "DaemonSetConditionType", proto: 1 }),
  status: s.string({ alias: "ConditionStatus", proto: 2 }),
  lastTransitionTime: s.time({ proto: 3, required: false }),
  reason: s.string({ proto: 4, optional: true }),
  message: s.string({ proto: 5, optional: true }),
}));
