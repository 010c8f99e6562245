// What a value of the wrong type is told of the type that was wanted: upstream's names, also of its named texts and lists.

import { describe, expect, it } from "vitest";
import { conform } from "../schema/conform.ts";
import { mutatingAdmissionPolicy } from "./admissionregistration/mutating-admission-policy.ts";
import { mutatingAdmissionPolicyBinding } from "./admissionregistration/mutating-admission-policy-binding.ts";
import { mutatingWebhookConfiguration } from "./admissionregistration/mutating-webhook-configuration.ts";
import { validatingAdmissionPolicy } from "./admissionregistration/validating-admission-policy.ts";
import { validatingAdmissionPolicyBinding } from "./admissionregistration/validating-admission-policy-binding.ts";
import { validatingWebhookConfiguration } from "./admissionregistration/validating-webhook-configuration.ts";
import { customResourceDefinition } from "./apiextensions/custom-resource-definition.ts";
import { tokenRequest } from "./authentication/token-request.ts";
import { tokenReview } from "./authentication/token-review.ts";
import type { Kind } from "./define-kind.ts";

const webhook = (fields: object) => ({ webhooks: [fields] });
const rule = (fields: object) => webhook({ rules: [fields] });
const spec = (fields: object) => ({ spec: fields });
const matching = (fields: object) => spec({ matchConstraints: { resourceRules: [fields] } });
const schema = (fields: object) => spec({ versions: [{ schema: { openAPIV3Schema: fields } }] });

const SCHEMA = "spec.versions.schema.openAPIV3Schema";

type Row = readonly [body: object, field: string, type: string];

const webhookRows = (struct: string): Row[] => [
  [webhook({ failurePolicy: 1 }), `${struct}.webhooks.failurePolicy`, "v1.FailurePolicyType"],
  [webhook({ matchPolicy: 1 }), `${struct}.webhooks.matchPolicy`, "v1.MatchPolicyType"],
  [webhook({ sideEffects: 1 }), `${struct}.webhooks.sideEffects`, "v1.SideEffectClass"],
  [rule({ scope: 1 }), "RuleWithOperations.webhooks.rules.scope", "v1.ScopeType"],
  [rule({ operations: [1] }), "RuleWithOperations.webhooks.rules.operations", "v1.OperationType"],
  [rule({ operations: 1 }), "RuleWithOperations.webhooks.rules.operations", "[]v1.OperationType"],
];

const policyRows: Row[] = [
  [spec({ failurePolicy: 1 }), "ValidatingAdmissionPolicySpec.spec.failurePolicy", "v1.FailurePolicyType"],
  [spec({ validations: [{ reason: 1 }] }), "Validation.spec.validations.reason", "v1.StatusReason"],
];

const mutatingPolicyRows: Row[] = [
  [spec({ failurePolicy: 1 }), "MutatingAdmissionPolicySpec.spec.failurePolicy", "v1beta1.FailurePolicyType"],
  [spec({ reinvocationPolicy: 1 }), "MutatingAdmissionPolicySpec.spec.reinvocationPolicy", "v1.ReinvocationPolicyType"],
  [spec({ mutations: [{ patchType: 1 }] }), "Mutation.spec.mutations.patchType", "v1beta1.PatchType"],
  [
    spec({ matchConstraints: { matchPolicy: 1 } }),
    "MatchResources.spec.matchConstraints.matchPolicy",
    "v1beta1.MatchPolicyType",
  ],
  [matching({ scope: 1 }), "NamedRuleWithOperations.spec.matchConstraints.resourceRules.scope", "v1.ScopeType"],
  [
    matching({ operations: [1] }),
    "NamedRuleWithOperations.spec.matchConstraints.resourceRules.operations",
    "v1.OperationType",
  ],
];

const paramRef = (version: string): Row => [
  spec({ paramRef: { parameterNotFoundAction: 1 } }),
  "ParamRef.spec.paramRef.parameterNotFoundAction",
  `${version}.ParameterNotFoundActionType`,
];

