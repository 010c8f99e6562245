// ImagePolicyWebhook put together from its settings.

import type { JsonObject } from "../../base/json.ts";
import { StartError } from "../../base/start-error.ts";
import { type WebhookTransport, webhookOfFile } from "../../client/callouts/webhook-transport.ts";
import type { AdmissionPlugin } from "../../registry/admission.ts";
import type { PluginParts } from "../plugin-parts.ts";
import { readImagePolicySettings } from "./image-policy-settings.ts";
import { imagePolicyWebhook } from "./image-policy-webhook.ts";

/** Fails with StartError, naming what is wrong. */
export function buildImagePolicy(
  parts: PluginParts,
  settings: JsonObject | undefined,
): { readonly plugin: AdmissionPlugin; close(): void } {
  const { kubeConfigFile, ...rest } = readImagePolicySettings(settings);
  const { names, clock } = parts;
  const transport = openTransport(kubeConfigFile, parts);
  const plugin = imagePolicyWebhook(
    {
      names,
      clock,
      post: (body, options) => transport.post(body, options),
    },
    rest,
  );
  return { plugin, close: () => transport.close() };
}

function openTransport(file: string, { clock, egress, readStartFile }: PluginParts): WebhookTransport {
  try {
    return webhookOfFile(file, { clock, egress, readSmallFile: readStartFile });
  } catch (error) {
    throw new StartError(`ImagePolicyWebhook: imagePolicy.kubeConfigFile ${file}: ${(error as Error).message}`);
  }
}
