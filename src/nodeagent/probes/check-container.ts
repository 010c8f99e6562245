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
    const { podIp: host, timeoutMs } = target;
    return await checkGrpcHealth({ host, port: grpc.port, service: grpc.service ?? "", timeoutMs }, signal);
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

/** Answers from 200 to 399 are success. Certificates are not checked: the pod is asked, not a name. */
export async function httpCheck(
  { scheme = "HTTP", host, port, path = "/", httpHeaders }: HTTPGetAction,
  target: Pick<CheckTarget, "podIp" | "container" | "userAgent">,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  const number = portOf(port, target.container);
  const where = host || target.podIp;
  const headers = new Map<string, string | string[]>([
    ["user-agent", target.userAgent],
    ["accept", "*/*"],
    ["connection", "close"],
    ["host", hostAndPort(where, number)],
  ]);
  for (const { name, value } of httpHeaders ?? []) headers.set(name.toLowerCase(), value);
  const options = {
    host: where,
    port: number,
    path: encodeURI(path.startsWith("/") ? path : `/${path}`),
    headers: Object.fromEntries(headers),
    signal,
  };
  const url = `${scheme.toLowerCase()}://${hostAndPort(where, number)}${options.path}`;
  const answer = await answerOf(scheme, options).catch((error: Error) => problemOf(error, where, number, signal));
  if (typeof answer === "string") return failure(`Get "${url}": ${answer}`);
  const { status, body } = answer;
  if (status >= 200 && status < 400) return { result: "success", message: body };
  return failure(`HTTP probe failed with statuscode: ${status}`);
}

/** The number of a port, by itself or by its name. Fails where the container has no port of that name. */
export function portOf(port: number | string, { ports }: Pick<Container, "ports">): number {
  const number = typeof port === "number" ? port : /^\d+$/.test(port) ? Number(port) : undefined;
  const found = number ?? (ports ?? []).find(({ name }) => name === port)?.containerPort;
  if (found === undefined || found < 1 || found > 65_535)
    throw new Error(`couldn't find port: ${JSON.stringify(port)}`);
  return found;
}

const EXEC_MARGIN_MS = 5_000;
const MAX_OUTPUT_BYTES = 10 * 1024;
const failure = (message: string): CheckOutcome => ({ result: "failure", message });
const shortened = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, MAX_OUTPUT_BYTES)).toString("utf8");

const hostAndPort = (host: string, port: number): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;
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

function problemOf(error: NodeJS.ErrnoException, host: string, port: number, signal: AbortSignal): string {
  if (hasTimedOut(signal)) return "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
  const words = SYSTEM_WORDS[error.code ?? ""];
  return words === undefined ? error.message : `dial tcp ${hostAndPort(host, port)}: connect: ${words}`;
}

interface RequestOptions {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Record<string, string | string[]>;
  readonly signal: AbortSignal;
}

async function answerOf(scheme: string, options: RequestOptions): Promise<{ status: number; body: string }> {
  return await new Promise((resolve, reject) => {
    const send = scheme === "HTTPS" ? httpsRequest : httpRequest;
    const own =
      scheme === "HTTPS"
        ? { rejectUnauthorized: false, agent: false as const }
        : { agent: new Agent({ keepAlive: false }) };
    const request = send({ ...options, ...own, method: "GET" }, (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      const done = () => resolve({ status: response.statusCode ?? 0, body: shortened(Buffer.concat(parts)) });
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
    socket.on("error", (error) => end(failure(problemOf(error, host, port, signal))));
  });
}
