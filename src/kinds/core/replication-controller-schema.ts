// The schema of ReplicationController.

import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { reportMembers } from "../meta/condition.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { podTemplateSpec } from "./pod-template.ts";

export type ReplicationController = ObjectOf<typeof replicationControllerSchema>;

export const replicationControllerSchema = objectSchema(
  "core.v1.ReplicationController",
  "Keeps a number of pods running; ReplicaSet and Deployment have taken its place.",
  () => ({
    spec: opt.of(replicationControllerSpec, 2, "What the controller shall keep running."),
    status: opt.of(replicationControllerStatus, 3, "What runs now."),
  }),
);

const replicationControllerSpec = s.struct(
  "core.v1.ReplicationControllerSpec",
  "What a replication controller shall keep running.",
  () => ({
    replicas: ptr.int32(1, "How many pods shall run. Not set, 1.", { default: 1 }),
    minReadySeconds: opt.int32(
      4,
      "Seconds that a pod must be ready, with no container failing, to count as available. Not set, 0.",
      { publishedDefault: 0 },
    ),
    selector: opt.map("string", 2, "Labels of the pods that are counted. Not set, those of the template.", {
      mapType: "atomic",
    }),
    template: ptr.of(
      podTemplateSpec,
      3,
      "The pods that are made when there are too few. Their restart policy must be `Always`.",
    ),
  }),
);

const replicationControllerStatus = s.struct(
  "core.v1.ReplicationControllerStatus",
  "What runs for a replication controller now.",
  () => ({
    replicas: s.int32(1, "How many pods there are."),
    fullyLabeledReplicas: opt.int32(2, "How many of them have all labels of the template."),
    readyReplicas: opt.int32(4, "How many of them are ready."),
    availableReplicas: opt.int32(5, "How many of them have been ready for `minReadySeconds`."),
    observedGeneration: opt.int64(3, "Generation of the object at which this status was written."),
    conditions: opt.listBy(
      "type",
      replicationControllerCondition,
      6,
      "What is known of the controller, such as a failure to create pods.",
    ),
  }),
);

const replicationControllerCondition = s.struct(
  "core.v1.ReplicationControllerCondition",
  "One aspect of the state of a replication controller.",
  () => reportMembers("ReplicationControllerConditionType", "What is told, for example `ReplicaFailure`."),
);
