// ClusterRole: a set of permissions for the whole cluster.

import { s } from "../../schema/builder.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { ALL_VERBS } from "../verbs.ts";
import { policyRule } from "./policy-rule.ts";
import { validateClusterRole } from "./role-validation.ts";

export type ClusterRole = ObjectOf<typeof clusterRoleSchema>;

export const clusterRoleSchema = objectSchema(
  "rbac.v1.ClusterRole",
  { doc: "A set of permissions for the whole cluster." },
  () => ({
    rules: s.list(policyRule, { proto: 2, required: false, listType: "atomic" }),
    aggregationRule: s.of(aggregationRule, { proto: 3, optional: true, pointer: true }),
  }),
);

export const clusterRole = defineKind({
  group: "rbac.authorization",
  version: "v1",
  kind: "ClusterRole",
  resource: "clusterroles",
  singular: "clusterrole",
  scope: "Cluster",
  verbs: ALL_VERBS,
  schema: clusterRoleSchema,
  storagePrefix: "clusterroles",
  createOnUpdate: true,
  unconditionalUpdate: true,
  protobuf: true,
  name: "pathSegment",
  hooks: { validate: validateClusterRole, validateUpdate: validateClusterRole },
});

export type AggregationRule = ObjectOf<typeof aggregationRule>;

export const aggregationRule = s.struct("rbac.v1.AggregationRule", () => ({
  clusterRoleSelectors: s.list(labelSelector, { proto: 1, optional: true, listType: "atomic" }),
}));
