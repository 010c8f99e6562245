// Which requests a policy concerns.

import { pathSegmentProblems } from "../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, type Struct, s } from "../../schema/builder.ts";
import { isIdentifier } from "../../schema/policy-expressions.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { kindProblems } from "../meta/value-checks.ts";
import { type matchCondition, ruleWithOperations } from "./webhook-schema.ts";

export const MATCH_POLICY_TEXT =
  "Exact takes requests only as the rules name them, Equivalent (the default) also through other versions or groups.";

export const MATCH_RESOURCES_TEXT =
  "Which requests are meant: they must match a rule, no exclusion, and both selectors.";

export type MatchResources = ObjectOf<typeof matchResources>;

export const matchResources = s.struct(
  "admissionregistration.v1.MatchResources",
  MATCH_RESOURCES_TEXT,
  { mapType: "atomic" },
  () => matchMembers(namedRuleWithOperations),
);

/** What policies of all versions say about requests; the rules are named after the version. */
export const matchMembers = (rule: typeof namedRuleWithOperations) => ({
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
    rule,
    3,
    "Operations on resources that are meant; one of these must match. A policy needs at least one.",
  ),
  excludeResourceRules: opt.atomic(
    rule,
    4,
    "Operations on resources that are left out, although resourceRules has them.",
  ),
  matchPolicy: ptr.enumOf("MatchPolicyType", ["Equivalent", "Exact"], 7, MATCH_POLICY_TEXT),
});

/** The first members of a policy, of whichever sort; the structs are named after the version. */
export const policySubject = <Match>(paramStruct: typeof paramKind, matchStruct: Struct<Match>) => ({
  paramKind: ptr.of(
    paramStruct,
    1,
    "Kind of the parameter objects that bindings refer to. When not set, the policy has no parameters.",
  ),
  matchConstraints: ptr.of(
    matchStruct,
    2,
    "Requests that the policy is for. Required; bindings can narrow it but not widen it.",
  ),
});

/** And the conditions, which stand in another place in each. */
export const policyConditions = (condition: typeof matchCondition) =>
  opt.listBy(
    "name",
    condition,
    6,
    "Conditions that must all be true for the policy to be evaluated, at most 64. Checked after the constraints.",
  );

export type NamedRuleWithOperations = ObjectOf<typeof namedRuleWithOperations>;

export const namedRuleWithOperations = s.struct(
  "admissionregistration.v1.NamedRuleWithOperations",
  "Operations on resources, which may be limited to objects with certain names.",
  { mapType: "atomic" },
  () => ({
    resourceNames: opt.atomic("string", 1, "Names of the objects that are meant; when empty, all.", {
      must: { each: { strict: true, form: pathSegmentProblems }, unique: true },
    }),
    ruleWithOperations: s.inline(ruleWithOperations, 2),
  }),
);

export const paramKind = s.struct(
  "admissionregistration.v1.ParamKind",
  "The kind of the objects that hold parameters of a policy.",
  { mapType: "atomic" },
  () => ({
    apiVersion: opt.string(1, "Group and version of the kind, such as example.com/v1."),
    kind: opt.string(2, "The kind, in the spelling of its objects.", { must: { filled: true, form: kindProblems } }),
  }),
);

export const paramRef = s.struct(
  "admissionregistration.v1.ParamRef",
  "Which objects hold the parameters of a policy: exactly one of name and selector is set.",
  { mapType: "atomic" },
  () => ({
    name: opt.string(1, "Name of the parameter object; excludes selector.", { must: { form: pathSegmentProblems } }),
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
      { must: { filled: true, listed: ["Deny", "Allow"] } },
    ),
  }),
);

export const variable = s.struct(
  "admissionregistration.v1.Variable",
  "A named expression that others can use.",
  { mapType: "atomic" },
  () => ({
    name: s.string(1, "An identifier; other expressions use the value as variables.name.", {
      protoName: "Name",
      must: { filled: "name is not specified", form: identifierProblems },
    }),
    expression: s.string(2, "Computed at most once, on first use. It may use variables listed before this one.", {
      protoName: "Expression",
    }),
  }),
);

const identifierProblems = (name: string): string[] => (isIdentifier(name) ? [] : ["must be a valid CEL identifier"]);
