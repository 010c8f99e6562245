// Requests to what runs in a pod: its log, a command in it, its ports. What stands on a node is reached through the agent
// of that node; HTTP to a pod goes straight to its address.

import { type FieldError, forbiddenField, invalid } from "../../../meta/field-error.ts";
import type { IpAddress } from "../../../meta/ip.ts";
import { isGlobalUnicast, parseIp } from "../../../meta/ip.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { badRequest, invalidObject, StatusError } from "../../../meta/status-error.ts";
import type { Catalog } from "../../../registry/catalog.ts";
import { readInteger } from "../../../registry/list-query.ts";
import { decodeStored } from "../../../registry/object-bytes.ts";
import { readObject } from "../../../registry/read-object.ts";
import type { ResourceRequest } from "../../../registry/resource-request.ts";
import type { ServedResource } from "../../../registry/served-resource.ts";
import type { SpecialHandler } from "../subresource.ts";
import { forwardHttp } from "./forward-http.ts";
import { mountOf, redirectToFolder, splitName } from "./proxy-path.ts";

interface Container {
  readonly name: string;
  readonly ports?: readonly { readonly containerPort: number }[];
}

interface PodSpec {
  readonly nodeName?: string;
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly ephemeralContainers?: readonly Container[];
}

/** `log`: an unscheduled pod has written nothing. */
export function podLog(catalog: Catalog): SpecialHandler {
  return async (_context, resourceRequest) => {
    const { query } = resourceRequest.request;
    const errors = checkLogOptions(query);
    if (errors.length > 0) throw invalidObject("", "PodLogOptions", resourceRequest.target.name, errors);
    const pod = await read(resourceRequest.resource, resourceRequest, resourceRequest.target.name);
    const spec = specOf(pod);
    containerOf(resourceRequest.target.name, spec, query.get("container") ?? "");
    if ((spec.nodeName ?? "") === "") {
      return { status: 200, headers: { "content-type": "text/plain" }, body: new Uint8Array() };
    }
    return refuseWithoutAgent(catalog, resourceRequest, spec.nodeName!);
  };
}

/** `exec`, `attach` and, without a container, `portforward`. */
export function podStream(catalog: Catalog, inContainer: boolean): SpecialHandler {
  return async (_context, resourceRequest) => {
    const { name } = resourceRequest.target;
    const spec = specOf(await read(resourceRequest.resource, resourceRequest, name));
    if (inContainer) containerOf(name, spec, resourceRequest.request.query.get("container") ?? "");
    if ((spec.nodeName ?? "") === "") throw badRequest(`pod ${name} does not have a host assigned`);
    return refuseWithoutAgent(catalog, resourceRequest, spec.nodeName!);
  };
}

/** `proxy`: the name may say scheme and port, as in `https:web:8443`. */
export const podProxy: SpecialHandler = async (context, resourceRequest) => {
  const { target, request } = resourceRequest;
  const wanted = splitName(target.name);
  if (wanted === undefined) throw badRequest(`invalid pod request ${JSON.stringify(target.name)}`);
  const pod = await read(resourceRequest.resource, resourceRequest, wanted.name);
  const { podIPs, podIP } = (pod["status"] ?? {}) as { podIPs?: { ip: string }[]; podIP?: string };
  const address = podIPs?.[0]?.ip ?? podIP ?? "";
  if (!isProxyable(parseIp(address))) throw badRequest("address not allowed");
  const redirect = redirectToFolder(request, target);
  if (redirect !== undefined) return redirect;
  const port = wanted.port === "" ? firstPort(specOf(pod)) : portNumber(wanted.port);
  return forwardHttp(
    request,
    {
      scheme: wanted.scheme,
      host: address,
      ...(port === undefined ? {} : { port }),
      ...mountOf(request, target),
      egress: context.clusterEgress,
    },
    context.maxBodyBytes,
  );
};

/** `nodes/proxy`: the agent of a node answers, or nobody. */
export function nodeProxy(catalog: Catalog): SpecialHandler {
  return async (_context, resourceRequest) => {
    const wanted = splitName(resourceRequest.target.name);
    if (wanted === undefined) throw badRequest(`invalid node request ${JSON.stringify(resourceRequest.target.name)}`);
    return refuseWithoutAgent(catalog, resourceRequest, wanted.name);
  };
}

/** Loopback and link-local addresses are those of this machine, never a pod's. */
export function isProxyable(ip: IpAddress | undefined): boolean {
  return ip !== undefined && isGlobalUnicast(ip);
}

export function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw badRequest(`invalid port ${JSON.stringify(text)}`);
  return port;
}

/** The newest object of a resource in the request's namespace. */
export async function read(
  resource: ServedResource,
  resourceRequest: ResourceRequest,
  name: string,
): Promise<ApiObject> {
  const namespace = resource.kind.scope === "Namespaced" ? resourceRequest.target.namespace : "";
  const item = await readObject(resource, namespace, name, undefined, resourceRequest.request);
  return decodeStored(item.bytes, item.revision);
}

async function refuseWithoutAgent(catalog: Catalog, resourceRequest: ResourceRequest, node: string): Promise<never> {
  await read(catalog.own("", "v1", "nodes")!, resourceRequest, node);
  throw new StatusError(
    503,
    "ServiceUnavailable",
    `the agent of node ${JSON.stringify(node)} cannot be reached: this server has no connection to it`,
    { name: node, kind: "nodes", retryAfterSeconds: 5 },
  );
}

const specOf = (pod: ApiObject): PodSpec => pod["spec"] as PodSpec;

function containerOf(pod: string, spec: PodSpec, wanted: string): void {
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  if (wanted !== "") {
    const known = [...containers, ...initContainers, ...ephemeralContainers].some(({ name }) => name === wanted);
    if (!known) throw badRequest(`container ${wanted} is not valid for pod ${pod}`);
    return;
  }
  if (containers.length === 1) return;
  const names = (list: readonly Container[]) => `[${list.map(({ name }) => name).join(" ")}]`;
  const others = initContainers.length === 0 ? "" : ` or one of the init containers: ${names(initContainers)}`;
  throw badRequest(`a container name must be specified for pod ${pod}, choose one of: ${names(containers)}${others}`);
}

function firstPort({ containers }: PodSpec): number | undefined {
  return containers.find(({ ports = [] }) => ports.length > 0)?.ports?.[0]?.containerPort;
}

function checkLogOptions(query: URLSearchParams): FieldError[] {
  const errors: FieldError[] = [];
  const atLeast = (field: string, least: number) => {
    const value = readInteger(query, field);
    if (value !== undefined && value < least)
      errors.push(invalid(field, value, `must be greater than ${least === 0 ? "or equal to 0" : "0"}`));
  };
  atLeast("tailLines", 0);
  atLeast("limitBytes", 1);
  if (query.has("sinceSeconds") && query.has("sinceTime"))
    errors.push(forbiddenField("", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  else atLeast("sinceSeconds", 1);
  return errors;
}
