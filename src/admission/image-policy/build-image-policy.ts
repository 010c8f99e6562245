// ImagePolicyWebhook put together from its settings.

import type { JsonObject } from "../../base/json.ts";
import { StartError } from "../../base/start-error.ts";
import type { Egress } from "../../client/callouts/egress.ts";
import { WebhookTransport } from "../../client/callouts/webhook-transport.ts";
import { connectionOf, readKubeconfig } from "../../client/kubeconfig.ts";
import type { AdmissionPlugin } from "../../registry/admission.ts";
import type { PluginParts } from "../plugin-parts.ts";
import { readImagePolicySettings } from "./image-policy-settings.ts";
import { imagePolicyWebhook } from "./image-policy-webhook.ts";

/** Fails with StartError, naming what is wrong. */
export function buildImagePolicy(
  { names, clock, egress }: PluginParts,
  settings: JsonObject | undefined,
): { readonly plugin: AdmissionPlugin; close(): void } {
  const { kubeConfigFile, ...rest } = readImagePolicySettings(settings);
  const transport = openTransport(kubeConfigFile, egress);
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

function openTransport(file: string, egress: Egress | undefined): WebhookTransport {
  try {
    return new WebhookTransport(connectionOf(readKubeconfig(file)), egress);
  } catch (error) {
    throw new StartError(`ImagePolicyWebhook: imagePolicy.kubeConfigFile ${file}: ${(error as Error).message}`);
  }
}
