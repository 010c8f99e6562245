// Which requests a policy concerns.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { ruleWithOperations } from "./webhook-schema.ts";

export type MatchResources = ObjectOf<typeof matchResources>;

export const matchResources = s.struct(
  "admissionregistration.v1.MatchResources",
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
      doc: "Operations on resources that are meant; one of these must match. A policy needs at least one.",
    }),
    excludeResourceRules: s.list(namedRuleWithOperations, {
      proto: 4,
      optional: true,
      listType: "atomic",
      doc: "Operations on resources that are left out, although resourceRules has them.",
    }),
    matchPolicy: s.enumOf(["Equivalent", "Exact"], {
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
  "admissionregistration.v1.NamedRuleWithOperations",
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

export type ParamKind = ObjectOf<typeof paramKind>;

export const paramKind = s.struct(
  "admissionregistration.v1.ParamKind",
  { mapType: "atomic", doc: "The kind of the objects that hold parameters of a policy." },
  () => ({
    apiVersion: s.string({ proto: 1, optional: true, doc: "Group and version of the kind, such as example.com/v1." }),
    kind: s.string({ proto: 2, optional: true, doc: "The kind, in the spelling of its objects." }),
  }),
);

export type ParamRef = ObjectOf<typeof paramRef>;

export const paramRef = s.struct(
  "admissionregistration.v1.ParamRef",
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
