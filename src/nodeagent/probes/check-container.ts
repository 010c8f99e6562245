// One check of a container, by command, HTTP, TCP or gRPC; also how hooks of its life are run.

import { Agent, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import type { Container } from "../../kinds/core/pod/container.ts";
import type { HTTPGetAction, ProbeHandler } from "../../kinds/core/pod/probe.ts";
import { type CriClient, isGrpcError } from "../cri/cri-client.ts";
import { checkGrpcHealth } from "./grpc-health.ts";
import type { CheckOutcome } from "./probe-worker.ts";

export interface CheckTarget {
  readonly cri: Pick<CriClient, "execSync">;
  readonly containerId: string;
  /** The pod's own, for requests that name no host. */
  readonly podIp: string;
  readonly container: Pick<Container, "ports">;
  readonly timeoutMs: number;
  /** What HTTP requests call themselves. */
  readonly userAgent: string;
}

/** What cannot be found out is unknown, and no failure of the container. */
export async function checkContainer(
  handler: ProbeHandler,
  target: CheckTarget,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  try {
    return await check(handler, target, signal);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { result: "unknown", message: isGrpcError(error) ? `rpc error: code = ${error.code} desc = ${text}` : text };
  }
}

async function check(handler: ProbeHandler, target: CheckTarget, signal: AbortSignal): Promise<CheckOutcome> {
  const { exec, httpGet, tcpSocket, grpc } = handler;
  if (exec) return await runCommand(exec.command ?? [], target, signal);
  if (httpGet) return await httpCheck(httpGet, target, signal);
  if (tcpSocket)
    return await connectTcp(tcpSocket.host || target.podIp, portOf(tcpSocket.port, target.container), signal);
  if (grpc) {
    const { podIp: host, userAgent, timeoutMs } = target;
    return await checkGrpcHealth({ host, port: grpc.port, service: grpc.service ?? "", userAgent, timeoutMs }, signal);
  }
  throw new Error("missing probe handler");
}

/** In the container; exit code 0 is success. A time of 0 is no limit. */
export async function runCommand(
  command: readonly string[],
  { cri, containerId, timeoutMs }: Pick<CheckTarget, "cri" | "containerId" | "timeoutMs">,
  signal?: AbortSignal,
): Promise<CheckOutcome> {
  try {
    const timeout = Math.ceil(timeoutMs / 1000);
    // The runtime ends the command; a moment more for it to say so.
    const options = { timeoutMs: timeoutMs === 0 ? 0 : timeoutMs + EXEC_MARGIN_MS, signal };
    const { exitCode, stdout, stderr } = await cri.execSync({ containerId, cmd: [...command], timeout }, options);
    const output = shortened(Buffer.concat([stdout, stderr]));
    return { result: exitCode === 0 ? "success" : "failure", message: output };
  } catch (error) {
    if (isGrpcError(error, "DeadlineExceeded") || hasTimedOut(signal))
      return failure(`command timed out: "${command.join(" ")}" timed out after ${timeoutMs / 1000}s`);
    throw error;
  }
}

interface HttpOutcome extends CheckOutcome {
  /** Nobody gave an answer in HTTP, whatever it would have said. */
  readonly isUnanswered?: boolean;
}

/**
 * Answers from 200 to 399 are success. Certificates are not checked: the pod is asked, not a name. Who is sent to another
 * place of the same host goes there; a place elsewhere is not asked, and the owner of the pod is told so.
 */
export async function httpCheck(
  { scheme = "HTTP", host, port, path = "/", httpHeaders }: HTTPGetAction,
  target: Pick<CheckTarget, "podIp" | "container" | "userAgent">,
  signal: AbortSignal,
): Promise<HttpOutcome> {
  const number = portOf(port, target.container);
  const where = host || target.podIp;
  const headers = new Map<string, string | string[]>([
    ["user-agent", target.userAgent],
    ["accept", "*/*"],
    ["connection", "close"],
    ["host", hostAndPort(where, number)],
  ]);
  const own = new Map<string, string[]>();
  for (const { name, value } of httpHeaders ?? []) {
    const key = name.toLowerCase();
    own.set(key, [...(own.get(key) ?? []), value]);
  }
  // One host is asked; of anything else there may be several.
  for (const [name, values] of own) headers.set(name, name === "host" ? values[0]! : values);
  const first = `${scheme.toLowerCase()}://${hostAndPort(where, number)}`;
  const options = { headers: Object.fromEntries(headers), signal };
  let url = new URL(`${first}${escaped(path.startsWith("/") ? path : `/${path}`)}`);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const answer = await answerOf(url, options).catch((error: Error) => problemOf(error, url, signal));
    if (typeof answer === "string") return { ...failure(`Get "${shown(url)}": ${answer}`), isUnanswered: true };
    const { status, body, location } = answer;
    if (status < 200 || status >= 400) return failure(`HTTP probe failed with statuscode: ${status}`);
    if (status < 300) return { result: "success", message: body };
    const next = REDIRECTS.has(status) ? placeOf(location, url) : undefined;
    if (next === undefined || next.hostname !== url.hostname)
      return { result: "success", message: `Probe terminated redirects, Response body: ${body}`, isWarning: true };
    url = next;
    // The name of another place is its own.
    options.headers["host"] = url.host;
  }
  return { ...failure(`Get "${shown(url)}": stopped after ${MAX_REDIRECTS} redirects`), isUnanswered: true };
}

