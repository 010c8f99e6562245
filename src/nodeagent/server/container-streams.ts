// /exec, /attach and /portForward: the runtime serves these streams itself; the agent asks where, and joins the caller's
// connection to it. /run: a command's output as one answer.

import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ReceivedRequest, Response } from "../../http/message.ts";
import { type Far, NoUpgrade, tunnel } from "../../http/tunnel.ts";
import { offeredProtocols } from "../../http/websocket.ts";
import { type Names, RUNTIME_PROTOCOLS } from "../../meta/names.ts";
import type { PodRunner } from "../context.ts";
import type { CriClient } from "../cri/cri-client.ts";
import { RefusedRequest, textAnswer } from "./answers.ts";
import type { Endpoint, PathParts } from "./routes.ts";
import { translateStreams, type WantedStreams } from "./translate-streams.ts";

interface StreamOptions {
  readonly cri: CriClient;
  readonly runner: Pick<PodRunner, "findContainer" | "findSandbox">;
  readonly names: Pick<Names, "channelProtocol" | "oldChannelProtocol">;
  /** A stream on which nothing has moved for so long is ended; 0 is never. */
  readonly idleMs: number;
}

export function execEndpoint(options: StreamOptions): Endpoint {
  const { cri, runner } = options;
  return async (request, parts) => {
    const containerId = containerOf(runner, parts);
    const cmd = request.query.getAll("command");
    if (cmd.length === 0) throw new RefusedRequest(400, "you must specify at least one command for the container");
    const streams = streamsOf(request.query);
    const ask = async () => (await cri.exec({ containerId, cmd, ...streams })).url;
    return await joinContainer(request, { ask, streams }, options);
  };
}

export function attachEndpoint(options: StreamOptions): Endpoint {
  const { cri, runner } = options;
  return async (request, parts) => {
    const containerId = containerOf(runner, parts);
    const streams = streamsOf(request.query);
    const ask = async () => (await cri.attach({ containerId, ...streams })).url;
    return await joinContainer(request, { ask, streams }, options);
  };
}

export function portForwardEndpoint(options: StreamOptions): Endpoint {
  const { cri, runner } = options;
  return async (request, { namespace = "", pod = "" }) => {
    const podSandboxId = runner.findSandbox(namespace, pod);
    if (podSandboxId === undefined) throw new RefusedRequest(404, `pod ${JSON.stringify(pod)} is not running`);
    const port = request.query
      .getAll("port")
      .flatMap((text) => text.split(","))
      .map(portNumber);
    const { url } = await cri.portForward({ podSandboxId, port });
    return await join(request, url, options);
  };
}

export function runEndpoint({ cri, runner }: StreamOptions): Endpoint {
  return async ({ query, signal }, parts) => {
    const containerId = containerOf(runner, parts);
    const cmd = (query.get("cmd") ?? "").split(" ").filter((word) => word !== "");
    if (cmd.length === 0) throw new RefusedRequest(400, "cmd is missing");
    const { stdout, stderr, exitCode } = await cri.execSync({ containerId, cmd }, { signal });
    const output = Buffer.concat([stdout, stderr]).toString("utf8");
    return textAnswer(exitCode === 0 ? 200 : 500, exitCode === 0 ? output : `exit code ${exitCode}: ${output}`);
  };
}

function containerOf(
  runner: Pick<PodRunner, "findContainer">,
  { namespace = "", pod = "", container = "" }: PathParts,
): string {
  const found = runner.findContainer({ namespace, pod, container });
  if (found.found === "nothing") throw new RefusedRequest(404, `pod ${JSON.stringify(pod)} does not exist`);
  if (found.found === "pod") throw new RefusedRequest(404, `container not found (${JSON.stringify(container)})`);
  return found.containerId;
}

