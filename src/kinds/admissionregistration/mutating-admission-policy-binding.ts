// MutatingAdmissionPolicyBinding: puts a mutating policy into force.

import type { FieldError } from "../../meta/field-error.ts";
import { opt, s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { bindingMembers, paramRefCell } from "./binding-members.ts";
import { paramRef as paramRefV1 } from "./match-resources.ts";
import { matchResources, operationErrors } from "./mutating-admission-policy.ts";
import { bindingErrors } from "./policy-binding-validation.ts";
import { defaultMatchResources } from "./webhook-defaults.ts";

export type MutatingAdmissionPolicyBinding = ObjectOf<typeof mutatingAdmissionPolicyBindingSchema>;

const mutatingAdmissionPolicyBindingSchema = objectSchema(
  "admissionregistration.v1beta1.MutatingAdmissionPolicyBinding",
  "Puts a mutating policy into force.",
  () => ({
    spec: opt.of(mutatingAdmissionPolicyBindingSpec, 2, "Which policy, with which parameters, and for which requests."),
  }),
);

export const mutatingAdmissionPolicyBinding = defineKind({
  group: "admissionregistration",
  version: "v1beta1",
  kind: "MutatingAdmissionPolicyBinding",
  resource: "mutatingadmissionpolicybindings",
  scope: "Cluster",
  schema: mutatingAdmissionPolicyBindingSchema,
  generation: true,
  offByDefault: true,
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
    validate: validateMutatingBinding,
    validateUpdate: validateMutatingBinding,
  },
});

const mutatingAdmissionPolicyBindingSpec = s.struct(
  "admissionregistration.v1beta1.MutatingAdmissionPolicyBindingSpec",
  "Puts a mutating policy into force for certain requests, with certain parameters.",
  () => bindingMembers(paramRef, matchResources),
);

const paramRef = s.copy("admissionregistration.v1beta1.ParamRef", paramRefV1);

function validateMutatingBinding({ spec }: MutatingAdmissionPolicyBinding): FieldError[] {
  return [...bindingErrors(spec), ...operationErrors(spec.matchResources, "spec.matchResources")];
}
