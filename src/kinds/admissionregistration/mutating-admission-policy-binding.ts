// MutatingAdmissionPolicyBinding: puts a mutating policy into force.

import { s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { selectorCell } from "../cells/selectors.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { ALL_VERBS } from "../verbs.ts";
import { matchResources } from "./mutating-admission-policy.ts";
import { validateMutatingBinding } from "./mutating-policy-validation.ts";
import { defaultMatchResources } from "./webhook-defaults.ts";

export type MutatingAdmissionPolicyBinding = ObjectOf<typeof mutatingAdmissionPolicyBindingSchema>;

export const mutatingAdmissionPolicyBindingSchema = objectSchema(
  "admissionregistration.v1beta1.MutatingAdmissionPolicyBinding",
  { doc: "Puts a mutating policy into force." },
  () => ({
    spec: s.of(mutatingAdmissionPolicyBindingSpec, {
      proto: 2,
      optional: true,
      doc: "Which policy, with which parameters, and for which requests.",
    }),
  }),
);

export const mutatingAdmissionPolicyBinding = defineKind({
  group: "admissionregistration",
  version: "v1beta1",
  kind: "MutatingAdmissionPolicyBinding",
  resource: "mutatingadmissionpolicybindings",
  singular: "mutatingadmissionpolicybinding",
  scope: "Cluster",
  verbs: ALL_VERBS,
  schema: mutatingAdmissionPolicyBindingSchema,
  storagePrefix: "mutatingadmissionpolicybindings",
  generation: true,
  protobuf: true,
  offByDefault: true,
  name: "dns1123Subdomain",
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

export type MutatingAdmissionPolicyBindingSpec = ObjectOf<typeof mutatingAdmissionPolicyBindingSpec>;

export const mutatingAdmissionPolicyBindingSpec = s.struct(
  "admissionregistration.v1beta1.MutatingAdmissionPolicyBindingSpec",
  { doc: "Puts a mutating policy into force for certain requests, with certain parameters." },
  () => ({
    policyName: s.string({
      proto: 1,
      optional: true,
      doc: "The policy that is put into force. While it does not exist, the binding has no effect.",
    }),
    paramRef: s.of(paramRef, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Parameters of the policy. Needs paramKind in the policy; when not set, params is null in expressions.",
    }),
    matchResources: s.of(matchResources, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Narrows the requests of the policy further; when not set, all that the policy is for.",
    }),
  }),
);

export type ParamRef = ObjectOf<typeof paramRef>;

export const paramRef = s.struct(
  "admissionregistration.v1beta1.ParamRef",
  { mapType: "atomic", doc: "Which objects hold the parameters of a policy: exactly one of name and selector is set." },
  () => ({
    name: s.string({ proto: 1, optional: true, doc: "Name of the parameter object; excludes selector." }),
    namespace: s.string({
      proto: 2,
      optional: true,
      doc: "Where parameters are looked up, if their kind has namespaces. Empty: in the namespace of each request's object.",
    }),
    selector: s.of(labelSelector, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Takes all parameter objects with matching labels, each evaluated on its own; excludes name.",
    }),
    parameterNotFoundAction: s.string({
      alias: "ParameterNotFoundActionType",
      proto: 4,
      optional: true,
      pointer: true,
      doc: "What follows when no parameters are found: Allow skips the binding, Deny is handled by failurePolicy. Required.",
    }),
  }),
);
