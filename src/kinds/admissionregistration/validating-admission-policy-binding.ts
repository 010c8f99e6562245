// ValidatingAdmissionPolicyBinding: puts a policy into force.

import type { Steps } from "../../base/steps.ts";
import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { opt, s } from "../../schema/builder.ts";
import { checkFields, LISTED } from "../../schema/check-fields.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { BINDING_COLUMNS, bindingMembers, defaultBinding } from "./binding-members.ts";
import { matchResources, paramRef } from "./match-resources.ts";
import { bindingErrors } from "./policy-binding-validation.ts";

export type ValidatingAdmissionPolicyBinding = ObjectOf<typeof validatingAdmissionPolicyBindingSchema>;

const validatingAdmissionPolicyBindingSchema = objectSchema(
  "admissionregistration.v1.ValidatingAdmissionPolicyBinding",
  "Puts a policy into force.",
  () => ({
    spec: opt.of(
      validatingAdmissionPolicyBindingSpec,
      2,
      "Which policy, with which parameters, for which requests, and what follows.",
    ),
  }),
);

export const validatingAdmissionPolicyBinding = defineKind({
  group: "admissionregistration",
  version: "v1",
  kind: "ValidatingAdmissionPolicyBinding",
  resource: "validatingadmissionpolicybindings",
  scope: "Cluster",
  categories: ["api-extensions"],
  schema: validatingAdmissionPolicyBindingSchema,
  freeFinalizers: true,
  generation: true,
  columns: BINDING_COLUMNS,
  hooks: {
    default: defaultBinding,
    validate: validateValidatingBinding,
    validateUpdate: validateValidatingBinding,
  },
});

const validatingAdmissionPolicyBindingSpec = s.struct(
  "admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec",
  "Puts a policy into force for certain requests, with certain parameters.",
  () => ({
    ...bindingMembers(paramRef, matchResources),
    validationActions: opt.set(
      s.enumValue(["Audit", "Deny", "Warn"]),
      4,
      "What follows when a rule is not met: Deny refuses, Warn warns the client, Audit notes it. Deny and Warn exclude each other.",
      { alias: "ValidationAction", must: { each: LISTED, unique: true } },
    ),
  }),
);

function* validateValidatingBinding({ spec }: ValidatingAdmissionPolicyBinding): Steps<FieldError[]> {
  const errors = yield* bindingErrors(spec, validatingAdmissionPolicyBindingSpec);
  checkFields(spec, validatingAdmissionPolicyBindingSpec, "spec", errors, ["validationActions"]);
  const path = "spec.validationActions";
  const actions = spec.validationActions ?? [];
  if (actions.includes("Deny") && actions.includes("Warn")) {
    errors.push(
      invalid(
        path,
        actions,
        "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
      ),
    );
  }
  if (actions.length === 0) errors.push(required(path, "at least one validation action is required"));
  return errors;
}
