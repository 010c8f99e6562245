// MutatingAdmissionPolicy: changes to requests, said in CEL.

import { s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { ALL_VERBS } from "../verbs.ts";
import { validateMutatingPolicy } from "./mutating-policy-validation.ts";
import { defaultMatchResources } from "./webhook-defaults.ts";
import { ruleWithOperations } from "./webhook-schema.ts";

export type MutatingAdmissionPolicy = ObjectOf<typeof mutatingAdmissionPolicySchema>;

export const mutatingAdmissionPolicySchema = objectSchema(
  "admissionregistration.v1beta1.MutatingAdmissionPolicy",
  { doc: "Changes to requests, said in CEL." },
  () => ({
    spec: s.of(mutatingAdmissionPolicySpec, { proto: 2, optional: true }),
  }),
);

export const mutatingAdmissionPolicy = defineKind({
  group: "admissionregistration",
  version: "v1beta1",
  kind: "MutatingAdmissionPolicy",
  resource: "mutatingadmissionpolicies",
  singular: "mutatingadmissionpolicy",
  scope: "Cluster",
  verbs: ALL_VERBS,
  schema: mutatingAdmissionPolicySchema,
  storagePrefix: "mutatingadmissionpolicies",
  generation: true,
  protobuf: true,
  offByDefault: true,
  name: "dns1123Subdomain",
  columns: [
    NAME_COLUMN,
    { name: "Mutations", type: "integer", cell: ({ spec }) => spec.mutations?.length ?? 0 },
    {
      name: "ParamKind",
      type: "string",
      cell: ({ spec: { paramKind } }) =>
        paramKind ? `${paramKind.apiVersion ?? ""}/${paramKind.kind ?? ""}` : "<unset>",
    },
    AGE_COLUMN,
  ],
  hooks: {
    default({ spec }) {
      spec.failurePolicy ??= "Fail";
      if (spec.matchConstraints) defaultMatchResources(spec.matchConstraints);
    },
    validate: (policy, context) => validateMutatingPolicy(policy, context),
    validateUpdate: (policy, old, context) => validateMutatingPolicy(policy, context, old),
  },
});

export type MutatingAdmissionPolicySpec = ObjectOf<typeof mutatingAdmissionPolicySpec>;

export const mutatingAdmissionPolicySpec = s.struct(
  "admissionregistration.v1beta1.MutatingAdmissionPolicySpec",
  () => ({
    paramKind: s.of(paramKind, { proto: 1, optional: true, pointer: true }),
    matchConstraints: s.of(matchResources, { proto: 2, optional: true, pointer: true }),
    variables: s.list(variable, { proto: 3, optional: true, listType: "atomic" }),
    mutations: s.list(mutation, { proto: 4, optional: true, listType: "atomic" }),
    failurePolicy: s.string({ proto: 5, optional: true, pointer: true }),
    matchConditions: s.list(matchCondition, {
      proto: 6,
      optional: true,
      listType: "map",
      mapKeys: ["name"],
      patchStrategy: ["merge"],
      patchMergeKey: "name",
    }),
    reinvocationPolicy: s.string({ proto: 7, optional: true }),
  }),
);

export type ParamKind = ObjectOf<typeof paramKind>;

export const paramKind = s.struct("admissionregistration.v1beta1.ParamKind", { mapType: "atomic" }, () => ({
  apiVersion: s.string({ proto: 1, optional: true }),
  kind: s.string({ proto: 2, optional: true }),
}));

export type MatchResources = ObjectOf<typeof matchResources>;

export const matchResources = s.struct("admissionregistration.v1beta1.MatchResources", { mapType: "atomic" }, () => ({
  namespaceSelector: s.of(labelSelector, { proto: 1, optional: true, pointer: true }),
  objectSelector: s.of(labelSelector, { proto: 2, optional: true, pointer: true }),
  resourceRules: s.list(namedRuleWithOperations, { proto: 3, optional: true, listType: "atomic" }),
  excludeResourceRules: s.list(namedRuleWithOperations, { proto: 4, optional: true, listType: "atomic" }),
  matchPolicy: s.string({ proto: 7, optional: true, pointer: true }),
}));

export type NamedRuleWithOperations = ObjectOf<typeof namedRuleWithOperations>;

export const namedRuleWithOperations = s.struct(
  "admissionregistration.v1beta1.NamedRuleWithOperations",
  { mapType: "atomic" },
  () => ({
    resourceNames: s.list("string", { proto: 1, optional: true, listType: "atomic" }),
    ruleWithOperations: s.inline(ruleWithOperations, { proto: 2, protoName: "ruleWithOperations" }),
  }),
);

export type Variable = ObjectOf<typeof variable>;

export const variable = s.struct("admissionregistration.v1beta1.Variable", { mapType: "atomic" }, () => ({
  name: s.string({ proto: 1, protoName: "Name" }),
  expression: s.string({ proto: 2, protoName: "Expression" }),
}));

export type Mutation = ObjectOf<typeof mutation>;

export const mutation = s.struct("admissionregistration.v1beta1.Mutation", () => ({
  patchType: s.enumOf(["ApplyConfiguration", "JSONPatch"], { proto: 2 }),
  applyConfiguration: s.of(applyConfiguration, { proto: 3, optional: true, pointer: true }),
  jsonPatch: s.of(jsonPatch, { proto: 4, optional: true, pointer: true }),
}));

export type ApplyConfiguration = ObjectOf<typeof applyConfiguration>;

export const applyConfiguration = s.struct("admissionregistration.v1beta1.ApplyConfiguration", () => ({
  expression: s.string({ proto: 1, optional: true }),
}));

export type JSONPatch = ObjectOf<typeof jsonPatch>;

export const jsonPatch = s.struct("admissionregistration.v1beta1.JSONPatch", () => ({
  expression: s.string({ proto: 1, optional: true }),
}));

export type MatchCondition = ObjectOf<typeof matchCondition>;

export const matchCondition = s.struct("admissionregistration.v1beta1.MatchCondition", () => ({
  name: s.string({ proto: 1 }),
  expression: s.string({ proto: 2 }),
}));
