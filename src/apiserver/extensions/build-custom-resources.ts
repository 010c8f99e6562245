// Custom resources put together.

import type { Log } from "../../base/log.ts";
import { WebhookClient } from "../../client/webhook-client.ts";
import type { Catalog } from "../registry/catalog.ts";
import type { WriteDeps } from "../registry/write.ts";
import { CustomResources } from "./custom-resources/custom-resources.ts";
import { webhookConverter } from "./custom-resources/webhook-conversion.ts";
import { serviceResolver } from "./service-resolver.ts";

export interface CustomResourcesParts {
  readonly context: WriteDeps;
  readonly catalog: Catalog;
  readonly log: Log;
}

export function buildCustomResources(parts: CustomResourcesParts): CustomResources {
  const { context, catalog } = parts;
  const client = new WebhookClient(serviceResolver(catalog));
  return new CustomResources({ ...parts, webhooks: webhookConverter({ names: context.names, client }) });
}
