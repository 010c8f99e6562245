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
      doc: "The webhooks, called one after the other.",
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

export const mutatingWebhook = s.struct(
  "admissionregistration.v1.MutatingWebhook",
  { doc: "A webhook that may change requests, and the requests it is called for." },
  () => ({
    name: s.string({
      proto: 1,
      doc: "Full name of the webhook with at least three parts, such as images.policy.example.com; unique in the list.",
    }),
    clientConfig: s.of(webhookClientConfig, { proto: 2, doc: "Where the webhook is, and how it is trusted." }),
    rules: s.list(ruleWithOperations, {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "Operations on resources that the webhook is called for; one must match. Without any it is never called.",
    }),
    failurePolicy: s.enumOf(["Fail", "Ignore"], {
      alias: "FailurePolicyType",
      proto: 4,
      optional: true,
      pointer: true,
      doc: "When the webhook cannot be reached or errs: Fail (the default) refuses the request, Ignore lets it pass.",
    }),
    matchPolicy: s.enumOf(["Equivalent", "Exact"], {
      alias: "MatchPolicyType",
      proto: 9,
      optional: true,
      pointer: true,
      doc: "Exact takes requests only as the rules name them, Equivalent (the default) also through other versions or groups.",
    }),
    namespaceSelector: s.of(labelSelector, {
      proto: 5,
      optional: true,
      pointer: true,
      doc: "Labels that the namespace of the object must have; objects without a namespace always match. Empty: all.",
    }),
    objectSelector: s.of(labelSelector, {
      proto: 11,
      optional: true,
      pointer: true,
      doc: "Labels that the object must have, before or after the change. Users can set labels: do not rely on it for security.",
    }),
    sideEffects: s.enumOf(["None", "NoneOnDryRun", "Some", "Unknown"], {
      alias: "SideEffectClass",
      proto: 6,
      pointer: true,
      doc: "None or NoneOnDryRun. Dry runs that match are refused for webhooks with other (older) values.",
    }),
    timeoutSeconds: s.int32({
      proto: 7,
      optional: true,
      pointer: true,
      doc: "How long to wait for an answer, 1 to 30 seconds, by default 10. After that failurePolicy decides.",
    }),
    admissionReviewVersions: s.list("string", {
      proto: 8,
      listType: "atomic",
      doc: "Versions of AdmissionReview that the webhook understands, best first; the first that the server knows is sent.",
    }),
    reinvocationPolicy: s.string({
      alias: "ReinvocationPolicyType",
      proto: 10,
      optional: true,
      pointer: true,
      doc: "Never (the default) calls it once, IfNeeded again when later plug-ins change the object. It must bear being repeated.",
    }),
    matchConditions: s.list(matchCondition, {
      proto: 12,
      optional: true,
      listType: "map",
      mapKeys: ["name"],
      patchStrategy: ["merge"],
      patchMergeKey: "name",
      doc: "Conditions that must all be true for the webhook to be called, at most 64. Checked after rules and selectors.",
    }),
  }),
);
