// Requests to what runs in a pod: its log, a command in it, its ports. What stands on a node is reached through the agent
// of that node; HTTP to a pod goes straight to its address.

import { lookup } from "node:dns/promises";
import type { BodyWriter, ReceivedRequest, Response, StreamBody } from "../../../http/message.ts";
import { offeredProtocols, streamToWebSocket, wantsWebSocket } from "../../../http/websocket.ts";
import type { IpAddress } from "../../../meta/ip.ts";
import { embeddedIpv4, isGlobalUnicast, parseIp } from "../../../meta/ip.ts";
import type { Names } from "../../../meta/names.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { cutText } from "../../../meta/quoted.ts";
import { badRequest } from "../../../meta/status-error.ts";
import type { Catalog } from "../../../registry/catalog.ts";
import { decodeStored } from "../../../registry/object-bytes.ts";
import { readBody } from "../../../registry/read-body.ts";
import { readObject } from "../../../registry/read-object.ts";
import type { ResourceRequest } from "../../../registry/resource-request.ts";
import type { ServedResource } from "../../../registry/served-resource.ts";
import type { SpecialHandler } from "../subresource.ts";
import { admitConnect } from "./admit-connect.ts";
import { forwardHttp } from "./forward-http.ts";
import { isSet, readLogOptions } from "./log-options.ts";
import type { NodeAgents } from "./node-agents.ts";
import { admittedMount, redirectToFolder, splitName } from "./proxy-path.ts";

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
export function podLog(catalog: Catalog, agents: NodeAgents): SpecialHandler {
  return async (context, resourceRequest) => {
    const { request, target, resource } = resourceRequest;
    const options = readLogOptions(request.query, target.name, context.gateEnabled("PodLogsQuerySplitStreams"));
    const spec = specOf(await read(resource, resourceRequest, target.name));
    const container = containerOf(target.name, spec, request.query.get("container") ?? "");
    if ((spec.nodeName ?? "") === "") return { status: 204, headers: {} };
    const body = await agents.read(request, {
      node: await nodeOf(catalog, resourceRequest, spec.nodeName!),
      path: agentPath(["containerLogs", target.namespace, target.name, container], options.params),
      insecure: options.insecure,
    });
    return logAnswer(request, context.names, body);
  };
}

/** Text; or messages of a WebSocket, the first of them empty, which tells the client that the stream stands. */
function logAnswer(request: ReceivedRequest, names: Names, body: StreamBody): Response {
  if (!wantsWebSocket(request)) return { status: 200, headers: { "content-type": "text/plain" }, body };
  const known = [names.binaryProtocol, names.base64Protocol];
  const offered = offeredProtocols(request);
  const protocol = offered.find((each) => known.includes(each));
  if (protocol === undefined && offered.length > 0)
    throw badRequest(`none of the sub-protocols is known, there are ${known.join(" and ")}`);
  const base64 = protocol === names.base64Protocol;
  const stream = (writer: BodyWriter) => {
    writer.write(new Uint8Array());
    return body.stream(writer);
  };
  return streamToWebSocket(request, { stream }, { binary: !base64, skippedBytes: 0, base64 }, protocol);
}

/** What the agent of a node is asked for, for an operation on a pod. */
interface StreamKind {
  /** The first part of the agent's path. */
  readonly path: "exec" | "attach" | "portForward";
  /** The kind of its options. */
  readonly kind: "PodExecOptions" | "PodAttachOptions" | "PodPortForwardOptions";
  /** The operation concerns one container of the pod. */
  readonly inContainer: boolean;
}

export const EXEC: StreamKind = { path: "exec", kind: "PodExecOptions", inContainer: true };
export const ATTACH: StreamKind = { path: "attach", kind: "PodAttachOptions", inContainer: true };
export const PORT_FORWARD: StreamKind = { path: "portForward", kind: "PodPortForwardOptions", inContainer: false };

/** `exec`, `attach` and `portforward`: an upgraded connection to the agent. */
export function podStream(catalog: Catalog, agents: NodeAgents, kind: StreamKind): SpecialHandler {
  return async (context, resourceRequest) => {
    const { request, target, resource } = resourceRequest;
    const asked = streamOptions(kind, request.query);
    const options = await admitConnect(context, resourceRequest, kind.kind, asked);
    const spec = specOf(await read(resource, resourceRequest, target.name));
    const container = kind.inContainer ? [containerOf(target.name, spec, options.container ?? "")] : [];
    if ((spec.nodeName ?? "") === "") throw badRequest(`pod ${target.name} does not have a host assigned`);
    const node = await nodeOf(catalog, resourceRequest, spec.nodeName!);
    if (request.upgrade === undefined) throw badRequest("Upgrade request required");
    return agents.upgrade(request, {
      node,
      path: agentPath([kind.path, target.namespace, target.name, ...container], streamParams(options)),
    });
  };
}

/** As they are declared, without what is not set. */
interface StreamOptions {
  readonly stdin?: true;
  readonly stdout?: true;
  readonly stderr?: true;
  readonly tty?: true;
  readonly container?: string;
  readonly command?: readonly string[];
  readonly ports?: readonly number[];
}

