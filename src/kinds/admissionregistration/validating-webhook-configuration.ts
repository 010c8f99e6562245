// ValidatingWebhookConfiguration: webhooks that may refuse requests.

import { s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { ALL_VERBS } from "../verbs.ts";
import { defaultWebhook } from "./webhook-defaults.ts";
import { matchCondition, ruleWithOperations, webhookClientConfig } from "./webhook-schema.ts";
import { validateWebhooks, validateWebhooksUpdate } from "./webhook-validation.ts";

export type ValidatingWebhookConfiguration = ObjectOf<typeof validatingWebhookConfigurationSchema>;

export const validatingWebhookConfigurationSchema = objectSchema(
  "admissionregistration.v1.ValidatingWebhookConfiguration",
  { doc: "Webhooks that may refuse requests." },
  () => ({
    webhooks: s.list(validatingWebhook, {
      proto: 2,
      protoName: "Webhooks",
      optional: true,
      listType: "map",
      mapKeys: ["name"],
      patchStrategy: ["merge"],
      patchMergeKey: "name",
    }),
  }),
);

export const validatingWebhookConfiguration = defineKind({
  group: "admissionregistration",
  version: "v1",
  kind: "ValidatingWebhookConfiguration",
  resource: "validatingwebhookconfigurations",
  singular: "validatingwebhookconfiguration",
  scope: "Cluster",
  categories: ["api-extensions"],
  verbs: ALL_VERBS,
  schema: validatingWebhookConfigurationSchema,
  storagePrefix: "validatingwebhookconfigurations",
  generation: true,
  protobuf: true,
  name: "dns1123Subdomain",
  columns: [
    NAME_COLUMN,
    { name: "Webhooks", type: "integer", cell: (configuration) => configuration.webhooks?.length ?? 0 },
    AGE_COLUMN,
  ],
  hooks: {
    default({ webhooks }) {
      for (const webhook of webhooks ?? []) defaultWebhook(webhook);
    },
    validate: validateWebhooks,
    validateUpdate: validateWebhooksUpdate,
  },
});

export type ValidatingWebhook = ObjectOf<typeof validatingWebhook>;

export const validatingWebhook = s.struct("admissionregistration.v1.ValidatingWebhook", () => ({
  name: s.string({ proto: 1 }),
  clientConfig: s.of(webhookClientConfig, { proto: 2 }),
  rules: s.list(ruleWithOperations, { proto: 3, optional: true, listType: "atomic" }),
  failurePolicy: s.enumOf(["Fail", "Ignore"], { proto: 4, optional: true, pointer: true }),
  matchPolicy: s.enumOf(["Equivalent", "Exact"], { proto: 9, optional: true, pointer: true }),
  namespaceSelector: s.of(labelSelector, { proto: 5, optional: true, pointer: true }),
  objectSelector: s.of(labelSelector, { proto: 10, optional: true, pointer: true }),
  sideEffects: s.enumOf(["None", "NoneOnDryRun", "Some", "Unknown"], { proto: 6, pointer: true }),
  timeoutSeconds: s.int32({ proto: 7, optional: true, pointer: true }),
  admissionReviewVersions: s.list("string", { proto: 8, listType: "atomic" }),
  matchConditions: s.list(matchCondition, {
    proto: 11,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge"],
    patchMergeKey: "name",
  }),
}));
