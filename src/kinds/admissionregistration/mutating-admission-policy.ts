// MutatingAdmissionPolicy: changes to requests, said in CEL.

import { opt, ptr, s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import {
  MATCH_POLICY_TEXT,
  MATCH_RESOURCES_TEXT,
  matchMembers,
  namedRuleWithOperations,
  paramKind as paramKindV1,
  variable as variableV1,
} from "./match-resources.ts";
import { validateMutatingPolicy } from "./mutating-policy-validation.ts";
import { defaultMatchResources } from "./webhook-defaults.ts";
import { matchCondition as matchConditionV1 } from "./webhook-schema.ts";

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

const VERSION = "admissionregistration.v1beta1";
const paramKind = s.copy(`${VERSION}.ParamKind`, paramKindV1);
const variable = s.copy(`${VERSION}.Variable`, variableV1);
const matchCondition = s.copy(`${VERSION}.MatchCondition`, matchConditionV1);
const namedRule = s.copy(`${VERSION}.NamedRuleWithOperations`, namedRuleWithOperations);

export const matchResources = s.struct(`${VERSION}.MatchResources`, MATCH_RESOURCES_TEXT, { mapType: "atomic" }, () =>
  s.retold(
    // No values are published in this version.
    { ...matchMembers(namedRule), matchPolicy: ptr.named("MatchPolicyType", 7, MATCH_POLICY_TEXT) },
    {
      resourceRules:
        "Operations on resources that are meant, never DELETE; one of these must match. A policy needs at least one.",
    },
  ),
);
