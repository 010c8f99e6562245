// ValidatingAdmissionPolicyBinding: puts a policy into force.

import { s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { selectorCell } from "../cells/selectors.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { ALL_VERBS } from "../verbs.ts";
import { matchResources, paramRef } from "./match-resources.ts";
import { validateValidatingBinding } from "./policy-binding-validation.ts";
import { defaultMatchResources } from "./webhook-defaults.ts";

export type ValidatingAdmissionPolicyBinding = ObjectOf<typeof validatingAdmissionPolicyBindingSchema>;

export const validatingAdmissionPolicyBindingSchema = objectSchema(
  "admissionregistration.v1.ValidatingAdmissionPolicyBinding",
  { doc: "Puts a policy into force." },
  () => ({
    spec: s.of(validatingAdmissionPolicyBindingSpec, {
      proto: 2,
      optional: true,
      doc: "Which policy, with which parameters, for which requests, and what follows.",
    }),
  }),
);

export const validatingAdmissionPolicyBinding = defineKind({
  group: "admissionregistration",
  version: "v1",
  kind: "ValidatingAdmissionPolicyBinding",
  resource: "validatingadmissionpolicybindings",
  singular: "validatingadmissionpolicybinding",
  scope: "Cluster",
  categories: ["api-extensions"],
  verbs: ALL_VERBS,
  schema: validatingAdmissionPolicyBindingSchema,
  storagePrefix: "validatingadmissionpolicybindings",
  generation: true,
  protobuf: true,
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
    validate: validateValidatingBinding,
    validateUpdate: validateValidatingBinding,
  },
});

function paramRefCell({ spec: { paramRef } }: ValidatingAdmissionPolicyBinding): string {
  if (!paramRef) return "<unset>";
  if (paramRef.name) return `${paramRef.namespace || "*"}/${paramRef.name}`;
  return paramRef.selector ? selectorCell(paramRef.selector) : "<unset>";
}

export type ValidatingAdmissionPolicyBindingSpec = ObjectOf<typeof validatingAdmissionPolicyBindingSpec>;

export const validatingAdmissionPolicyBindingSpec = s.struct(
  "admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec",
  { doc: "Puts a policy into force for certain requests, with certain parameters." },
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
    validationActions: s.list(s.enumValue(["Audit", "Deny", "Warn"]), {
      alias: "ValidationAction",
      proto: 4,
      optional: true,
      listType: "set",
      doc: "What follows when a rule is not met: Deny refuses, Warn warns the client, Audit notes it. Deny and Warn exclude each other.",
    }),
  }),
);
