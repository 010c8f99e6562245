// MutatingAdmissionPolicyBinding: puts a mutating policy into force.

import type { Steps } from "../../base/steps.ts";
import type { FieldError } from "../../meta/field-error.ts";
import { opt, s } from "../../schema/builder.ts";
import { anotherVersion } from "../another-version.ts";
import { defineKind, type Kind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { BINDING_COLUMNS, bindingMembers, defaultBinding } from "./binding-members.ts";
import { paramRef as paramRefV1 } from "./match-resources.ts";
import { matchResources, operationErrors, PUBLISHED_IN_V1ALPHA1 } from "./mutating-admission-policy.ts";
import { bindingErrors } from "./policy-binding-validation.ts";

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
  categories: ["api-extensions"],
  freeFinalizers: true,
  generation: true,
  offByDefault: true,
  columns: BINDING_COLUMNS,
  hooks: {
    default: defaultBinding,
    validate: validateMutatingBinding,
    validateUpdate: validateMutatingBinding,
  },
});

/** Alone in not asking what happens without parameters. */
export const mutatingAdmissionPolicyBindingV1alpha1: Kind<MutatingAdmissionPolicyBinding> = {
  ...anotherVersion(mutatingAdmissionPolicyBinding, "v1alpha1", PUBLISHED_IN_V1ALPHA1),
  hooks: {
    ...mutatingAdmissionPolicyBinding.hooks,
    default(binding) {
      defaultBinding(binding);
      if (binding.spec.paramRef) binding.spec.paramRef.parameterNotFoundAction ??= "Deny";
    },
  },
};

const mutatingAdmissionPolicyBindingSpec = s.struct(
  "admissionregistration.v1beta1.MutatingAdmissionPolicyBindingSpec",
  "Puts a mutating policy into force for certain requests, with certain parameters.",
  () => bindingMembers(paramRef, matchResources),
);

const paramRef = s.copy("admissionregistration.v1beta1.ParamRef", paramRefV1);

function* validateMutatingBinding({ spec }: MutatingAdmissionPolicyBinding): Steps<FieldError[]> {
  return [
    ...(yield* bindingErrors(spec, mutatingAdmissionPolicyBindingSpec)),
    ...operationErrors(spec.matchResources, "spec.matchResources"),
  ];
}
