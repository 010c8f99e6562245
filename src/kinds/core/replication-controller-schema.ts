// The schema of ReplicationController.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { podTemplateSpec } from "./pod-template.ts";

export type ReplicationController = ObjectOf<typeof replicationControllerSchema>;

export const replicationControllerSchema = objectSchema(
  "core.v1.ReplicationController",
  { doc: "Keeps a number of pods running; ReplicaSet and Deployment have taken its place." },
  () => ({
    spec: s.of(replicationControllerSpec, { proto: 2, optional: true }),
    status: s.of(replicationControllerStatus, { proto: 3, optional: true }),
  }),
);

export type ReplicationControllerSpec = ObjectOf<typeof replicationControllerSpec>;

export const replicationControllerSpec = s.struct("core.v1.ReplicationControllerSpec", () => ({
  replicas: s.int32({ proto: 1, optional: true, pointer: true, default: 1 }),
  minReadySeconds: s.int32({ proto: 4, optional: true, publishedDefault: 0 }),
  selector: s.map("string", { proto: 2, optional: true, mapType: "atomic" }),
  template: s.of(podTemplateSpec, { proto: 3, optional: true, pointer: true }),
}));

export type ReplicationControllerStatus = ObjectOf<typeof replicationControllerStatus>;

export const replicationControllerStatus = s.struct("core.v1.ReplicationControllerStatus", () => ({
  replicas: s.int32({ proto: 1 }),
  fullyLabeledReplicas: s.int32({ proto: 2, optional: true }),
  readyReplicas: s.int32({ proto: 4, optional: true }),
  availableReplicas: s.int32({ proto: 5, optional: true }),
  observedGeneration: s.int64({ proto: 3, optional: true }),
  conditions: s.list(replicationControllerCondition, {
    proto: 6,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
  }),
}));

export type ReplicationControllerCondition = ObjectOf<typeof replicationControllerCondition>;

export const replicationControllerCondition = s.struct("core.v1.ReplicationControllerCondition", () => ({
  type: s.string({ alias: "ReplicationControllerConditionType", proto: 1 }),
  status: s.string({ alias: "ConditionStatus", proto: 2 }),
  lastTransitionTime: s.time({ proto: 3, required: false }),
  reason: s.string({ proto: 4, optional: true }),
  message: s.string({ proto: 5, optional: true }),
}));
