// MutatingAdmissionPolicy: changes to requests, said in CEL.

import { opt, ptr, s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { validateMutatingPolicy } from "./mutating-policy-validation.ts";
import { defaultMatchResources } from "./webhook-defaults.ts";
import { ruleWithOperations } from "./webhook-schema.ts";

export type MutatingAdmissionPolicy = ObjectOf<typeof mutatingAdmissionPolicySchema>;

const mutatingAdmissionPolicySchema = objectSchema(
  "admissionregistration.v1beta1.MutatingAdmissionPolicy",
  "Changes to requests, said in CEL.",
  () => ({
    spec: opt.of(mutatingAdmissionPolicySpec, 2, "Which requests are changed, and how."),
  }),
);

export const mutatingAdmissionPolicy = defineKind({
  group: "admissionregistration",
  version: "v1beta1",
  kind: "MutatingAdmissionPolicy",
  resource: "mutatingadmissionpolicies",
  scope: "Cluster",
  schema: mutatingAdmissionPolicySchema,
  generation: true,
  offByDefault: true,
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

const mutatingAdmissionPolicySpec = s.struct(
  "admissionregistration.v1beta1.MutatingAdmissionPolicySpec",
  "Which requests a policy changes, and how.",
  () => ({
    paramKind: ptr.of(
      paramKind,
      1,
      "Kind of the parameter objects that bindings refer to. When not set, the policy has no parameters.",
    ),
    matchConstraints: ptr.of(
      matchResources,
      2,
      "Requests that the policy is for. Required; bindings can narrow it but not widen it.",
    ),
    variables: opt.atomic(variable, 3, "Named expressions for use in the others. Each may use only those before it."),
    mutations: opt.atomic(
      mutation,
      4,
      "The changes, made in this order, each to the result of the one before. At least one.",
    ),
    failurePolicy: ptr.named(
      "FailurePolicyType",
      5,
      "When the policy errs or is misconfigured: Fail (the default) refuses the request, Ignore lets it pass.",
    ),
    matchConditions: opt.listBy(
      "name",
      matchCondition,
      6,
      "Conditions that must all be true for the policy to be evaluated, at most 64. Checked after the constraints.",
    ),
    reinvocationPolicy: opt.named(
      "v1.ReinvocationPolicyType",
      7,
      "Never evaluates the policy once, IfNeeded again when later plug-ins change the object. Required.",
    ),
  }),
);

const paramKind = s.struct(
  "admissionregistration.v1beta1.ParamKind",
  "The kind of the objects that hold parameters of a policy.",
  { mapType: "atomic" },
  () => ({
    apiVersion: opt.string(1, "Group and version of the kind, such as example.com/v1."),
    kind: opt.string(2, "The kind, in the spelling of its objects."),
  }),
);

export const matchResources = s.struct(
  "admissionregistration.v1beta1.MatchResources",
  "Which requests are meant: they must match a rule, no exclusion, and both selectors.",
  { mapType: "atomic" },
  () => ({
    namespaceSelector: ptr.of(
      labelSelector,
      1,
      "Labels that the namespace of the object must have; objects without a namespace always match. Empty: all.",
    ),
    objectSelector: ptr.of(
      labelSelector,
      2,
      "Labels that the object must have, before or after the change. Users can set labels: do not rely on it for security.",
    ),
    resourceRules: opt.atomic(
      namedRuleWithOperations,
      3,
      "Operations on resources that are meant, never DELETE; one of these must match. A policy needs at least one.",
    ),
    excludeResourceRules: opt.atomic(
      namedRuleWithOperations,
      4,
      "Operations on resources that are left out, although resourceRules has them.",
    ),
    matchPolicy: ptr.named(
      "MatchPolicyType",
      7,
      "Exact takes requests only as the rules name them, Equivalent (the default) also through other versions or groups.",
    ),
  }),
);

const namedRuleWithOperations = s.struct(
  "admissionregistration.v1beta1.NamedRuleWithOperations",
  "Operations on resources, which may be limited to objects with certain names.",
  { mapType: "atomic" },
  () => ({
    resourceNames: opt.atomic("string", 1, "Names of the objects that are meant; when empty, all."),
    ruleWithOperations: s.inline(ruleWithOperations, 2),
  }),
);

const variable = s.struct(
  "admissionregistration.v1beta1.Variable",
  "A named expression that others can use.",
  { mapType: "atomic" },
  () => ({
    name: s.string(1, "An identifier; other expressions use the value as variables.name.", { protoName: "Name" }),
    expression: s.string(2, "Computed at most once, on first use. It may use variables listed before this one.", {
      protoName: "Expression",
    }),
  }),
);

export type Mutation = ObjectOf<typeof mutation>;

const mutation = s.struct("admissionregistration.v1beta1.Mutation", "One change of an object.", () => ({
  patchType: s.enumOf(
    "PatchType",
    ["ApplyConfiguration", "JSONPatch"],
    2,
    "Which member has the change: ApplyConfiguration or JSONPatch.",
  ),
  applyConfiguration: ptr.of(
    applyConfiguration,
    3,
    "The change as fields to apply; exactly when patchType is ApplyConfiguration.",
  ),
  jsonPatch: ptr.of(jsonPatch, 4, "The change as a JSON patch; exactly when patchType is JSONPatch."),
}));

const applyConfiguration = s.struct(
  "admissionregistration.v1beta1.ApplyConfiguration",
  "A change as fields that are merged into the object, as server-side apply merges them.",
  () => ({
    expression: opt.string(
      1,
      "Gives the fields in CEL as a value of type Object. Parts that merging would replace as a whole may not be set.",
    ),
  }),
);

const jsonPatch = s.struct(
  "admissionregistration.v1beta1.JSONPatch",
  "A change as the operations of a JSON patch.",
  () => ({
    expression: opt.string(
      1,
      "Gives a list of JSONPatch values in CEL, such as JSONPatch{op: 'add', path: '/a', value: 1}.",
    ),
  }),
);

const matchCondition = s.struct(
  "admissionregistration.v1beta1.MatchCondition",
  "A condition in CEL on which requests are considered.",
  () => ({
    name: s.string(
      1,
      "Name of the condition, a label key that is unique in its list; appears in messages and metrics.",
    ),
    expression: s.string(
      2,
      "Gives true when the request is to be considered. It sees object, oldObject, request and authorizer, in policies also params.",
    ),
  }),
);
