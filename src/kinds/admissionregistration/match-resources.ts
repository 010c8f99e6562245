// Which requests a policy concerns.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { ruleWithOperations } from "./webhook-schema.ts";

export type MatchResources = ObjectOf<typeof matchResources>;

export const matchResources = s.struct("admissionregistration.v1.MatchResources", { mapType: "atomic" }, () => ({
  namespaceSelector: s.of(labelSelector, { proto: 1, optional: true, pointer: true }),
  objectSelector: s.of(labelSelector, { proto: 2, optional: true, pointer: true }),
  resourceRules: s.list(namedRuleWithOperations, { proto: 3, optional: true, listType: "atomic" }),
  excludeResourceRules: s.list(namedRuleWithOperations, { proto: 4, optional: true, listType: "atomic" }),
  matchPolicy: s.enumOf(["Equivalent", "Exact"], { proto: 7, optional: true, pointer: true }),
}));

export type NamedRuleWithOperations = ObjectOf<typeof namedRuleWithOperations>;

export const namedRuleWithOperations = s.struct(
  "admissionregistration.v1.NamedRuleWithOperations",
  { mapType: "atomic" },
  () => ({
    resourceNames: s.list("string", { proto: 1, optional: true, listType: "atomic" }),
    ruleWithOperations: s.inline(ruleWithOperations, { proto: 2, protoName: "ruleWithOperations" }),
  }),
);

export type ParamKind = ObjectOf<typeof paramKind>;

export const paramKind = s.struct("admissionregistration.v1.ParamKind", { mapType: "atomic" }, () => ({
  apiVersion: s.string({ proto: 1, optional: true }),
  kind: s.string({ proto: 2, optional: true }),
}));

export type ParamRef = ObjectOf<typeof paramRef>;

export const paramRef = s.struct("admissionregistration.v1.ParamRef", { mapType: "atomic" }, () => ({
  name: s.string({ proto: 1, optional: true }),
  namespace: s.string({ proto: 2, optional: true }),
  selector: s.of(labelSelector, { proto: 3, optional: true, pointer: true }),
  parameterNotFoundAction: s.string({ proto: 4, optional: true, pointer: true }),
}));
