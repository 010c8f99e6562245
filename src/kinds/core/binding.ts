// Binding: assigns a pod to a node.

import { s } from "../../schema/builder.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { objectReference } from "./object-reference.ts";

export type Binding = ObjectOf<typeof bindingSchema>;

const bindingSchema = objectSchema("core.v1.Binding", "Assigns a pod to a node.", () => ({
  target: s.of(
    objectReference,
    2,
    "The node to which the pod is assigned. The pod is the one that the binding is named after.",
  ),
}));

export const binding = defineKind({
  group: "",
  version: "v1",
  kind: "Binding",
  resource: "bindings",
  scope: "Namespaced",
  schema: bindingSchema,
  virtual: true,
});
