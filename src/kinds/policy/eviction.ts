// Eviction: asks a pod to leave its node, within its disruption budget.

import { s } from "../../schema/builder.ts";
import { defineBody, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { deleteOptions } from "../meta/options.ts";

export type Eviction = ObjectOf<typeof evictionSchema>;

export const evictionSchema = objectSchema(
  "policy.v1.Eviction",
  {
    doc: "Asks a pod to leave its node, within its budget. Refused with 429 while a disruption budget does not allow it.",
  },
  () => ({
    deleteOptions: s.of(deleteOptions, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "How to delete the pod, for example with which grace period.",
    }),
  }),
);

export const eviction = defineBody({
  group: "policy",
  version: "v1",
  kind: "Eviction",
  scope: "Namespaced",
  schema: evictionSchema,
});
