// The Services of the cluster and the endpoints behind them, as this server sees them: a live copy, loaded when somebody asks
// for the first time. Whoever calls out to a Service finds its way here.

import { randomInt } from "node:crypto";
import { goQuote } from "../../base/go-quote.ts";
import type { Egress } from "../../client/callouts/egress.ts";
import type { ServiceResolver } from "../../client/callouts/webhook-client.ts";
import type { Service } from "../../kinds/core/service.ts";
import type { EndpointSlice } from "../../kinds/discovery/endpoint-slice.ts";
import type { Names } from "../../meta/names.ts";
import type { Catalog } from "../../registry/catalog.ts";
import { ObjectMirror } from "../../registry/object-mirror.ts";
import {
  type Reached,
  resolveCluster,
  resolveEndpoint,
  type ServiceView,
  type SliceView,
  viewOfService,
  viewOfSlice,
} from "./service-resolver.ts";

interface ServiceNetworkParts {
  readonly names: Names;
  readonly catalog: Catalog;
  /** --enable-aggregator-routing: endpoints are called, not the cluster address. */
  readonly endpointRouting: boolean;
  /** Where this server listens, once it does: the Service of the API itself is reached here. */
  readonly ownAddress: () => Reached | undefined;
  /** The way into the cluster. */
  readonly egress?: Egress | undefined;
}

const HTTPS_PORT = 443;

export class ServiceNetwork {
  readonly #parts: ServiceNetworkParts;
  readonly #services: ObjectMirror<ServiceView> | undefined;
  readonly #slices: ObjectMirror<SliceView> | undefined;
  /** The slices of a Service, by `namespace/name` of it and the key of the slice. */
  readonly #slicesOf = new Map<string, Map<string, SliceView>>();
  readonly #listeners = new Set<(namespace: string, name: string) => void>();

  constructor(parts: ServiceNetworkParts) {
    this.#parts = parts;
    const { catalog, names } = parts;
    const services = catalog.own("", "v1", "services")?.store;
    const slices = catalog.own(names.group("discovery"), "v1", "endpointslices")?.store;
    this.#services =
      services &&
      new ObjectMirror(services, {
        project: (object) => viewOfService(object as unknown as Service),
        onChange: (_key, now, before) => this.#tell(now ?? before),
      });
    this.#slices =
      slices &&
      new ObjectMirror(slices, {
        project: (object) => {
          const slice = object as unknown as EndpointSlice;
          const service = slice.metadata.labels?.[names.serviceNameLabel];
          return service ? viewOfSlice(slice, service) : undefined;
        },
        onChange: (key, now, before) => this.#sliceChanged(key, now, before),
      });
  }

  /** Fails with a sentence when the Service cannot be reached. */
  readonly resolve: ServiceResolver = async (namespace, name, port) => {
    const { names, ownAddress, endpointRouting, egress } = this.#parts;
    const own = namespace === "default" && name === names.apiService && port === HTTPS_PORT ? ownAddress() : undefined;
    if (own !== undefined) return own;
    const service = await this.service(namespace, name);
    if (service === undefined) throw new Error(`service ${goQuote(name)} not found`);
    const reached = endpointRouting
      ? resolveEndpoint(service, await this.slices(namespace, name), port, (count) => randomInt(count))
      : resolveCluster(service, port);
    return egress === undefined ? reached : { ...reached, egress };
  };

  async service(namespace: string, name: string): Promise<ServiceView | undefined> {
    await this.#services?.ready();
    return this.#services?.get(namespace, name);
  }

  async slices(namespace: string, name: string): Promise<readonly SliceView[]> {
    await this.#slices?.ready();
    return [...(this.#slicesOf.get(`${namespace}/${name}`)?.values() ?? [])];
  }

  /** Calls back after every change of a Service or of what is behind it, once they have been asked for. */
  onChange(listener: (namespace: string, name: string) => void): void {
    this.#listeners.add(listener);
  }

  close(): void {
    this.#listeners.clear();
    this.#services?.close();
    this.#slices?.close();
  }

  #tell(changed: { readonly namespace: string; readonly name: string } | undefined): void {
    if (changed === undefined) return;
    for (const listener of this.#listeners) listener(changed.namespace, changed.name);
  }

  #sliceChanged(key: string, now: SliceView | undefined, before: SliceView | undefined): void {
    if (before !== undefined) {
      const service = `${before.namespace}/${before.service}`;
      const known = this.#slicesOf.get(service);
      known?.delete(key);
      if (known?.size === 0) this.#slicesOf.delete(service);
      if (before.service !== now?.service) this.#tell({ namespace: before.namespace, name: before.service });
    }
    if (now === undefined) return;
    const service = `${now.namespace}/${now.service}`;
    const known = this.#slicesOf.get(service);
    if (known === undefined) this.#slicesOf.set(service, new Map([[key, now]]));
    else known.set(key, now);
    this.#tell({ namespace: now.namespace, name: now.service });
  }
}
