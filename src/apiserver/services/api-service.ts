// The Service under which pods reach the API, and its endpoints: the addresses of all servers that are alive.

import { networkInterfaces } from "node:os";
import { equalJson, type JsonObject } from "../../base/json.ts";
import type { Endpoints } from "../../kinds/core/endpoints.ts";
import type { Service } from "../../kinds/core/service/schema.ts";
import type { EndpointSlice } from "../../kinds/discovery/endpoint-slice-schema.ts";
import { isLoopback, isUnspecified, parseIp } from "../../meta/ip.ts";
import type { Catalog } from "../../registry/catalog.ts";
import { ensureAsServer } from "../../registry/server-writes.ts";
import type { WriteDeps } from "../../registry/write.ts";

const NAMESPACE = "default";
const PORT_NAME = "https";
const SERVICE_PORT = 443;

export interface ApiServiceParts {
  readonly deps: WriteDeps;
  readonly catalog: Catalog;
  /** The first usable address of the default range. */
  readonly clusterIP: string;
  /** Where servers listen. */
  readonly port: number;
}

/** The service itself. */
export async function ensureApiService({ deps, catalog, clusterIP, port }: ApiServiceParts): Promise<void> {
  const { apiService: name } = deps.names;
  const ports = [{ name: PORT_NAME, protocol: "TCP" as const, port: SERVICE_PORT, targetPort: port }];
  await ensureAsServer(
    deps,
    { resource: catalog.own("", "v1", "services")!, namespace: NAMESPACE, name },
    {
      metadata: { labels: { component: "apiserver", provider: name } },
      spec: { ports, clusterIP, ipFamilyPolicy: "SingleStack", sessionAffinity: "None", type: "ClusterIP" },
    },
    (object) => {
      const { spec } = object as unknown as Service;
      if (spec.type === "ClusterIP" && equalJson(spec.ports, ports)) return false;
      spec.type = "ClusterIP";
      spec.ports = ports;
      return true;
    },
  );
}

/** Endpoints and slice of the service, for these addresses. */
export async function ensureApiEndpoints(parts: ApiServiceParts, addresses: readonly string[]): Promise<void> {
  const { deps, catalog, port } = parts;
  const { names } = deps;
  const sorted = [...addresses].sort();
  const address = sorted[0] === undefined ? undefined : parseIp(sorted[0]);
  if (address === undefined || port === 0) return;
  const endpoints = catalog.own("", "v1", "endpoints");
  if (endpoints !== undefined) {
    const subsets = [
      { addresses: sorted.map((ip) => ({ ip })), ports: [{ name: PORT_NAME, port, protocol: "TCP" as const }] },
    ];
    await ensureAsServer(
      deps,
      { resource: endpoints, namespace: NAMESPACE, name: names.apiService },
      { metadata: { labels: { [names.skipMirrorLabel]: "true" } }, subsets: subsets as unknown as JsonObject[] },
      (object) => {
        const stored = object as unknown as Endpoints;
        if (equalJson(stored.subsets, subsets)) return false;
        stored.subsets = subsets;
        return true;
      },
    );
  }
  const slices = catalog.own(names.group("discovery"), "v1", "endpointslices");
  if (slices === undefined) return;
  const list = sorted.map((ip) => ({ addresses: [ip], conditions: { ready: true } }));
  const ports = [{ name: PORT_NAME, port, protocol: "TCP" as const }];
  await ensureAsServer(
    deps,
    { resource: slices, namespace: NAMESPACE, name: names.apiService },
    {
      metadata: { labels: { [names.serviceNameLabel]: names.apiService } },
      addressType: address.family === 4 ? "IPv4" : "IPv6",
      endpoints: list,
      ports,
    },
    (object) => {
      const stored = object as unknown as EndpointSlice;
      if (equalJson(stored.endpoints, list) && equalJson(stored.ports, ports)) return false;
      stored.endpoints = list;
      stored.ports = ports;
      return true;
    },
  );
}

/** The address that others can reach: as told, or that of an interface when only this machine would understand it. */
export function advertisedAddress(advertise: string | undefined, bind: string): string | undefined {
  for (const text of [advertise, bind]) {
    const ip = text === undefined ? undefined : parseIp(text);
    if (ip !== undefined && !isLoopback(ip) && !isUnspecified(ip)) return text;
  }
  const wanted = parseIp(bind)?.family === 6 ? "IPv6" : "IPv4";
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return all.find(({ internal, family, address }) => !internal && family === wanted && !address.startsWith("fe80"))
    ?.address;
}
