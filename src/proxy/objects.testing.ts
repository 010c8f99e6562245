// Services and slices for tests, as short as can be.

import type { Service, ServiceSpec } from "../kinds/core/service/schema.ts";
import type { Endpoint, EndpointSlice } from "../kinds/discovery/endpoint-slice-schema.ts";
import { tableSettings } from "./nft/table-settings.ts";
import type { TableSettings } from "./nft/table-text.ts";
import { DEFAULT_CONFIGURATION, type ProxyConfiguration } from "./proxy-configuration.ts";
import type { NodeFacts } from "./rules/backends.ts";

export const CLUSTER_IP = "10.96.0.10";
export const CLUSTER_IP6 = "fd00:96::10";

/** The node whose traffic is looked at. */
export const HERE: NodeFacts = { name: "here", zone: "z1", ips: ["192.168.7.1", "fd00:7::1"], followsNodeHints: true };

/** A Service "default/web" with port 80, with this in its spec. */
export function service(spec: Partial<ServiceSpec> = {}, more: Partial<Service> = {}): Service {
  return {
    metadata: { namespace: "default", name: "web", creationTimestamp: "2030-01-01T00:00:00Z" },
    spec: {
      type: "ClusterIP",
      clusterIP: CLUSTER_IP,
      clusterIPs: [CLUSTER_IP],
      ports: [{ protocol: "TCP", port: 80, targetPort: 8080 }],
      ...spec,
    },
    ...more,
  } as Service;
}

export interface EndpointDraft extends Partial<Omit<Endpoint, "addresses">> {
  readonly ip: string;
}

/** A slice of "default/web", port 8080, of the family of its first address. */
export function slice(endpoints: readonly EndpointDraft[], more: Partial<EndpointSlice> = {}): EndpointSlice {
  return {
    metadata: { namespace: "default", name: "web-1" },
    addressType: endpoints[0]?.ip.includes(":") ? "IPv6" : "IPv4",
    endpoints: endpoints.map(({ ip, ...rest }) => ({ addresses: [ip], ...rest })),
    ports: [{ name: "", protocol: "TCP", port: 8080 }],
    ...more,
  } as EndpointSlice;
}

/** The tables of both families of a node with these addresses. */
export function settings(
  changes: Partial<ProxyConfiguration> = {},
  nodeIps: readonly string[] = HERE.ips,
  serviceCidrs: readonly string[] = [],
): TableSettings[] {
  const configuration = { ...DEFAULT_CONFIGURATION, ...changes };
  return ([4, 6] as const).map((family) =>
    tableSettings(family, configuration, { nodeIps, podCidrs: [], machineIps: nodeIps, serviceCidrs }),
  );
}
