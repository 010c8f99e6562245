// MutatingWebhookConfiguration: webhooks that may change requests.

import { opt, ptr, s } from "../../schema/builder.ts";
import { rowFields } from "../cells/row-fields.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { defaultWebhook } from "./webhook-defaults.ts";
import { webhookColumns, webhookConditions, webhookMembers } from "./webhook-members.ts";
import { webhookHooks } from "./webhook-validation.ts";

export type MutatingWebhookConfiguration = ObjectOf<typeof mutatingWebhookConfigurationSchema>;

const mutatingWebhookConfigurationSchema = objectSchema(
  "admissionregistration.v1.MutatingWebhookConfiguration",
  "Webhooks that may change requests.",
  () => ({
    webhooks: opt.listBy("name", mutatingWebhook, 2, "The webhooks, called one after the other.", {
      protoName: "Webhooks",
    }),
  }),
);

export const mutatingWebhookConfiguration = defineKind({
  group: "admissionregistration",
  version: "v1",
  kind: "MutatingWebhookConfiguration",
  resource: "mutatingwebhookconfigurations",
  scope: "Cluster",
  categories: ["api-extensions"],
  schema: mutatingWebhookConfigurationSchema,
  freeFinalizers: true,
  generation: true,
  rowFields: rowFields("webhooks.name"),
  columns: webhookColumns,
  hooks: {
    default({ webhooks }) {
      for (const webhook of webhooks ?? []) {
        defaultWebhook(webhook);
        webhook.reinvocationPolicy ??= "Never";
      }
    },
    ...webhookHooks(() => mutatingWebhook),
  },
});

export type MutatingWebhook = ObjectOf<typeof mutatingWebhook>;

const mutatingWebhook = s.struct(
  "admissionregistration.v1.MutatingWebhook",
  "A webhook that may change requests, and the requests it is called for.",
  () => ({
    ...webhookMembers(11),
    reinvocationPolicy: ptr.named(
      "ReinvocationPolicyType",
      10,
      "Never (the default) calls it once, IfNeeded again when later plug-ins change the object. It must bear being repeated.",
      { must: { listed: ["IfNeeded", "Never"] } },
    ),
    matchConditions: webhookConditions(12),
  }),
);
