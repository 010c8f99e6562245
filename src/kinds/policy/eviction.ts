// Eviction: asks a pod to leave its node, within its disruption budget.

import { s } from "../../schema/builder.ts";
import { defineBody, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { deleteOptions } from "../meta/options.ts";

export type Eviction = ObjectOf<typeof evictionSchema>;

export const evictionSchema = objectSchema(
  "policy.v1.Eviction",
  { doc: "Asks a pod to leave its node, within its budget." },
  () => ({
    deleteOptions: s.of(deleteOptions, { proto: 2, optional: true, pointer: true }),
  }),
);

export const eviction = defineBody({
  group: "policy",
  version: "v1",
  kind: "Eviction",
  scope: "Namespaced",
  schema: evictionSchema,
});
