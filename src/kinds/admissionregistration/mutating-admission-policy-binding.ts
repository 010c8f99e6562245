// MutatingAdmissionPolicyBinding: puts a mutating policy into force.

import { opt, ptr, s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { selectorCell } from "../cells/selectors.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { matchResources } from "./mutating-admission-policy.ts";
import { validateMutatingBinding } from "./mutating-policy-validation.ts";
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

function paramRefCell({ spec: { paramRef } }: MutatingAdmissionPolicyBinding): string {
  if (!paramRef) return "<unset>";
  if (paramRef.name) return `${paramRef.namespace || "*"}/${paramRef.name}`;
  return paramRef.selector ? selectorCell(paramRef.selector) : "<unset>";
}

const mutatingAdmissionPolicyBindingSpec = s.struct(
  "admissionregistration.v1beta1.MutatingAdmissionPolicyBindingSpec",
  "Puts a mutating policy into force for certain requests, with certain parameters.",
  () => ({
    policyName: opt.string(1, "The policy that is put into force. While it does not exist, the binding has no effect."),
    paramRef: ptr.of(
      paramRef,
      2,
      "Parameters of the policy. Needs paramKind in the policy; when not set, params is null in expressions.",
    ),
    matchResources: ptr.of(
      matchResources,
      3,
      "Narrows the requests of the policy further; when not set, all that the policy is for.",
    ),
  }),
);

const paramRef = s.struct(
  "admissionregistration.v1beta1.ParamRef",
  "Which objects hold the parameters of a policy: exactly one of name and selector is set.",
  { mapType: "atomic" },
  () => ({
    name: opt.string(1, "Name of the parameter object; excludes selector."),
    namespace: opt.string(
      2,
      "Where parameters are looked up, if their kind has namespaces. Empty: in the namespace of each request's object.",
    ),
    selector: ptr.of(
      labelSelector,
      3,
      "Takes all parameter objects with matching labels, each evaluated on its own; excludes name.",
    ),
    parameterNotFoundAction: ptr.named(
      "ParameterNotFoundActionType",
      4,
      "What follows when no parameters are found: Allow skips the binding, Deny is handled by failurePolicy. Required.",
    ),
  }),
);