const bindingRows: Row[] = [
  paramRef("v1"),
  [
    spec({ validationActions: [1] }),
    "ValidatingAdmissionPolicyBindingSpec.spec.validationActions",
    "v1.ValidationAction",
  ],
  [
    spec({ matchResources: { matchPolicy: 1 } }),
    "MatchResources.spec.matchResources.matchPolicy",
    "v1.MatchPolicyType",
  ],
];

const RULES = "x-kubernetes-validations";
const definitionRows: Row[] = [
  [spec({ scope: 1 }), "CustomResourceDefinitionSpec.spec.scope", "v1.ResourceScope"],
  [
    spec({ conversion: { strategy: 1 } }),
    "CustomResourceConversion.spec.conversion.strategy",
    "v1.ConversionStrategyType",
  ],
  [
    { status: { conditions: [{ type: 1 }] } },
    "CustomResourceDefinitionCondition.status.conditions.type",
    "v1.CustomResourceDefinitionConditionType",
  ],
  [
    { status: { conditions: [{ status: 1 }] } },
    "CustomResourceDefinitionCondition.status.conditions.status",
    "v1.ConditionStatus",
  ],
  [schema({ $schema: 1 }), `JSONSchemaProps.${SCHEMA}.$schema`, "v1.JSONSchemaURL"],
  [schema({ dependencies: 1 }), `JSONSchemaProps.${SCHEMA}.dependencies`, "v1.JSONSchemaDependencies"],
  [schema({ definitions: 1 }), `JSONSchemaProps.${SCHEMA}.definitions`, "v1.JSONSchemaDefinitions"],
  [schema({ properties: 1 }), `JSONSchemaProps.${SCHEMA}.properties`, "map[string]v1.JSONSchemaProps"],
  [schema({ [RULES]: 1 }), `JSONSchemaProps.${SCHEMA}.${RULES}`, "v1.ValidationRules"],
  [schema({ [RULES]: [1] }), `JSONSchemaProps.${SCHEMA}.${RULES}`, "v1.ValidationRule"],
  [schema({ [RULES]: [{ reason: 1 }] }), `ValidationRule.${SCHEMA}.${RULES}.reason`, "v1.FieldValueErrorReason"],
];

const tables: [Kind, Row[]][] = [
  [
    mutatingWebhookConfiguration as Kind,
    [
      ...webhookRows("MutatingWebhook"),
      [webhook({ reinvocationPolicy: 1 }), "MutatingWebhook.webhooks.reinvocationPolicy", "v1.ReinvocationPolicyType"],
    ],
  ],
  [validatingWebhookConfiguration as Kind, webhookRows("ValidatingWebhook")],
  [validatingAdmissionPolicy as Kind, policyRows],
  [validatingAdmissionPolicyBinding as Kind, bindingRows],
  [mutatingAdmissionPolicy as Kind, mutatingPolicyRows],
  [mutatingAdmissionPolicyBinding as Kind, [paramRef("v1beta1")]],
  [customResourceDefinition as Kind, definitionRows],
  [
    tokenRequest as Kind,
    [[spec({ boundObjectRef: { uid: 1 } }), "BoundObjectReference.spec.boundObjectRef.uid", "types.UID"]],
  ],
  [
    tokenReview as Kind,
    [
      [{ status: { user: { extra: { a: 1 } } } }, "UserInfo.status.user.extra", "v1.ExtraValue"],
      [{ status: { user: { extra: { a: [1] } } } }, "UserInfo.status.user.extra", "string"],
    ],
  ],
];

describe("a number where something else belongs", () => {
  describe.each(tables.map(([kind, rows]) => ({ kind, rows })))("in $kind.kind", ({ kind, rows }) => {
    it.each(rows)("%j: %s is of type %s", (body, field, type) => {
      const message = `json: cannot unmarshal number into Go struct field ${field} of type ${type}`;
      const decode = () => conform(body, kind.schema, { unknownFields: "keep" });
      expect(decode).toThrow(expect.objectContaining({ message }));
    });
  });
});
