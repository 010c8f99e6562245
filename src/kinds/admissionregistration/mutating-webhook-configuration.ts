// MutatingWebhookConfiguration: webhooks that may change requests.

import { s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { ALL_VERBS } from "../verbs.ts";
import { defaultWebhook } from "./webhook-defaults.ts";
import { matchCondition, ruleWithOperations, webhookClientConfig } from "./webhook-schema.ts";
import { validateWebhooks, validateWebhooksUpdate } from "./webhook-validation.ts";

export type MutatingWebhookConfiguration = ObjectOf<typeof mutatingWebhookConfigurationSchema>;

export const mutatingWebhookConfigurationSchema = objectSchema(
  "admissionregistration.v1.MutatingWebhookConfiguration",
  { doc: "Webhooks that may change requests." },
  () => ({
    webhooks: s.list(mutatingWebhook, {
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

export const mutatingWebhookConfiguration = defineKind({
  group: "admissionregistration",
  version: "v1",
  kind: "MutatingWebhookConfiguration",
  resource: "mutatingwebhookconfigurations",
  singular: "mutatingwebhookconfiguration",
  scope: "Cluster",
  categories: ["api-extensions"],
  verbs: ALL_VERBS,
  schema: mutatingWebhookConfigurationSchema,
  storagePrefix: "mutatingwebhookconfigurations",
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
      for (const webhook of webhooks ?? []) {
        defaultWebhook(webhook);
        webhook.reinvocationPolicy ??= "Never";
      }
    },
    validate: validateWebhooks,
    validateUpdate: validateWebhooksUpdate,
  },
});

export type MutatingWebhook = ObjectOf<typeof mutatingWebhook>;

export const mutatingWebhook = s.struct("admissionregistration.v1.MutatingWebhook", () => ({
  name: s.string({ proto: 1 }),
  clientConfig: s.of(webhookClientConfig, { proto: 2 }),
  rules: s.list(ruleWithOperations, { proto: 3, optional: true, listType: "atomic" }),
  failurePolicy: s.enumOf(["Fail", "Ignore"], { proto: 4, optional: true, pointer: true }),
  matchPolicy: s.enumOf(["Equivalent", "Exact"], { proto: 9, optional: true, pointer: true }),
  namespaceSelector: s.of(labelSelector, { proto: 5, optional: true, pointer: true }),
  objectSelector: s.of(labelSelector, { proto: 11, optional: true, pointer: true }),
  sideEffects: s.enumOf(["None", "NoneOnDryRun", "Some", "Unknown"], { proto: 6, pointer: true }),
  timeoutSeconds: s.int32({ proto: 7, optional: true, pointer: true }),
  admissionReviewVersions: s.list("string", { proto: 8, listType: "atomic" }),
  reinvocationPolicy: s.string({ proto: 10, optional: true, pointer: true }),
  matchConditions: s.list(matchCondition, {
    proto: 12,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge"],
    patchMergeKey: "name",
  }),
}));
