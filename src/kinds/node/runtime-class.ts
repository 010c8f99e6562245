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
  { doc: "A container runtime that pods may choose." },
  () => ({
    handler: s.string({ proto: 2 }),
    overhead: s.of(overhead, { proto: 3, optional: true, pointer: true }),
    scheduling: s.of(scheduling, { proto: 4, optional: true, pointer: true }),
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

export const overhead = s.struct("node.v1.Overhead", () => ({
  podFixed: s.map("quantity", { alias: "ResourceList", proto: 1, optional: true }),
}));

export type Scheduling = ObjectOf<typeof scheduling>;

export const scheduling = s.struct("node.v1.Scheduling", () => ({
  nodeSelector: s.map("string", { proto: 1, optional: true, mapType: "atomic" }),
  tolerations: s.list(toleration, { proto: 2, optional: true, listType: "atomic" }),
}));
