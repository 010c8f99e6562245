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
    spec: s.of(mutatingAdmissionPolicySpec, { proto: 2, optional: true, doc: "Which requests are changed, and how." }),
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
  { doc: "Which requests a policy changes, and how." },
  () => ({
    paramKind: s.of(paramKind, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Kind of the parameter objects that bindings refer to. When not set, the policy has no parameters.",
    }),
    matchConstraints: s.of(matchResources, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Requests that the policy is for. Required; bindings can narrow it but not widen it.",
    }),
    variables: s.list(variable, {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "Named expressions for use in the others. Each may use only those before it.",
    }),
    mutations: s.list(mutation, {
      proto: 4,
      optional: true,
      listType: "atomic",
      doc: "The changes, made in this order, each to the result of the one before. At least one.",
    }),
    failurePolicy: s.string({
      alias: "FailurePolicyType",
      proto: 5,
      optional: true,
      pointer: true,
      doc: "When the policy errs or is misconfigured: Fail (the default) refuses the request, Ignore lets it pass.",
    }),
    matchConditions: s.list(matchCondition, {
      proto: 6,
      optional: true,
      listType: "map",
      mapKeys: ["name"],
      patchStrategy: ["merge"],
      patchMergeKey: "name",
      doc: "Conditions that must all be true for the policy to be evaluated, at most 64. Checked after the constraints.",
    }),
    reinvocationPolicy: s.string({
      alias: "v1.ReinvocationPolicyType",
      proto: 7,
      optional: true,
      doc: "Never evaluates the policy once, IfNeeded again when later plug-ins change the object. Required.",
    }),
  }),
);

export type ParamKind = ObjectOf<typeof paramKind>;

export const paramKind = s.struct(
  "admissionregistration.v1beta1.ParamKind",
  { mapType: "atomic", doc: "The kind of the objects that hold parameters of a policy." },
  () => ({
    apiVersion: s.string({ proto: 1, optional: true, doc: "Group and version of the kind, such as example.com/v1." }),
    kind: s.string({ proto: 2, optional: true, doc: "The kind, in the spelling of its objects." }),
  }),
);

export type MatchResources = ObjectOf<typeof matchResources>;

export const matchResources = s.struct(
  "admissionregistration.v1beta1.MatchResources",
  { mapType: "atomic", doc: "Which requests are meant: they must match a rule, no exclusion, and both selectors." },
  () => ({
    namespaceSelector: s.of(labelSelector, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Labels that the namespace of the object must have; objects without a namespace always match. Empty: all.",
    }),
    objectSelector: s.of(labelSelector, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Labels that the object must have, before or after the change. Users can set labels: do not rely on it for security.",
    }),
    resourceRules: s.list(namedRuleWithOperations, {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "Operations on resources that are meant, never DELETE; one of these must match. A policy needs at least one.",
    }),
    excludeResourceRules: s.list(namedRuleWithOperations, {
      proto: 4,
      optional: true,
      listType: "atomic",
      doc: "Operations on resources that are left out, although resourceRules has them.",
    }),
    matchPolicy: s.string({
      alias: "MatchPolicyType",
      proto: 7,
      optional: true,
      pointer: true,
      doc: "Exact takes requests only as the rules name them, Equivalent (the default) also through other versions or groups.",
    }),
  }),
);

export type NamedRuleWithOperations = ObjectOf<typeof namedRuleWithOperations>;

export const namedRuleWithOperations = s.struct(
  "admissionregistration.v1beta1.NamedRuleWithOperations",
  { mapType: "atomic", doc: "Operations on resources, which may be limited to objects with certain names." },
  () => ({
    resourceNames: s.list("string", {
      proto: 1,
      optional: true,
      listType: "atomic",
      doc: "Names of the objects that are meant; when empty, all.",
    }),
    ruleWithOperations: s.inline(ruleWithOperations, { proto: 2, protoName: "ruleWithOperations" }),
  }),
);

export type Variable = ObjectOf<typeof variable>;

export const variable = s.struct(
  "admissionregistration.v1beta1.Variable",
  { mapType: "atomic", doc: "A named expression that others can use." },
  () => ({
    name: s.string({
      proto: 1,
      protoName: "Name",
      doc: "An identifier; other expressions use the value as variables.name.",
    }),
    expression: s.string({
      proto: 2,
      protoName: "Expression",
      doc: "Computed at most once, on first use. It may use variables listed before this one.",
    }),
  }),
);

export type Mutation = ObjectOf<typeof mutation>;

export const mutation = s.struct("admissionregistration.v1beta1.Mutation", { doc: "One change of an object." }, () => ({
  patchType: s.enumOf(["ApplyConfiguration", "JSONPatch"], {
    alias: "PatchType",
    proto: 2,
    doc: "Which member has the change: ApplyConfiguration or JSONPatch.",
  }),
  applyConfiguration: s.of(applyConfiguration, {
    proto: 3,
    optional: true,
    pointer: true,
    doc: "The change as fields to apply; exactly when patchType is ApplyConfiguration.",
  }),
  jsonPatch: s.of(jsonPatch, {
    proto: 4,
    optional: true,
    pointer: true,
    doc: "The change as a JSON patch; exactly when patchType is JSONPatch.",
  }),
}));

export type ApplyConfiguration = ObjectOf<typeof applyConfiguration>;

export const applyConfiguration = s.struct(
  "admissionregistration.v1beta1.ApplyConfiguration",
  { doc: "A change as fields that are merged into the object, as server-side apply merges them." },
  () => ({
    expression: s.string({
      proto: 1,
      optional: true,
      doc: "Gives the fields in CEL as a value of type Object. Parts that merging would replace as a whole may not be set.",
    }),
  }),
);

export type JSONPatch = ObjectOf<typeof jsonPatch>;

export const jsonPatch = s.struct(
  "admissionregistration.v1beta1.JSONPatch",
  { doc: "A change as the operations of a JSON patch." },
  () => ({
    expression: s.string({
      proto: 1,
      optional: true,
      doc: "Gives a list of JSONPatch values in CEL, such as JSONPatch{op: 'add', path: '/a', value: 1}.",
    }),
  }),
);

export type MatchCondition = ObjectOf<typeof matchCondition>;

export const matchCondition = s.struct(
  "admissionregistration.v1beta1.MatchCondition",
  { doc: "A condition in CEL on which requests are considered." },
  () => ({
    name: s.string({
      proto: 1,
      doc: "Name of the condition, a label key that is unique in its list; appears in messages and metrics.",
    }),
    expression: s.string({
      proto: 2,
      doc: "Gives true when the request is to be considered. It sees object, oldObject, request and authorizer, in policies also params.",
    }),
  }),
);
