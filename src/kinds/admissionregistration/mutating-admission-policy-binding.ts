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
    spec: s.of(mutatingAdmissionPolicyBindingSpec, { proto: 2, optional: true }),
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
  () => ({
    policyName: s.string({ proto: 1, optional: true }),
    paramRef: s.of(paramRef, { proto: 2, optional: true, pointer: true }),
    matchResources: s.of(matchResources, { proto: 3, optional: true, pointer: true }),
  }),
);

export type ParamRef = ObjectOf<typeof paramRef>;

export const paramRef = s.struct("admissionregistration.v1beta1.ParamRef", { mapType: "atomic" }, () => ({
  name: s.string({ proto: 1, optional: true }),
  namespace: s.string({ proto: 2, optional: true }),
  selector: s.of(labelSelector, { proto: 3, optional: true, pointer: true }),
  parameterNotFoundAction: s.string({ proto: 4, optional: true, pointer: true }),
}));
