// The schema of ValidatingAdmissionPolicy.

import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { FILLED, INSIDE } from "../../schema/check-fields.ts";
import { condition } from "../meta/condition.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { matchResources, paramKind, policyConditions, policySubject, variable } from "./match-resources.ts";
import { matchCondition } from "./webhook-schema.ts";

export type ValidatingAdmissionPolicy = ObjectOf<typeof validatingAdmissionPolicySchema>;

export const validatingAdmissionPolicySchema = objectSchema(
  "admissionregistration.v1.ValidatingAdmissionPolicy",
  "Rules in CEL that requests must satisfy.",
  () => ({
    spec: opt.of(validatingAdmissionPolicySpec, 2, "Which requests are judged, and by what rules."),
    status: opt.of(
      validatingAdmissionPolicyStatus,
      3,
      "Whether the expressions of the policy fit the types they look at.",
    ),
  }),
);

export type ValidatingAdmissionPolicySpec = ObjectOf<typeof validatingAdmissionPolicySpec>;

export const validatingAdmissionPolicySpec = s.struct(
  "admissionregistration.v1.ValidatingAdmissionPolicySpec",
  "Which requests a policy judges, and by what rules.",
  () => ({
    ...policySubject(paramKind, matchResources),
    validations: opt.atomic(
      validation,
      3,
      "Rules that requests must all satisfy. This, auditAnnotations or both must be set.",
    ),
    failurePolicy: ptr.enumOf(
      "FailurePolicyType",
      ["Fail", "Ignore"],
      4,
      "When the policy errs or is misconfigured: Fail (the default) refuses the request, Ignore lets it pass.",
    ),
    auditAnnotations: opt.atomic(
      auditAnnotation,
      5,
      "Annotations for the audit event of a request, at most 20. This, validations or both must be set.",
      { must: { whole: (list) => (list.length > 20 ? ["must not have more than 20 auditAnnotations"] : []) } },
    ),
    matchConditions: policyConditions(matchCondition),
    variables: opt.listBy(
      "name",
      variable,
      7,
      "Named expressions for use in the others. Each may use only those before it.",
    ),
  }),
);

export type Validation = ObjectOf<typeof validation>;

export const validation = s.struct("admissionregistration.v1.Validation", "A rule in CEL.", () => ({
  expression: s.string(
    1,
    "Gives true when the request is good. It sees object, oldObject, request, params, namespaceObject, authorizer and variables.",
    { protoName: "Expression" },
  ),
  message: opt.string(
    2,
    "Answer when the rule is not met, on one line. When not set, the expression itself is quoted.",
    { must: { form: messageProblems } },
  ),
  reason: ptr.named(
    "v1.StatusReason",
    3,
    "Decides the status code: Unauthorized, Forbidden, Invalid (the default) or RequestEntityTooLarge.",
  ),
  messageExpression: opt.string(
    4,
    "Gives the answer in CEL, in place of message. When it fails or gives no usable text, message is used.",
  ),
}));

function messageProblems(message: string): string[] {
  const text = message.trim();
  if (text === "") return ["must be non-empty if specified"];
  return /[\r\n]/.test(text) ? ["must not contain line breaks"] : [];
}

export type AuditAnnotation = ObjectOf<typeof auditAnnotation>;

const auditAnnotation = s.struct("admissionregistration.v1.AuditAnnotation", "An annotation for audit events.", () => ({
  key: s.string(
    1,
    "Key of the annotation, to which the name of the policy and a slash are put in front; unique in the policy.",
  ),
  valueExpression: s.string(
    2,
    "Gives the value in CEL as a text; null or an empty text leaves the annotation out. At most 5 KiB.",
  ),
}));

const validatingAdmissionPolicyStatus = s.struct(
  "admissionregistration.v1.ValidatingAdmissionPolicyStatus",
  "What the server found about a policy.",
  () => ({
    observedGeneration: opt.int64(1, "The metadata.generation that this was found for."),
    typeChecking: ptr.of(
      typeChecking,
      2,
      "The result of checking the expressions against types; not set while that is not finished.",
    ),
    conditions: opt.list(condition, 3, "Conditions of the policy.", { listType: "map", mapKeys: ["type"] }),
  }),
);

export const typeChecking = s.struct(
  "admissionregistration.v1.TypeChecking",
  "Result of checking the expressions of a policy against the types they look at.",
  () => ({
    expressionWarnings: opt.atomic(
      expressionWarning,
      1,
      "What looks wrong. Such expressions are evaluated all the same.",
      { must: INSIDE },
    ),
  }),
);

const expressionWarning = s.struct(
  "admissionregistration.v1.ExpressionWarning",
  "Something that looks wrong in an expression.",
  () => ({
    fieldRef: s.string(2, "Path of the expression, such as spec.validations[0].expression.", { must: FILLED }),
    warning: s.string(3, "What looks wrong, for each type for which it does.", { must: FILLED }),
  }),
);
