// Custom resources put together.

import type { Log } from "../../base/log.ts";
import { type ServiceResolver, WebhookClient } from "../../client/webhook-client.ts";
import type { Catalog } from "../registry/catalog.ts";
import type { WriteDeps } from "../registry/write.ts";
import { CustomResources } from "./custom-resources/custom-resources.ts";
import { webhookConverter } from "./custom-resources/webhook-conversion.ts";

export interface CustomResourcesParts {
  readonly context: WriteDeps;
  readonly catalog: Catalog;
  readonly log: Log;
  /** Where conversion webhooks are that are named by a Service. */
  readonly resolveService: ServiceResolver;
}

export function buildCustomResources(parts: CustomResourcesParts): CustomResources {
  const { context, resolveService } = parts;
  const client = new WebhookClient(resolveService);
  return new CustomResources({ ...parts, webhooks: webhookConverter({ names: context.names, client }) });
}
