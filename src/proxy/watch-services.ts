// From changes in the API to what the proxy has to look at again: Services, their slices, the own Node, and the networks of
// cluster IPs.

import { equalJson } from "../base/json.ts";
import { kinds } from "../client/built-in-kinds.ts";
import type { Client } from "../client/client.ts";
import { keyOf, keyText, type ObjectReader, type Stored } from "../client/informer.ts";
import { SharedInformers } from "../client/shared-informers.ts";
import type { Service } from "../kinds/core/service/schema.ts";
import type { EndpointSlice } from "../kinds/discovery/endpoint-slice-schema.ts";
import { type OwnNode, readNode, UNKNOWN_NODE } from "./rules/own-node.ts";
import type { EndpointsCause } from "./service-proxy.ts";

interface ServiceListener {
  /** A Service, by "namespace/name". */
  serviceChanged(service: string): void;
  /** Slices of a Service; by what, where that is known. */
  endpointsChanged(service: string, cause: EndpointsCause | undefined): void;
  nodeChanged(node: OwnNode): void;
  /** Where cluster IPs come from. */
  serviceCidrsChanged(cidrs: readonly string[]): void;
}

interface WatchedServices {
  readonly informers: SharedInformers;
  /** Everything that traffic depends on; a server need not let the proxy see the networks of cluster IPs. */
  whenSynced(): Promise<void>;
  readonly services: ObjectReader<Service>;
  slicesOf(service: string): readonly Stored<EndpointSlice>[];
}

const SERVICE_INDEX = "service";

/** Nothing is asked for before `informers.start()`. */
export function watchServices(
  client: Client,
  { nodeName, onError }: { readonly nodeName: string; readonly onError: (error: unknown) => void },
  listener: ServiceListener,
): WatchedServices {
  const { names } = client;
  const informers = new SharedInformers(client, { onError });
  // Services of another proxy are not ours, and headless ones have no address.
  const labelSelector = `!${names.serviceProxyNameLabel},!${names.headlessServiceLabel}`;
  const services = informers.of(kinds.core.v1.services, { labelSelector, transform: withoutManagers });
  services.addHandlers({
    added: (service) => listener.serviceChanged(keyText(keyOf(service))),
    updated: (service) => listener.serviceChanged(keyText(keyOf(service))),
    deleted: (service) => listener.serviceChanged(keyText(keyOf(service))),
  });

  const slices = informers.of(kinds.discovery.v1.endpointSlices, {
    labelSelector,
    transform: withoutManagers,
    indexes: { [SERVICE_INDEX]: (slice) => serviceOf(slice) },
  });
  const tell = (slice: Stored<EndpointSlice>, ms?: number) => {
    const cause = ms === undefined ? undefined : ({ family: slice.addressType === "IPv6" ? 6 : 4, ms } as const);
    for (const service of serviceOf(slice)) listener.endpointsChanged(service, cause);
  };
  slices.addHandlers({
    // What was there before the proxy was not caused now.
    added: (slice) => tell(slice, slices.synced ? causeOf(slice) : undefined),
    updated(slice, old) {
      if (serviceOf(old)[0] !== serviceOf(slice)[0]) tell(old);
      else if (isSame(slice, old)) return;
      const cause = causeOf(slice);
      tell(slice, cause === causeOf(old) ? undefined : cause);
    },
    deleted: (slice) => tell(slice),
  });

  let node = UNKNOWN_NODE;
  const setNode = (next: OwnNode) => {
    if (equalJson(node, next)) return;
    node = next;
    listener.nodeChanged(next);
  };
  informers.of(kinds.core.v1.nodes, { fieldSelector: `metadata.name=${nodeName}` }).addHandlers({
    added: (found) => setNode(readNode(found, names)),
    updated: (found) => setNode(readNode(found, names)),
    // What was known of it stays: traffic goes on until somebody says otherwise.
    deleted: () => setNode({ ...node, isEligible: false }),
  });

  const ranges = informers.of(kinds.networking.v1.serviceCIDRs);
  const tellRanges = () => {
    if (!ranges.synced) return;
    const cidrs = [...ranges.cache.values()].flatMap(({ spec }) => spec?.cidrs ?? []);
    listener.serviceCidrsChanged([...new Set(cidrs)].sort());
  };
  ranges.addHandlers({ added: tellRanges, updated: tellRanges, deleted: tellRanges });

  return {
    informers,
    async whenSynced() {
      // One that stops before it has seen everything is of no interest any more.
      void ranges.whenSynced().then(tellRanges, () => undefined);
      await informers.whenSynced(({ resource }) => resource !== ranges.type.resource);
    },
    services: services.cache,
    slicesOf: (service) => slices.cache.byIndex(SERVICE_INDEX, service),
  };

  function causeOf({ metadata: { annotations = {} } }: Stored<EndpointSlice>): number | undefined {
    const name = names.endpointsTriggerTimeAnnotation;
    const ms = Object.hasOwn(annotations, name) ? Date.parse(annotations[name]!) : Number.NaN;
    return Number.isNaN(ms) ? undefined : ms;
  }

  function serviceOf({ metadata }: Stored<EndpointSlice>): readonly string[] {
    const { labels = {}, namespace = "" } = metadata;
    const label = names.serviceNameLabel;
    return Object.hasOwn(labels, label) ? [`${namespace}/${labels[label]}`] : [];
  }
}

/** Whether nothing has changed that traffic depends on. */
function isSame(slice: EndpointSlice, old: EndpointSlice): boolean {
  return equalJson(slice.endpoints, old.endpoints) && equalJson(slice.ports, old.ports);
}

function withoutManagers<T extends { metadata: object }>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata as { managedFields?: unknown };
  return { ...object, metadata };
}
