// ValidatingWebhookConfiguration: webhooks that may refuse requests.

import { opt, s } from "../../schema/builder.ts";
import { rowFields } from "../cells/row-fields.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { defaultWebhook } from "./webhook-defaults.ts";
import { webhookColumns, webhookConditions, webhookMembers } from "./webhook-members.ts";
import { webhookHooks } from "./webhook-validation.ts";

export type ValidatingWebhookConfiguration = ObjectOf<typeof validatingWebhookConfigurationSchema>;

const validatingWebhookConfigurationSchema = objectSchema(
  "admissionregistration.v1.ValidatingWebhookConfiguration",
  "Webhooks that may refuse requests.",
  () => ({
    webhooks: opt.listBy("name", validatingWebhook, 2, "The webhooks, called side by side.", { protoName: "Webhooks" }),
  }),
);

export const validatingWebhookConfiguration = defineKind({
  group: "admissionregistration",
  version: "v1",
  kind: "ValidatingWebhookConfiguration",
  resource: "validatingwebhookconfigurations",
  scope: "Cluster",
  categories: ["api-extensions"],
  schema: validatingWebhookConfigurationSchema,
  freeFinalizers: true,
  generation: true,
  rowFields: rowFields("webhooks.name"),
  columns: webhookColumns,
  hooks: {
    default({ webhooks }) {
      for (const webhook of webhooks ?? []) defaultWebhook(webhook);
    },
    ...webhookHooks(() => validatingWebhook),
  },
});

const validatingWebhook = s.struct(
  "admissionregistration.v1.ValidatingWebhook",
  "A webhook that may refuse requests, and the requests it is called for.",
  () => ({
    ...webhookMembers(10),
    matchConditions: webhookConditions(11),
  }),
);
