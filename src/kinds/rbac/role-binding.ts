// RoleBinding: grants a role to users in one namespace.

import { opt, s } from "../../schema/builder.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { bindingColumns } from "./binding-columns.ts";
import { defaultBinding } from "./binding-defaults.ts";
import { validateBindingUpdate, validateRoleBinding } from "./binding-validation.ts";
import { roleRef, subject } from "./subject.ts";

export type RoleBinding = ObjectOf<typeof roleBindingSchema>;

const roleBindingSchema = objectSchema(
  "rbac.v1.RoleBinding",
  "Grants a role to users, groups and service accounts in one namespace.",
  () => ({
    subjects: opt.atomic(subject, 2, "Who gets the role; service accounts may be of other namespaces."),
    roleRef: s.of(
      roleRef,
      3,
      "The role of this namespace, or the cluster role, that is granted here. Cannot change: make a new binding instead.",
    ),
  }),
);

export const roleBinding = defineKind({
  group: "rbac.authorization",
  version: "v1",
  kind: "RoleBinding",
  resource: "rolebindings",
  scope: "Namespaced",
  schema: roleBindingSchema,
  createOnUpdate: true,
  unconditionalUpdate: true,
  name: "pathSegment",
  columns: bindingColumns<RoleBinding>(),
  hooks: {
    default: defaultBinding,
    validate: validateRoleBinding,
    validateUpdate: (binding, old, context) =>
      validateBindingUpdate(validateRoleBinding(binding, context), binding, old),
  },
});
