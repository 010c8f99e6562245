// ClusterRoleBinding: grants a role to users everywhere.

import { opt, s } from "../../schema/builder.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { bindingColumns } from "./binding-columns.ts";
import { defaultBinding } from "./binding-defaults.ts";
import { validateBindingUpdate, validateClusterRoleBinding } from "./binding-validation.ts";
import { roleRef, subject } from "./subject.ts";

export type ClusterRoleBinding = ObjectOf<typeof clusterRoleBindingSchema>;

const clusterRoleBindingSchema = objectSchema(
  "rbac.v1.ClusterRoleBinding",
  "Grants a cluster role to users, groups and service accounts, in all namespaces and for the cluster itself.",
  () => ({
    subjects: opt.atomic(subject, 2, "Who gets the role."),
    roleRef: s.of(roleRef, 3, "The cluster role that is granted. Cannot change: make a new binding instead."),
  }),
);

export const clusterRoleBinding = defineKind({
  group: "rbac.authorization",
  version: "v1",
  kind: "ClusterRoleBinding",
  resource: "clusterrolebindings",
  scope: "Cluster",
  schema: clusterRoleBindingSchema,
  createOnUpdate: true,
  unconditionalUpdate: true,
  name: "pathSegment",
  columns: bindingColumns<ClusterRoleBinding>(),
  hooks: {
    default: defaultBinding,
    validate: validateClusterRoleBinding,
    validateUpdate: (binding, old, context) =>
      validateBindingUpdate(validateClusterRoleBinding(binding, context), binding, old),
  },
});
