// Role: a set of permissions in one namespace.

import type { Steps } from "../../base/steps.ts";
import type { FieldError } from "../../meta/field-error.ts";
import { shown } from "../../schema/builder.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { policyRule, validateRules } from "./policy-rule.ts";

export type Role = ObjectOf<typeof roleSchema>;

const roleSchema = objectSchema("rbac.v1.Role", "A set of permissions in one namespace.", () => ({
  rules: shown.atomic(policyRule, 2, "What is allowed in the namespace; nothing is ever forbidden by a rule."),
}));

export const role = defineKind({
  group: "rbac.authorization",
  version: "v1",
  kind: "Role",
  resource: "roles",
  scope: "Namespaced",
  judgedInSteps: true,
  schema: roleSchema,
  createOnUpdate: true,
  unconditionalUpdate: true,
  name: "pathSegment",
  hooks: {
    validate: validateRole,
    // Upstream judges an update as an object and as a change: what is wrong stands there twice.
    *validateUpdate(role) {
      const errors = yield* validateRole(role);
      return [...errors, ...errors];
    },
  },
});

export function validateRole(role: Role): Steps<FieldError[]> {
  return validateRules(role.rules, true);
}
