// ValidatingAdmissionPolicyBinding: puts a policy into force.

import { opt, s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { bindingMembers, paramRefCell } from "./binding-members.ts";
import { matchResources, paramRef } from "./match-resources.ts";
import { validateValidatingBinding } from "./policy-binding-validation.ts";
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
