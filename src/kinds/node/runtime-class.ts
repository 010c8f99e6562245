// RuntimeClass: a container runtime that pods may choose.

import { s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { roundResourceList } from "../core/resource-list.ts";
import { toleration } from "../core/toleration.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { ALL_VERBS } from "../verbs.ts";
import { validateRuntimeClass, validateRuntimeClassUpdate, warnRuntimeClass } from "./runtime-class-validation.ts";

export type RuntimeClass = ObjectOf<typeof runtimeClassSchema>;

export const runtimeClassSchema = objectSchema(
  "node.v1.RuntimeClass",
  { doc: "A container runtime that pods may choose with runtimeClassName." },
  () => ({
    handler: s.string({
      proto: 2,
      doc: "The configuration of the runtime on the nodes, by its name there: a DNS label. Cannot change.",
    }),
    overhead: s.of(overhead, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "What a pod needs beyond its containers; added to the pod when it is created.",
    }),
    scheduling: s.of(scheduling, {
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Where pods of this class can run. Not set: every node is taken to support it.",
    }),
  }),
);

export const runtimeClass = defineKind({
  group: "node",
  version: "v1",
  kind: "RuntimeClass",
  resource: "runtimeclasses",
  singular: "runtimeclass",
  scope: "Cluster",
  verbs: ALL_VERBS,
  schema: runtimeClassSchema,
  storagePrefix: "runtimeclasses",
  createOnUpdate: true,
  protobuf: true,
  name: "dns1123Subdomain",
  columns: [NAME_COLUMN, { name: "Handler", type: "string", cell: (runtime) => runtime.handler }, AGE_COLUMN],
  hooks: {
    default: ({ overhead }) => roundResourceList(overhead?.podFixed),
    validate: validateRuntimeClass,
    validateUpdate: validateRuntimeClassUpdate,
    warn: warnRuntimeClass,
  },
});

export type Overhead = ObjectOf<typeof overhead>;

export const overhead = s.struct(
  "node.v1.Overhead",
  { doc: "What running a pod costs beyond its containers." },
  () => ({
    podFixed: s.map("quantity", {
      alias: "ResourceList",
      proto: 1,
      optional: true,
      doc: "Amounts for each pod, by resource; they count for scheduling and quota.",
    }),
  }),
);

export type Scheduling = ObjectOf<typeof scheduling>;

export const scheduling = s.struct(
  "node.v1.Scheduling",
  { doc: "Which nodes support a runtime, added to every pod that chooses it." },
  () => ({
    nodeSelector: s.map("string", {
      proto: 1,
      optional: true,
      mapType: "atomic",
      doc: "Labels that the nodes must have. Joined with the pod's own; a pod that contradicts it is refused.",
    }),
    tolerations: s.list(toleration, {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Taints to put up with, added to those of the pod.",
    }),
  }),
);
