// Tells the server of webhooks: configurations for admission, the conversion part of definitions.

import { kinds } from "../built-in-kinds.ts";
import type { ResourceClient } from "../resource-client.ts";
import { groupNameOf } from "../resources/resource-type.ts";
import { pathOf, type WebhookDeclaration } from "./webhook-declaration.ts";

/** How the server reaches the webhooks. */
export type WebhookAddress =
  /** `https://host:port`, seen from the server. */
  | { readonly url: string }
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number | undefined } };

interface Registration {
  readonly client: ResourceClient;
  /** Of the configurations, and the field manager. */
  readonly name: string;
  readonly address: WebhookAddress;
  readonly bundlePem: string;
  readonly webhooks: readonly WebhookDeclaration[];
}

export async function registerWebhooks(registration: Registration): Promise<void> {
  const { client, name, webhooks } = registration;
  const { mutatingWebhookConfigurations, validatingWebhookConfigurations } = kinds.admissionregistration.v1;
  const options = { force: true, fieldManager: name };
  const mutating = admissionWebhooks(registration, "mutating");
  if (mutating.length > 0)
    await client.resource(mutatingWebhookConfigurations).apply({ metadata: { name }, webhooks: mutating }, options);
  const validating = admissionWebhooks(registration, "validating");
  if (validating.length > 0)
    await client.resource(validatingWebhookConfigurations).apply({ metadata: { name }, webhooks: validating }, options);
  const definitions = client.resource(kinds.apiextensions.v1.customResourceDefinitions);
  for (const webhook of webhooks) {
    if (webhook.type !== "converting") continue;
    const { resource, groupName } = webhook.declaration.for;
    const conversion = {
      strategy: "Webhook",
      webhook: { clientConfig: clientConfig(registration, webhook), conversionReviewVersions: ["v1"] },
    };
    await definitions.patch(`${resource}.${groupName}`, { merge: { spec: { conversion } } }, { fieldManager: name });
  }
}

function admissionWebhooks(registration: Registration, type: "mutating" | "validating") {
  return registration.webhooks.flatMap((webhook) => {
    if (webhook.type !== type) return [];
    const { declaration } = webhook;
    const { for: kind, operations = ["CREATE", "UPDATE"], subresources = [] } = declaration;
    const { failurePolicy, timeoutSeconds, namespaceSelector, objectSelector, matchConditions } = declaration;
    return [
      {
        name: declaration.name,
        clientConfig: clientConfig(registration, webhook),
        rules: [
          {
            apiGroups: [groupNameOf(kind, registration.client.names)],
            apiVersions: [kind.version],
            resources: [kind.resource, ...subresources.map((subresource) => `${kind.resource}/${subresource}`)],
            operations: [...operations],
          },
        ],
        sideEffects: "None" as const,
        admissionReviewVersions: ["v1"],
        ...(failurePolicy === undefined ? {} : { failurePolicy }),
        ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
        ...(namespaceSelector === undefined ? {} : { namespaceSelector }),
        ...(objectSelector === undefined ? {} : { objectSelector }),
        ...(matchConditions === undefined ? {} : { matchConditions: [...matchConditions] }),
      },
    ];
  });
}

function clientConfig({ address, bundlePem }: Registration, webhook: WebhookDeclaration) {
  const caBundle = Buffer.from(bundlePem).toString("base64");
  const path = pathOf(webhook);
  return "url" in address
    ? { caBundle, url: new URL(path, address.url).href }
    : { caBundle, service: { ...address.service, path } };
}
