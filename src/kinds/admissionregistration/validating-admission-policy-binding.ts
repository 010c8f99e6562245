// ValidatingAdmissionPolicyBinding: puts a policy into force.

import { duplicate, type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { opt, s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { bindingMembers, paramRefCell } from "./binding-members.ts";
import { matchResources, paramRef } from "./match-resources.ts";
import { bindingErrors } from "./policy-binding-validation.ts";
import { defaultMatchResources } from "./webhook-defaults.ts";

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
  generation: true,
  columns: [
    NAME_COLUMN,
    { name: "PolicyName", type: "string", cell: ({ spec }) => spec.policyName ?? "" },
    { name: "ParamRef", type: "string", cell: paramRefCell },
    AGE_COLUMN,
  ],
  hooks: {
    default({ spec }) {
      if (spec.matchResources) defaultMatchResources(spec.matchResources);
    },
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
      { alias: "ValidationAction" },
    ),
  }),
);

const ACTIONS = ["Audit", "Deny", "Warn"];

function validateValidatingBinding({ spec }: ValidatingAdmissionPolicyBinding): FieldError[] {
  return [...bindingErrors(spec), ...actionErrors(spec.validationActions ?? [], "spec.validationActions")];
}

function actionErrors(actions: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  actions.forEach((action, index) => {
    if (!ACTIONS.includes(action)) errors.push(notSupported(`${path}[${index}]`, action, ACTIONS));
    if (seen.has(action)) errors.push(duplicate(`${path}[${index}]`, action));
    seen.add(action);
  });
  if (seen.has("Deny") && seen.has("Warn")) {
    errors.push(
      invalid(
        path,
        actions,
        "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
      ),
    );
  }
  if (seen.size === 0) errors.push(required(path, "at least one validation action is required"));
  return errors;
}
