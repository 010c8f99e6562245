// Custom resources put together.

import type { Background } from "../../base/background.ts";
import type { Log } from "../../base/log.ts";
import { Metrics } from "../../base/metrics.ts";
import type { Egress } from "../../client/callouts/egress.ts";
import { type ServiceResolver, WebhookClient } from "../../client/callouts/webhook-client.ts";
import { RELEASE } from "../../meta/version.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { WriteDeps } from "../../registry/write.ts";
import { conversionMetrics } from "./custom-resources/conversion-metrics.ts";
import { CustomResources } from "./custom-resources/custom-resources.ts";
import { expressionMetrics } from "./custom-resources/expression-metrics.ts";
import { webhookConverter } from "./custom-resources/webhook-conversion.ts";

interface CustomResourcesParts {
  readonly context: WriteDeps;
  readonly catalog: Catalog;
  readonly log: Log;
  readonly background: Background;
  /** Undefined: nobody looks at them. */
  readonly metrics?: Metrics;
  /** Where conversion webhooks are that are named by a Service. */
  readonly resolveService: ServiceResolver;
  /** The way to those that are named by address. */
  readonly egress?: Egress | undefined;
}

export function buildCustomResources(parts: CustomResourcesParts): CustomResources {
  const { context, resolveService } = parts;
  const metrics = parts.metrics ?? new Metrics({ release: RELEASE });
  const client = new WebhookClient(resolveService, parts.egress);
  return new CustomResources({
    ...parts,
    webhooks: webhookConverter({ names: context.names, client, observer: conversionMetrics(metrics) }),
    expressions: expressionMetrics(metrics),
  });
}
