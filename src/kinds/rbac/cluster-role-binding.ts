// ClusterRoleBinding: grants a role to users everywhere.

import { s } from "../../schema/builder.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { ALL_VERBS } from "../verbs.ts";
import { bindingColumns } from "./binding-columns.ts";
import { defaultBinding } from "./binding-defaults.ts";
import { validateClusterRoleBinding, validateSameRole } from "./binding-validation.ts";
import { roleRef, subject } from "./subject.ts";

export type ClusterRoleBinding = ObjectOf<typeof clusterRoleBindingSchema>;

export const clusterRoleBindingSchema = objectSchema(
  "rbac.v1.ClusterRoleBinding",
  { doc: "Grants a role to users everywhere." },
  () => ({
    subjects: s.list(subject, { proto: 2, optional: true, listType: "atomic" }),
    roleRef: s.of(roleRef, { proto: 3 }),
  }),
);

export const clusterRoleBinding = defineKind({
  group: "rbac.authorization",
  version: "v1",
  kind: "ClusterRoleBinding",
  resource: "clusterrolebindings",
  singular: "clusterrolebinding",
  scope: "Cluster",
  verbs: ALL_VERBS,
  schema: clusterRoleBindingSchema,
  storagePrefix: "clusterrolebindings",
  createOnUpdate: true,
  unconditionalUpdate: true,
  protobuf: true,
  name: "pathSegment",
  columns: bindingColumns<ClusterRoleBinding>(),
  hooks: {
    default: defaultBinding,
    validate: validateClusterRoleBinding,
    validateUpdate: (binding, old, context) => [
      ...validateClusterRoleBinding(binding, context),
      ...validateSameRole(binding, old),
    ],
  },
});
