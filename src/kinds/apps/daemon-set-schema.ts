// The schema of DaemonSet.

import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { podTemplateSpec } from "../core/pod-template.ts";
import { aspectMembers } from "../meta/condition.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type DaemonSet = ObjectOf<typeof daemonSetSchema>;

export const daemonSetSchema = objectSchema("apps.v1.DaemonSet", "Runs one pod on every node that fits.", () => ({
  spec: opt.of(daemonSetSpec, 2, "What shall run on the nodes."),
  status: opt.of(daemonSetStatus, 3, "How far that has come; written by the controller."),
}));

const daemonSetSpec = s.struct("apps.v1.DaemonSetSpec", "What runs on every node.", () => ({
  selector: s.of(
    labelSelector,
    1,
    "Which pods belong to the daemon set; the template's labels must match. Cannot change.",
    { pointer: true },
  ),
  template: s.of(podTemplateSpec, 2, "The pod that runs on each node that its node selector and tolerations allow."),
  updateStrategy: opt.of(daemonSetUpdateStrategy, 3, "How running pods are replaced when the template changes."),
  minReadySeconds: opt.int32(
    4,
    "Seconds that a new pod must be ready without a crash before it counts as available; 0 means at once.",
  ),
  revisionHistoryLimit: ptr.int32(6, "How many old revisions are kept to roll back to; 10 if not set."),
}));

export type DaemonSetUpdateStrategy = ObjectOf<typeof daemonSetUpdateStrategy>;

export const daemonSetUpdateStrategy = s.struct(
  "apps.v1.DaemonSetUpdateStrategy",
  "How pods are replaced when the template changes.",
  () => ({
    type: opt.enumOf(
      "DaemonSetUpdateStrategyType",
      ["OnDelete", "RollingUpdate"],
      1,
      "RollingUpdate (the default) replaces pods step by step; OnDelete only those that somebody deletes.",
    ),
    rollingUpdate: ptr.of(rollingUpdateDaemonSet, 2, "The pace of a rolling update; only with type RollingUpdate."),
  }),
);

const rollingUpdateDaemonSet = s.struct(
  "apps.v1.RollingUpdateDaemonSet",
  "The pace of a rolling update: exactly one of the two limits is above zero.",
  () => ({
    maxUnavailable: ptr.intOrString(
      1,
      "Nodes that may be without an available pod during an update: a number, or a percentage rounded up. 1 if not set.",
    ),
    maxSurge: ptr.intOrString(
      2,
      "Nodes that may run the new pod beside the old one during an update: a number, or a percentage rounded up. 0 if not set.",
    ),
  }),
);

const daemonSetStatus = s.struct("apps.v1.DaemonSetStatus", "How far a daemon set has come.", () => ({
  currentNumberScheduled: s.int32(1, "Nodes that run a pod of the set and shall run one."),
  numberMisscheduled: s.int32(2, "Nodes that run a pod of the set although they shall not."),
  desiredNumberScheduled: s.int32(3, "Nodes that shall run a pod of the set."),
  numberReady: s.int32(4, "Nodes that shall run a pod and have one that is ready."),
  observedGeneration: opt.int64(5, "The generation of the spec that this status describes."),
  updatedNumberScheduled: opt.int32(6, "Nodes that run a pod of the current template."),
  numberAvailable: opt.int32(7, "Nodes with a pod that has been ready for at least minReadySeconds."),
  numberUnavailable: opt.int32(8, "Nodes that shall run a pod but have none that is available."),
  collisionCount: ptr.int32(
    9,
    "How often the name of a new revision was already taken; keeps the hashes in names unique.",
  ),
  conditions: opt.listBy("type", daemonSetCondition, 10, "The present state by aspect."),
}));

const daemonSetCondition = s.struct("apps.v1.DaemonSetCondition", "One aspect of the state of a daemon set.", () =>
  aspectMembers("DaemonSetConditionType", "The aspect that is reported."),
);
