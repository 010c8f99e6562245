// Where a Service is reached from here, for webhooks and API servers that are named by one: at its cluster address, or at one
// of the endpoints that are ready.

import { goQuote } from "../../base/go-quote.ts";
import type { Service } from "../../kinds/core/service.ts";
import type { EndpointSlice } from "../../kinds/discovery/endpoint-slice.ts";

/** As much of a Service as it takes to reach it. */
export interface ServiceView {
  readonly namespace: string;
  readonly name: string;
  readonly type: string;
  readonly clusterIP: string;
  readonly externalName: string;
  readonly ports: readonly { readonly name: string; readonly port: number }[];
  readonly firstFamily: string | undefined;
}

/** As much of an EndpointSlice. */
export interface SliceView {
  readonly namespace: string;
  readonly service: string;
  readonly addressType: string;
  /** With the ports of the endpoints themselves. */
  readonly ports: readonly { readonly name: string; readonly port: number }[];
  /** Addresses of the endpoints that are ready. */
  readonly ready: readonly string[];
}

export interface Reached {
  readonly host: string;
  readonly port: number;
}

/** Fails with a sentence. */
export function resolveCluster(service: ServiceView, port: number): Reached {
  if (service.type === "ExternalName") return { host: service.externalName, port };
  if (service.type === "ClusterIP" && service.clusterIP === "None")
    throw new Error('cannot route to service with ClusterIP "None"');
  if (!BEHIND_ADDRESS.has(service.type)) throw new Error(`unsupported service type ${goQuote(service.type)}`);
  servicePort(service, port);
  return { host: service.clusterIP, port };
}

/** One of the endpoints that are ready, those of the Service's first family before others. `pick(n)`: a number below n. */
export function resolveEndpoint(
  service: ServiceView,
  slices: readonly SliceView[],
  port: number,
  pick: (count: number) => number,
): Reached {
  if (!BEHIND_ADDRESS.has(service.type)) throw new Error(`unsupported service type ${goQuote(service.type)}`);
  const { name: portName } = servicePort(service, port);
  const offers = slices.flatMap(({ addressType, ports, ready }) => {
    const target = ports.find(({ name }) => name === portName);
    return target === undefined ? [] : ready.map((host) => ({ host, port: target.port, addressType }));
  });
  const preferred = offers.filter(({ addressType }) => addressType === service.firstFamily);
  const eligible = preferred.length > 0 ? preferred : offers;
  if (eligible.length === 0) throw new Error(`no endpoints available for service ${goQuote(service.name)}`);
  const { host, port: targetPort } = eligible[pick(eligible.length)]!;
  return { host, port: targetPort };
}

const BEHIND_ADDRESS: ReadonlySet<string> = new Set(["ClusterIP", "NodePort", "LoadBalancer"]);

function servicePort({ name, ports }: ServiceView, port: number): { readonly name: string } {
  const found = ports.find((one) => one.port === port);
  if (found === undefined) throw new Error(`no service port ${port} found for service ${goQuote(name)}`);
  return found;
}

export function viewOfService({ metadata, spec }: Service): ServiceView {
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
    type: spec.type ?? "ClusterIP",
    clusterIP: spec.clusterIP ?? "",
    externalName: spec.externalName ?? "",
    ports: (spec.ports ?? []).map(({ name, port }) => ({ name: name ?? "", port })),
    firstFamily: spec.ipFamilies?.[0],
  };
}

/** `service`: what the slice's label says. */
export function viewOfSlice({ metadata, addressType, ports, endpoints }: EndpointSlice, service: string): SliceView {
  return {
    namespace: metadata.namespace ?? "",
    service,
    addressType,
    ports: (ports ?? []).flatMap(({ name, port }) => (name == null || port == null ? [] : [{ name, port }])),
    // As upstream: an endpoint that does not say otherwise is ready, and only its first address counts.
    ready: (endpoints ?? []).flatMap(({ addresses, conditions }) =>
      conditions?.ready === false || addresses?.[0] === undefined ? [] : [addresses[0]],
    ),
  };
}
