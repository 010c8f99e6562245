// The schema of ValidatingAdmissionPolicy.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { condition } from "../meta/condition.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { matchResources, paramKind } from "./match-resources.ts";
import { matchCondition } from "./webhook-schema.ts";

export type ValidatingAdmissionPolicy = ObjectOf<typeof validatingAdmissionPolicySchema>;

export const validatingAdmissionPolicySchema = objectSchema(
  "admissionregistration.v1.ValidatingAdmissionPolicy",
  { doc: "Rules in CEL that requests must satisfy." },
  () => ({
    spec: s.of(validatingAdmissionPolicySpec, { proto: 2, optional: true }),
    status: s.of(validatingAdmissionPolicyStatus, { proto: 3, optional: true }),
  }),
);

export type ValidatingAdmissionPolicySpec = ObjectOf<typeof validatingAdmissionPolicySpec>;

export const validatingAdmissionPolicySpec = s.struct("admissionregistration.v1.ValidatingAdmissionPolicySpec", () => ({
  paramKind: s.of(paramKind, { proto: 1, optional: true, pointer: true }),
  matchConstraints: s.of(matchResources, { proto: 2, optional: true, pointer: true }),
  validations: s.list(validation, { proto: 3, optional: true, listType: "atomic" }),
  failurePolicy: s.enumOf(["Fail", "Ignore"], { proto: 4, optional: true, pointer: true }),
  auditAnnotations: s.list(auditAnnotation, { proto: 5, optional: true, listType: "atomic" }),
  matchConditions: s.list(matchCondition, {
    proto: 6,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge"],
    patchMergeKey: "name",
  }),
  variables: s.list(variable, {
    proto: 7,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge"],
    patchMergeKey: "name",
  }),
}));

export type Validation = ObjectOf<typeof validation>;

export const validation = s.struct("admissionregistration.v1.Validation", () => ({
  expression: s.string({ proto: 1, protoName: "Expression" }),
  message: s.string({ proto: 2, optional: true }),
  reason: s.string({ proto: 3, optional: true, pointer: true }),
  messageExpression: s.string({ proto: 4, optional: true }),
}));

export type AuditAnnotation = ObjectOf<typeof auditAnnotation>;

export const auditAnnotation = s.struct("admissionregistration.v1.AuditAnnotation", () => ({
  key: s.string({ proto: 1 }),
  valueExpression: s.string({ proto: 2 }),
}));

export type Variable = ObjectOf<typeof variable>;

export const variable = s.struct("admissionregistration.v1.Variable", { mapType: "atomic" }, () => ({
  name: s.string({ proto: 1, protoName: "Name" }),
  expression: s.string({ proto: 2, protoName: "Expression" }),
}));

export type ValidatingAdmissionPolicyStatus = ObjectOf<typeof validatingAdmissionPolicyStatus>;

export const validatingAdmissionPolicyStatus = s.struct(
  "admissionregistration.v1.ValidatingAdmissionPolicyStatus",
  () => ({
    observedGeneration: s.int64({ proto: 1, optional: true }),
    typeChecking: s.of(typeChecking, { proto: 2, optional: true, pointer: true }),
    conditions: s.list(condition, { proto: 3, optional: true, listType: "map", mapKeys: ["type"] }),
  }),
);

export type TypeChecking = ObjectOf<typeof typeChecking>;

export const typeChecking = s.struct("admissionregistration.v1.TypeChecking", () => ({
  expressionWarnings: s.list(expressionWarning, { proto: 1, optional: true, listType: "atomic" }),
}));

export type ExpressionWarning = ObjectOf<typeof expressionWarning>;

export const expressionWarning = s.struct("admissionregistration.v1.ExpressionWarning", () => ({
  fieldRef: s.string({ proto: 2 }),
  warning: s.string({ proto: 3 }),
}));
