// One proxy for each family of addresses, as upstream has it: what the kernel refuses of one family keeps nothing of the other from
// being brought up to date.

import type { ProxyHealth } from "./health/proxy-health.ts";
import type { TableSettings } from "./nft/table-text.ts";
import type { ProxyMetrics } from "./proxy-metrics.ts";
import { type EndpointsCause, ServiceProxy, type ServiceProxyParts } from "./service-proxy.ts";

interface FamilyProxiesParts extends Omit<ServiceProxyParts, "settings" | "health" | "metrics"> {
  /** One for each family that is served. */
  readonly settings: readonly TableSettings[];
  readonly health: ProxyHealth;
  readonly metrics: ProxyMetrics;
}

export class FamilyProxies {
  readonly #proxies: readonly ServiceProxy[];
  /** Resolves when everything that was known at the start is in the kernel. */
  readonly ready: Promise<void>;

  constructor({ settings, health, metrics, machine, ...parts }: FamilyProxiesParts) {
    this.#proxies = settings.map((each, index) => {
      const { family } = each;
      return new ServiceProxy({
        ...parts,
        settings: each,
        health: health.of(family),
        metrics: metrics.of(family),
        // They are the same for all families.
        machine: index === 0 ? machine : { ...machine, setHealthCheck: () => undefined },
      });
    });
    this.ready = Promise.all(this.#proxies.map((proxy) => proxy.ready)).then(() => undefined);
  }

  start(): void {
    for (const proxy of this.#proxies) proxy.start();
  }

  changed(service: string, cause?: EndpointsCause): void {
    for (const proxy of this.#proxies) proxy.changed(service, cause);
  }

  /** In the order of those that it was made with. */
  setSettings(settings: readonly TableSettings[]): void {
    for (const [index, proxy] of this.#proxies.entries()) proxy.setSettings(settings[index]!);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#proxies.map((proxy) => proxy.stop()));
  }
}
