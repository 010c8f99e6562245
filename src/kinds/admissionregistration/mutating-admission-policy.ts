// MutatingAdmissionPolicy: changes to requests, said in CEL.

import { append } from "../../base/append.ts";
import { equalJsonInSteps } from "../../base/json-in-steps.ts";
import { flatMapInSteps, type Pace, type Steps } from "../../base/steps.ts";
import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { opt, ptr, s } from "../../schema/builder.ts";
import { CONFIGURATION, PATCHES, type PolicyEnvironment } from "../../schema/policy-expressions.ts";
import type { PublishedValues } from "../another-version.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type HookContext, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { expressionErrors } from "./expression-validation.ts";
import {
  MATCH_POLICY_TEXT,
  MATCH_RESOURCES_TEXT,
  matchMembers,
  namedRuleWithOperations,
  paramKind as paramKindV1,
  policyConditions,
  policySubject,
  variable as variableV1,
} from "./match-resources.ts";
import { policyErrors } from "./policy-validation.ts";
import { judgingPace, type Matching } from "./rule-validation.ts";
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
  categories: ["api-extensions"],
  freeFinalizers: true,
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

/** Of fields of both kinds in v1alpha1, and there alone. */
export const PUBLISHED_IN_V1ALPHA1: PublishedValues = {
  "MatchResources.matchPolicy": ["Equivalent", "Exact"],
  "MutatingAdmissionPolicySpec.failurePolicy": ["Fail", "Ignore"],
  "ParamRef.parameterNotFoundAction": ["Allow", "Deny"],
};

export type MutatingAdmissionPolicySpec = ObjectOf<typeof mutatingAdmissionPolicySpec>;

const mutatingAdmissionPolicySpec = s.struct(
  "admissionregistration.v1beta1.MutatingAdmissionPolicySpec",
  "Which requests a policy changes, and how.",
  () => ({
    ...policySubject(paramKind, matchResources),
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
    matchConditions: policyConditions(matchCondition),
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

const PATCH_TYPES = ["ApplyConfiguration", "JSONPatch"];
const REINVOCATION_POLICIES = ["IfNeeded", "Never"];
/** An object that goes away cannot be changed. */
const OPERATIONS = ["*", "CONNECT", "CREATE", "UPDATE"];

export function* validateMutatingPolicy(
  { spec }: MutatingAdmissionPolicy,
  context: HookContext,
  old?: MutatingAdmissionPolicy,
): Steps<FieldError[]> {
  const stored = old !== undefined && (yield* equalJsonInSteps(spec, old.spec));
  const pace = judgingPace();
  const { environment, errors } = yield* policyErrors(spec, pace, stored, context, textsOf(spec));
  append(errors, operationErrors(spec.matchConstraints, "spec.matchConstraints"));
  if ((spec.mutations ?? []).length === 0)
    errors.push(required("spec.mutations", "mutations must contain at least one item"));
  const ofMutations = flatMapInSteps(spec.mutations ?? [], pace, (mutation, index) =>
    mutationErrors(mutation, `spec.mutations[${index}]`, environment, pace),
  );
  append(errors, yield* ofMutations);
  const { reinvocationPolicy = "" } = spec;
  if (reinvocationPolicy === "") errors.push(required("spec.reinvocationPolicy"));
  else if (!REINVOCATION_POLICIES.includes(reinvocationPolicy))
    errors.push(notSupported("spec.reinvocationPolicy", reinvocationPolicy, REINVOCATION_POLICIES));
  return errors;
}

function textsOf({ mutations, variables }: MutatingAdmissionPolicy["spec"]): string[] {
  return [
    ...(mutations ?? []).map(
      ({ jsonPatch, applyConfiguration }) => (jsonPatch ?? applyConfiguration)?.expression ?? "",
    ),
    ...(variables ?? []).map(({ expression }) => expression),
  ];
}

export function operationErrors(match: Matching | null | undefined, path: string): FieldError[] {
  return (match?.resourceRules ?? []).flatMap((rule) =>
    (rule.operations ?? [])
      .filter((operation) => !OPERATIONS.includes(operation))
      .map((operation) => notSupported(`${path}.resourceRules.operations`, operation, OPERATIONS)),
  );
}

function* mutationErrors(
  mutation: Mutation,
  path: string,
  environment: PolicyEnvironment,
  pace: Pace,
): Steps<FieldError[]> {
  const { patchType, jsonPatch, applyConfiguration } = mutation;
  function* expression(what: { expression?: string }, at: string, wanted: typeof PATCHES): Steps<FieldError[]> {
    if ((what.expression ?? "").trim() === "") return [required(`${at}.expression`)];
    return yield* expressionErrors(environment, what.expression!, `${at}.expression`, wanted, pace);
  }
  switch (patchType as string) {
    case "JSONPatch":
      return [
        ...(jsonPatch == null
          ? [required(`${path}.jsonPatch`, "must be specified when patchType is JSONPatch")]
          : yield* expression(jsonPatch, `${path}.jsonPatch`, PATCHES)),
        ...(applyConfiguration == null
          ? []
          : [
              invalid(
                `${path}.applyConfiguration`,
                "{applyConfiguration}",
                "must not be specified when patchType is JSONPatch",
              ),
            ]),
      ];
    case "ApplyConfiguration":
      return [
        ...(applyConfiguration == null
          ? [required(`${path}.applyConfiguration`, "must be specified when patchType is ApplyConfiguration")]
          : yield* expression(applyConfiguration, `${path}.applyConfiguration`, CONFIGURATION)),
        ...(jsonPatch == null
          ? []
          : [
              invalid(`${path}.jsonPatch`, "{jsonPatch}", "must not be specified when patchType is ApplyConfiguration"),
            ]),
      ];
    case "":
      return [required(`${path}.patchType`)];
    default:
      return [notSupported(`${path}.patchType`, patchType, PATCH_TYPES)];
  }
}
