// `services/proxy`: HTTP to one of the endpoints of a service.

import { parseIp } from "../../../meta/ip.ts";
import { badRequest, StatusError } from "../../../meta/status-error.ts";
import type { Catalog } from "../../../registry/catalog.ts";
import type { SpecialHandler } from "../subresource.ts";
import { forwardHttp } from "./forward-http.ts";
import { isProxyable, read } from "./pod-connect.ts";
import { admittedMount, redirectToFolder, splitName } from "./proxy-path.ts";

interface Subset {
  readonly addresses?: readonly { readonly ip: string }[];
  readonly ports?: readonly { readonly name?: string; readonly port: number }[];
}

export function serviceProxy(catalog: Catalog): SpecialHandler {
  return async (context, resourceRequest) => {
    const { request, target } = resourceRequest;
    const wanted = splitName(target.name);
    if (wanted === undefined) throw badRequest(`invalid service request ${JSON.stringify(target.name)}`);
    const mount = await admittedMount(context, resourceRequest, "ServiceProxyOptions");
    const service = await read(resourceRequest.resource, resourceRequest, wanted.name);
    const portName = portNameOf(service["spec"] as ServiceSpec, wanted.name, wanted.port);
    const endpoints = await read(catalog.own("", "v1", "endpoints")!, resourceRequest, wanted.name);
    const place = pick((endpoints["subsets"] ?? []) as Subset[], portName);
    if (place === undefined) throw unavailable(`no endpoints available for service ${JSON.stringify(target.name)}`);
    if (!isProxyable(parseIp(place.host))) throw badRequest("address not allowed");
    const redirect = redirectToFolder(request, target);
    if (redirect !== undefined) return redirect;
    const where = { scheme: wanted.scheme, ...place, ...mount, egress: context.clusterEgress };
    return forwardHttp(request, where, context.maxBodyBytes);
  };
}

interface ServiceSpec {
  readonly ports?: readonly { readonly name?: string; readonly port: number }[];
}

/** Endpoints know their ports by name: a number is looked up in the service. */
function portNameOf({ ports = [] }: ServiceSpec, service: string, wanted: string): string {
  if (!/^\d+$/.test(wanted)) return wanted;
  const found = ports.find(({ port }) => String(port) === wanted);
  if (found === undefined) throw unavailable(`no service port ${wanted} found for service ${JSON.stringify(service)}`);
  return found.name ?? "";
}

/** Any address of any subset that has the port. */
function pick(subsets: readonly Subset[], portName: string): { host: string; port: number } | undefined {
  const places = subsets.flatMap(({ addresses = [], ports = [] }) => {
    const port = ports.find(({ name = "" }) => name === portName)?.port;
    return port === undefined ? [] : addresses.map(({ ip }) => ({ host: ip, port }));
  });
  return places[Math.floor(Math.random() * places.length)];
}

const unavailable = (message: string): StatusError => new StatusError(503, "ServiceUnavailable", message);