/** What may not stand in a path is escaped; what is escaped already stays. */
const escaped = (path: string): string => encodeURI(path).replace(/%25([0-9A-Fa-f]{2})/g, "%$1");

/** The number of a port, by itself or by its name. Fails where the container has no port of that name. */
export function portOf(port: number | string, { ports }: Pick<Container, "ports">): number {
  const number = typeof port === "number" ? port : /^\d+$/.test(port) ? Number(port) : undefined;
  const found = number ?? (ports ?? []).find(({ name }) => name === port)?.containerPort;
  // In upstream's words.
  if (found === undefined) throw new Error(`strconv.Atoi: parsing ${JSON.stringify(port)}: invalid syntax`);
  if (found < 1 || found > 65_535) throw new Error(`invalid port number: ${found}`);
  return found;
}

export const PLAIN_ANSWER = "http: server gave HTTP response to HTTPS client";

const MAX_REDIRECTS = 10;
/** Others from 300 to 399 say nothing of a place. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function placeOf(location: string | undefined, base: URL): URL | undefined {
  if (location === undefined || !URL.canParse(location, base.href)) return undefined;
  const place = new URL(location, base);
  return place.protocol === "http:" || place.protocol === "https:" ? place : undefined;
}

const portIn = ({ port, protocol }: URL): number => Number(port || (protocol === "https:" ? 443 : 80));
/** With its port, also where that is the usual one. */
const shown = (url: URL): string => `${url.protocol}//${url.hostname}:${portIn(url)}${url.pathname}${url.search}`;

const EXEC_MARGIN_MS = 5_000;
const MAX_OUTPUT_BYTES = 10 * 1024;
const failure = (message: string): CheckOutcome => ({ result: "failure", message });
const shortened = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, MAX_OUTPUT_BYTES)).toString("utf8");

export const hostAndPort = (host: string, port: number): string =>
  `${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
/** Time-outs of a signal have a reason of their own; that a probe has ended has another. */
const hasTimedOut = (signal: AbortSignal | undefined): boolean =>
  signal?.aborted === true && (signal.reason as Error | undefined)?.name === "TimeoutError";

/** What goes wrong in connecting, in the words that operators know from elsewhere. */
const SYSTEM_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network is unreachable",
  ETIMEDOUT: "connection timed out",
};

function problemOf(error: HttpError, url: URL, signal: AbortSignal): string {
  if (hasTimedOut(signal)) return "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
  const { code = "", rawPacket } = error;
  if (code.startsWith("HPE_") && rawPacket !== undefined)
    return `net/http: HTTP/1.x transport connection broken: malformed HTTP response ${JSON.stringify(firstLine(rawPacket))}`;
  if (error.message.includes("wrong version number")) return PLAIN_ANSWER;
  return connectionProblem(error, url.hostname, portIn(url));
}

/** What the parser of HTTP could not read comes with its error. */
interface HttpError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
}

const MAX_LINE_CHARACTERS = 256;
const firstLine = (bytes: Buffer): string =>
  (bytes.toString("latin1").split(/\r?\n/, 1)[0] ?? "").slice(0, MAX_LINE_CHARACTERS);

function connectionProblem(error: NodeJS.ErrnoException, host: string, port: number): string {
  const words = SYSTEM_WORDS[error.code ?? ""];
  return words === undefined ? error.message : `dial tcp ${hostAndPort(host, port)}: connect: ${words}`;
}

interface RequestOptions {
  readonly headers: Record<string, string | string[]>;
  readonly signal: AbortSignal;
}

interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  readonly location: string | undefined;
}

async function answerOf(url: URL, options: RequestOptions): Promise<HttpAnswer> {
  return await new Promise((resolve, reject) => {
    const isSecure = url.protocol === "https:";
    const send = isSecure ? httpsRequest : httpRequest;
    const own = isSecure
      ? { rejectUnauthorized: false, ca: [], agent: false as const }
      : { agent: new Agent({ keepAlive: false }) };
    const request = send(url, { ...options, ...own, method: "GET" }, (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      const done = () =>
        resolve({
          status: response.statusCode ?? 0,
          body: shortened(Buffer.concat(parts)),
          location: response.headers.location,
        });
      response.on("data", (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        if (bytes < MAX_OUTPUT_BYTES) return;
        // The status is known; a body without end is not waited for.
        done();
        response.destroy();
      });
      response.on("end", done);
      response.on("error", reject);
    });
    // Node lets go of such a connection: nothing more would be heard of it.
    request.on("upgrade", ({ statusCode: status = 0 }, socket) => {
      socket.destroy();
      resolve({ status, body: "", location: undefined });
    });
    request.on("error", reject);
    request.end();
  });
}

async function connectTcp(host: string, port: number, signal: AbortSignal): Promise<CheckOutcome> {
  return await new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (outcome: CheckOutcome) => {
      signal.removeEventListener("abort", abort);
      socket.destroy();
      resolve(outcome);
    };
    const abort = () => end(failure(`dial tcp ${hostAndPort(host, port)}: i/o timeout`));
    signal.addEventListener("abort", abort, { once: true });
    socket.on("connect", () => end({ result: "success", message: "" }));
    socket.on("error", (error) => end(failure(connectionProblem(error, host, port))));
  });
}
