// RuntimeClass: a container runtime that pods may choose.

import { opt, ptr, s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { roundResourceList } from "../core/resource-list.ts";
import { toleration } from "../core/toleration.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { validateRuntimeClass, validateRuntimeClassUpdate, warnRuntimeClass } from "./runtime-class-validation.ts";

export type RuntimeClass = ObjectOf<typeof runtimeClassSchema>;

const runtimeClassSchema = objectSchema(
  "node.v1.RuntimeClass",
  "A container runtime that pods may choose with runtimeClassName.",
  () => ({
    handler: s.string(
      2,
      "The configuration of the runtime on the nodes, by its name there: a DNS label. Cannot change.",
    ),
    overhead: ptr.of(overhead, 3, "What a pod needs beyond its containers; added to the pod when it is created."),
    scheduling: ptr.of(scheduling, 4, "Where pods of this class can run. Not set: every node is taken to support it."),
  }),
);

export const runtimeClass = defineKind({
  group: "node",
  version: "v1",
  kind: "RuntimeClass",
  resource: "runtimeclasses",
  scope: "Cluster",
  schema: runtimeClassSchema,
  createOnUpdate: true,
  columns: [NAME_COLUMN, { name: "Handler", type: "string", cell: (runtime) => runtime.handler }, AGE_COLUMN],
  hooks: {
    default: ({ overhead }) => roundResourceList(overhead?.podFixed),
    validate: validateRuntimeClass,
    validateUpdate: validateRuntimeClassUpdate,
    warn: warnRuntimeClass,
  },
});

const overhead = s.struct("node.v1.Overhead", "What running a pod costs beyond its containers.", () => ({
  podFixed: opt.map("quantity", 1, "Amounts for each pod, by resource; they count for scheduling and quota.", {
    alias: "ResourceList",
  }),
}));

export type Scheduling = ObjectOf<typeof scheduling>;

const scheduling = s.struct(
  "node.v1.Scheduling",
  "Which nodes support a runtime, added to every pod that chooses it.",
  () => ({
    nodeSelector: opt.map(
      "string",
      1,
      "Labels that the nodes must have. Joined with the pod's own; a pod that contradicts it is refused.",
      { mapType: "atomic" },
    ),
    tolerations: opt.atomic(toleration, 2, "Taints to put up with, added to those of the pod."),
  }),
);
