// The schema of ReplicationController.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { podTemplateSpec } from "./pod-template.ts";

export type ReplicationController = ObjectOf<typeof replicationControllerSchema>;

export const replicationControllerSchema = objectSchema(
  "core.v1.ReplicationController",
  { doc: "Keeps a number of pods running; ReplicaSet and Deployment have taken its place." },
  () => ({
    spec: s.of(replicationControllerSpec, { proto: 2, optional: true, doc: "What the controller shall keep running." }),
    status: s.of(replicationControllerStatus, { proto: 3, optional: true, doc: "What runs now." }),
  }),
);

export type ReplicationControllerSpec = ObjectOf<typeof replicationControllerSpec>;

export const replicationControllerSpec = s.struct(
  "core.v1.ReplicationControllerSpec",
  { doc: "What a replication controller shall keep running." },
  () => ({
    replicas: s.int32({
      proto: 1,
      optional: true,
      pointer: true,
      default: 1,
      doc: "How many pods shall run. Not set, 1.",
    }),
    minReadySeconds: s.int32({
      proto: 4,
      optional: true,
      publishedDefault: 0,
      doc: "Seconds that a pod must be ready, with no container failing, to count as available. Not set, 0.",
    }),
    selector: s.map("string", {
      proto: 2,
      optional: true,
      mapType: "atomic",
      doc: "Labels of the pods that are counted. Not set, those of the template.",
    }),
    template: s.of(podTemplateSpec, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "The pods that are made when there are too few. Their restart policy must be `Always`.",
    }),
  }),
);

export type ReplicationControllerStatus = ObjectOf<typeof replicationControllerStatus>;

export const replicationControllerStatus = s.struct(
  "core.v1.ReplicationControllerStatus",
  { doc: "What runs for a replication controller now." },
  () => ({
    replicas: s.int32({ proto: 1, doc: "How many pods there are." }),
    fullyLabeledReplicas: s.int32({
      proto: 2,
      optional: true,
      doc: "How many of them have all labels of the template.",
    }),
    readyReplicas: s.int32({ proto: 4, optional: true, doc: "How many of them are ready." }),
    availableReplicas: s.int32({
      proto: 5,
      optional: true,
      doc: "How many of them have been ready for `minReadySeconds`.",
    }),
    observedGeneration: s.int64({
      proto: 3,
      optional: true,
      doc: "Generation of the object at which this status was written.",
    }),
    conditions: s.list(replicationControllerCondition, {
      proto: 6,
      optional: true,
      listType: "map",
      mapKeys: ["type"],
      patchStrategy: ["merge"],
      patchMergeKey: "type",
      doc: "What is known of the controller, such as a failure to create pods.",
    }),
  }),
);

export type ReplicationControllerCondition = ObjectOf<typeof replicationControllerCondition>;

export const replicationControllerCondition = s.struct(
  "core.v1.ReplicationControllerCondition",
  { doc: "One aspect of the state of a replication controller." },
  () => ({
    type: s.string({
      alias: "ReplicationControllerConditionType",
      proto: 1,
      doc: "What is told, for example `ReplicaFailure`.",
    }),
    status: s.string({ alias: "ConditionStatus", proto: 2, doc: "`True`, `False` or `Unknown`." }),
    lastTransitionTime: s.time({ proto: 3, required: false, doc: "When the status last changed." }),
    reason: s.string({ proto: 4, optional: true, doc: "Why, in one word for programs." }),
    message: s.string({ proto: 5, optional: true, doc: "Why, for people." }),
  }),
);
