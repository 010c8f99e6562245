// Eviction: asks a pod to leave its node, within its disruption budget.

import { ptr } from "../../schema/builder.ts";
import { defineBody, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { deleteOptions } from "../meta/options.ts";

export type Eviction = ObjectOf<typeof evictionSchema>;

export const evictionSchema = objectSchema(
  "policy.v1.Eviction",
  "Asks a pod to leave its node, within its budget. Refused with 429 while a disruption budget does not allow it.",
  () => ({
    deleteOptions: ptr.of(deleteOptions, 2, "How to delete the pod, for example with which grace period."),
  }),
);

export const eviction = defineBody({
  group: "policy",
  version: "v1",
  kind: "Eviction",
  scope: "Namespaced",
  schema: evictionSchema,
});
