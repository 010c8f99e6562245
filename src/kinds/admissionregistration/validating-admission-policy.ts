// ValidatingAdmissionPolicy: rules in CEL that requests must satisfy.

import { fieldErrors } from "../../schema/check-fields.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind } from "../define-kind.ts";
import { validateConditions } from "../meta/condition.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { validateValidatingPolicy } from "./policy-validation.ts";
import type { ValidatingAdmissionPolicy } from "./validating-admission-policy-schema.ts";
import { typeChecking, validatingAdmissionPolicySchema } from "./validating-admission-policy-schema.ts";
import { defaultMatchResources } from "./webhook-defaults.ts";

export type { ValidatingAdmissionPolicy } from "./validating-admission-policy-schema.ts";

export const validatingAdmissionPolicy = defineKind({
  group: "admissionregistration",
  version: "v1",
  kind: "ValidatingAdmissionPolicy",
  resource: "validatingadmissionpolicies",
  scope: "Cluster",
  categories: ["api-extensions"],
  schema: validatingAdmissionPolicySchema,
  freeFinalizers: true,
  generation: true,
  columns: [
    NAME_COLUMN,
    { name: "Validations", type: "integer", cell: ({ spec }) => spec.validations?.length ?? 0 },
    {
      name: "ParamKind",
      type: "string",
      cell: ({ spec: { paramKind } }) =>
        paramKind ? `${paramKind.apiVersion ?? ""}/${paramKind.kind ?? ""}` : "<unset>",
    },
    AGE_COLUMN,
  ],
  subresources: {
    status: {
      ...statusSubresource<ValidatingAdmissionPolicy>({ keepMetadata: true, resetFields: [["metadata"], ["spec"]] }),
      validateUpdate: ({ status }) => [
        ...(status.typeChecking ? fieldErrors(status.typeChecking, typeChecking, "status.typeChecking") : []),
        ...validateConditions(status.conditions ?? [], "status.conditions"),
      ],
    },
  },
  hooks: {
    default({ spec }) {
      spec.failurePolicy ??= "Fail";
      if (spec.matchConstraints) defaultMatchResources(spec.matchConstraints);
    },
    prepareForCreate(policy) {
      policy.status = {};
    },
    prepareForUpdate: keepStatus,
    validate: (policy, context) => validateValidatingPolicy(policy, context),
    validateUpdate: (policy, old, context) => validateValidatingPolicy(policy, context, old),
  },
});