function streamsOf(query: URLSearchParams): WantedStreams {
  const streams = {
    stdin: asks(query, "input"),
    stdout: asks(query, "output"),
    stderr: asks(query, "error"),
    tty: asks(query, "tty"),
  };
  if (!streams.stdin && !streams.stdout && !streams.stderr)
    throw new RefusedRequest(400, "you must specify at least 1 of stdin, stdout, stderr");
  // A terminal has one way out.
  return streams.tty ? { ...streams, stderr: false } : streams;
}

const asks = (query: URLSearchParams, name: string): boolean => ["1", "true"].includes(query.get(name) ?? "");

function portNumber(text: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new RefusedRequest(400, `${JSON.stringify(text)} is not a port`);
  return port;
}

interface ContainerStreams {
  /** Where the runtime serves them, once. */
  readonly ask: () => Promise<string>;
  readonly streams: WantedStreams;
}

/** A runtime that cannot tell over WebSockets that input has ended is spoken to in another way. */
async function joinContainer(
  request: ReceivedRequest,
  { ask, streams }: ContainerStreams,
  options: StreamOptions,
): Promise<Response> {
  const protocol = endingInput(request, options.names);
  const answer = await join(request, await ask(), options);
  if (answer.status < 400 || protocol === undefined) return answer;
  return await reach(await ask(), (far) => translateStreams(request, { far, streams, protocol }));
}

async function join(request: ReceivedRequest, url: string, { idleMs, names }: StreamOptions): Promise<Response> {
  if (request.upgrade === undefined)
    throw new RefusedRequest(400, "unable to upgrade: missing upgrade headers in request");
  endWhenIdle(request.upgrade.socket, idleMs);
  const protocols = runtimeProtocols(request, names);
  return await reach(url, (far) => tunnel(request, { ...far, ...(protocols.size === 0 ? {} : { protocols }) }));
}

async function reach(url: string, connect: (far: Far) => Promise<Response>): Promise<Response> {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (target === undefined || target.protocol !== "http:")
    throw new RefusedRequest(500, "the container runtime serves the stream at an address that cannot be used");
  try {
    return await connect({
      host: target.hostname.replace(/^\[|\]$/g, ""),
      port: Number(target.port || 80),
      path: `${target.pathname}${target.search}`,
      headers: { host: target.host },
      via: { scheme: "http" },
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new RefusedRequest(error instanceof NoUpgrade ? 502 : 500, `the stream of the container runtime: ${why}`);
  }
}

/**
 * What the runtime calls the protocols that the caller offers. Without input the two say the same, since the newer one adds
 * how input ends: runtimes that only know the older one serve callers that only offer the newer one, as kubectl does. With
 * input, whoever offers the newer one wants it to end.
 */
function runtimeProtocols(request: ReceivedRequest, names: StreamOptions["names"]): Map<string, string> {
  const { channel, oldChannel } = RUNTIME_PROTOCOLS;
  const ending = endingInput(request, names);
  if (ending !== undefined) return new Map([[channel, ending]]);
  const runtimeName = new Map([
    [names.channelProtocol, channel],
    [names.oldChannelProtocol, oldChannel],
  ]);
  const protocols = new Map(offeredProtocols(request).map((word) => [runtimeName.get(word) ?? word, word]));
  const newer = protocols.get(channel);
  if (newer !== undefined && !protocols.has(oldChannel)) protocols.set(oldChannel, newer);
  return protocols;
}

/** What a caller that will say when its input has ended calls the protocol for it. */
function endingInput(request: ReceivedRequest, names: StreamOptions["names"]): string | undefined {
  if (!asks(request.query, "input")) return undefined;
  return offeredProtocols(request).find((word) => [names.channelProtocol, RUNTIME_PROTOCOLS.channel].includes(word));
}

/** Bytes of both directions pass the caller's connection. */
function endWhenIdle(socket: Duplex, idleMs: number): void {
  if (idleMs > 0 && socket instanceof Socket) socket.setTimeout(idleMs, () => socket.destroy());
}
