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
    spec: s.of(validatingAdmissionPolicySpec, {
      proto: 2,
      optional: true,
      doc: "Which requests are judged, and by what rules.",
    }),
    status: s.of(validatingAdmissionPolicyStatus, {
      proto: 3,
      optional: true,
      doc: "Whether the expressions of the policy fit the types they look at.",
    }),
  }),
);

export type ValidatingAdmissionPolicySpec = ObjectOf<typeof validatingAdmissionPolicySpec>;

export const validatingAdmissionPolicySpec = s.struct(
  "admissionregistration.v1.ValidatingAdmissionPolicySpec",
  { doc: "Which requests a policy judges, and by what rules." },
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
    validations: s.list(validation, {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "Rules that requests must all satisfy. This, auditAnnotations or both must be set.",
    }),
    failurePolicy: s.enumOf(["Fail", "Ignore"], {
      alias: "FailurePolicyType",
      proto: 4,
      optional: true,
      pointer: true,
      doc: "When the policy errs or is misconfigured: Fail (the default) refuses the request, Ignore lets it pass.",
    }),
    auditAnnotations: s.list(auditAnnotation, {
      proto: 5,
      optional: true,
      listType: "atomic",
      doc: "Annotations for the audit event of a request, at most 20. This, validations or both must be set.",
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
    variables: s.list(variable, {
      proto: 7,
      optional: true,
      listType: "map",
      mapKeys: ["name"],
      patchStrategy: ["merge"],
      patchMergeKey: "name",
      doc: "Named expressions for use in the others. Each may use only those before it.",
    }),
  }),
);

export type Validation = ObjectOf<typeof validation>;

export const validation = s.struct("admissionregistration.v1.Validation", { doc: "A rule in CEL." }, () => ({
  expression: s.string({
    proto: 1,
    protoName: "Expression",
    doc: "Gives true when the request is good. It sees object, oldObject, request, params, namespaceObject, authorizer and variables.",
  }),
  message: s.string({
    proto: 2,
    optional: true,
    doc: "Answer when the rule is not met, on one line. When not set, the expression itself is quoted.",
  }),
  reason: s.string({
    alias: "v1.StatusReason",
    proto: 3,
    optional: true,
    pointer: true,
    doc: "Decides the status code: Unauthorized, Forbidden, Invalid (the default) or RequestEntityTooLarge.",
  }),
  messageExpression: s.string({
    proto: 4,
    optional: true,
    doc: "Gives the answer in CEL, in place of message. When it fails or gives no usable text, message is used.",
  }),
}));

export type AuditAnnotation = ObjectOf<typeof auditAnnotation>;

export const auditAnnotation = s.struct(
  "admissionregistration.v1.AuditAnnotation",
  { doc: "An annotation for audit events." },
  () => ({
    key: s.string({
      proto: 1,
      doc: "Key of the annotation, to which the name of the policy and a slash are put in front; unique in the policy.",
    }),
    valueExpression: s.string({
      proto: 2,
      doc: "Gives the value in CEL as a text; null or an empty text leaves the annotation out. At most 5 KiB.",
    }),
  }),
);

export type Variable = ObjectOf<typeof variable>;

export const variable = s.struct(
  "admissionregistration.v1.Variable",
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

export type ValidatingAdmissionPolicyStatus = ObjectOf<typeof validatingAdmissionPolicyStatus>;

export const validatingAdmissionPolicyStatus = s.struct(
  "admissionregistration.v1.ValidatingAdmissionPolicyStatus",
  { doc: "What the server found about a policy." },
  () => ({
    observedGeneration: s.int64({ proto: 1, optional: true, doc: "The metadata.generation that this was found for." }),
    typeChecking: s.of(typeChecking, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The result of checking the expressions against types; not set while that is not finished.",
    }),
    conditions: s.list(condition, {
      proto: 3,
      optional: true,
      listType: "map",
      mapKeys: ["type"],
      doc: "Conditions of the policy.",
    }),
  }),
);

export type TypeChecking = ObjectOf<typeof typeChecking>;

export const typeChecking = s.struct(
  "admissionregistration.v1.TypeChecking",
  { doc: "Result of checking the expressions of a policy against the types they look at." },
  () => ({
    expressionWarnings: s.list(expressionWarning, {
      proto: 1,
      optional: true,
      listType: "atomic",
      doc: "What looks wrong. Such expressions are evaluated all the same.",
    }),
  }),
);

export type ExpressionWarning = ObjectOf<typeof expressionWarning>;

export const expressionWarning = s.struct(
  "admissionregistration.v1.ExpressionWarning",
  { doc: "Something that looks wrong in an expression." },
  () => ({
    fieldRef: s.string({ proto: 2, doc: "Path of the expression, such as spec.validations[0].expression." }),
    warning: s.string({ proto: 3, doc: "What looks wrong, for each type for which it does." }),
  }),
);