function streamOptions({ path, inContainer }: StreamKind, query: URLSearchParams): StreamOptions {
  if (!inContainer) {
    const ports = query.getAll("ports").flatMap((list) => list.split(","));
    return ports.length === 0 ? {} : { ports: ports.map(portNumber) };
  }
  const container = query.get("container") ?? "";
  const command = query.getAll("command");
  return {
    ...Object.fromEntries(Object.keys(STREAMS).flatMap((name) => (isSet(query, name) ? [[name, true]] : []))),
    ...(container === "" ? {} : { container }),
    ...(path === "exec" && command.length > 0 ? { command } : {}),
  };
}

function agentPath(parts: readonly string[], params: URLSearchParams): string {
  const query = params.toString();
  return `/${parts.map(encodeURIComponent).join("/")}${query === "" ? "" : `?${query}`}`;
}

/** The agent's names for the streams of a command. */
const STREAMS = { stdin: "input", stdout: "output", stderr: "error", tty: "tty" } as const;

function streamParams(options: StreamOptions): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, word] of Object.entries(STREAMS))
    if (options[name as keyof typeof STREAMS] === true) params.set(word, "1");
  for (const word of options.command ?? []) params.append("command", word);
  if (options.ports !== undefined) params.set("port", options.ports.join(","));
  return params;
}

/** `proxy`: the name may say scheme and port, as in `https:web:8443`. */
export const podProxy: SpecialHandler = async (context, resourceRequest) => {
  const { target, request } = resourceRequest;
  const wanted = splitName(target.name);
  if (wanted === undefined) throw badRequest(`invalid pod request ${JSON.stringify(target.name)}`);
  const where = await admittedMount(context, resourceRequest, "PodProxyOptions");
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
      ...where,
      egress: context.clusterEgress,
    },
    context.maxBodyBytes,
  );
};

/** `nodes/proxy`: the agent of a node answers, or whoever listens on the port that the name says. */
export function nodeProxy(catalog: Catalog, agents: NodeAgents): SpecialHandler {
  return async (context, resourceRequest) => {
    const { request, target } = resourceRequest;
    const wanted = splitName(target.name);
    if (wanted === undefined) throw badRequest(`invalid node request ${JSON.stringify(target.name)}`);
    const { path, mount } = await admittedMount(context, resourceRequest, "NodeProxyOptions");
    const node = await nodeOf(catalog, resourceRequest, wanted.name);
    const redirect = redirectToFolder(request, target);
    if (redirect !== undefined) return redirect;
    const place = agents.placeOf(node);
    const port = wanted.port === "" ? place.port : portNumber(wanted.port);
    if (port !== place.port) {
      const host = await proxyableAddress(place.host);
      return forwardHttp(request, { scheme: wanted.scheme, host, port, path, mount }, context.maxBodyBytes);
    }
    if (request.upgrade !== undefined) return agents.upgrade(request, { node, path });
    const body = await readBody(request, context.maxBodyBytes);
    return agents.carry(request, { node, path, ...(body.length === 0 ? {} : { body }) }, mount);
  };
}

/** An address that a name stands for, when none of them is one of this machine's own. Fails with 400. */
async function proxyableAddress(host: string): Promise<string> {
  const found = parseIp(host) === undefined ? await lookup(host, { all: true }).catch(() => []) : [{ address: host }];
  const [first] = found;
  if (first === undefined || !found.every(({ address }) => isProxyable(parseIp(address))))
    throw badRequest("address not allowed");
  return first.address;
}

/**
 * Loopback and link-local addresses are those of this machine, never a pod's; nor are those that a translator on the way makes
 * them of. With a zone, it is a link of this machine, whatever the address says.
 */
export function isProxyable(ip: IpAddress | undefined): boolean {
  if (ip === undefined || ip.zone !== "" || !isGlobalUnicast(ip)) return false;
  const embedded = embeddedIpv4(ip);
  return embedded === undefined || isGlobalUnicast(embedded);
}

function portNumber(text: string): number {
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

const nodeOf = (catalog: Catalog, resourceRequest: ResourceRequest, name: string): Promise<ApiObject> =>
  read(catalog.own("", "v1", "nodes")!, resourceRequest, name);

const specOf = (pod: ApiObject): PodSpec => pod["spec"] as PodSpec;

/** The container that is meant. Fails with 400 when that is not clear. */
function containerOf(pod: string, spec: PodSpec, wanted: string): string {
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  const names = [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name);
  if (wanted !== "") {
    if (!names.includes(wanted)) throw badRequest(`container ${cutText(wanted)} is not valid for pod ${pod}`);
    return wanted;
  }
  if (containers.length === 1) return containers[0]!.name;
  throw badRequest(`a container name must be specified for pod ${pod}, choose one of: [${names.join(" ")}]`);
}

function firstPort({ containers }: PodSpec): number | undefined {
  return containers.find(({ ports = [] }) => ports.length > 0)?.ports?.[0]?.containerPort;
}
