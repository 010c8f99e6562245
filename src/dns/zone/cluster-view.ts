// What the zone of a cluster is made of, by the names and addresses that are asked for.

import type { ObjectReader } from "../../client/informer.ts";
import type { Namespace } from "../../kinds/core/namespace.ts";
import type { Service } from "../../kinds/core/service.ts";
import type { EndpointSlice } from "../../kinds/discovery/endpoint-slice.ts";
import { formatIp, parseIp } from "../../meta/ip.ts";
import type { Names } from "../../meta/names.ts";

export interface ClusterView {
  hasNamespace(name: string): boolean;
  service(namespace: string, name: string): Service | undefined;
  /** Those that say where the Service is. */
  slicesOf(namespace: string, service: string): readonly EndpointSlice[];
  /** `ip` in its canonical form, as `canonicalIp` makes it. */
  servicesAt(ip: string): readonly Service[];
  slicesAt(ip: string): readonly EndpointSlice[];
  /** Whose slice it is. */
  serviceOf(slice: EndpointSlice): Service | undefined;
}

interface CachedKinds {
  readonly namespaces: ObjectReader<Namespace>;
  /** With the indexes of `serviceIndexes`. */
  readonly services: ObjectReader<Service>;
  /** With the indexes of `sliceIndexes`. */
  readonly slices: ObjectReader<EndpointSlice>;
}

export function viewOf({ namespaces, services, slices }: CachedKinds, names: Names): ClusterView {
  return {
    hasNamespace: (name) => namespaces.get(name) !== undefined,
    service: (namespace, name) => services.get({ namespace, name }),
    slicesOf: (namespace, service) => slices.byIndex(BY_SERVICE, `${namespace}/${service}`),
    servicesAt: (ip) => services.byIndex(BY_ADDRESS, ip),
    slicesAt: (ip) => slices.byIndex(BY_ADDRESS, ip),
    serviceOf({ metadata: { namespace = "", labels } }) {
      const name = labels?.[names.serviceNameLabel];
      return name === undefined ? undefined : services.get({ namespace, name });
    },
  };
}

const BY_SERVICE = "dns-service";
const BY_ADDRESS = "dns-address";

export const serviceIndexes = {
  [BY_ADDRESS]: (service: Service): string[] => canonicalIps(service.spec.clusterIPs ?? []),
};

export function sliceIndexes(names: Names) {
  return {
    [BY_SERVICE]: ({ metadata }: EndpointSlice): string[] => {
      const service = metadata.labels?.[names.serviceNameLabel];
      return service === undefined ? [] : [`${metadata.namespace}/${service}`];
    },
    [BY_ADDRESS]: (slice: EndpointSlice): string[] =>
      canonicalIps((slice.endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
  };
}

/** Undefined for what is no address. */
export function canonicalIp(text: string): string | undefined {
  const ip = parseIp(text);
  return ip === undefined ? undefined : formatIp(ip);
}

function canonicalIps(texts: readonly string[]): string[] {
  return [...new Set(texts.map(canonicalIp).filter((ip) => ip !== undefined))];
}
