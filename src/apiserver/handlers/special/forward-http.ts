// A request handed on to a pod or a service, and its answer handed back: what `proxy` does once it knows where.

import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { BodyWriter, Response } from "../../../http/message.ts";
import { StatusError } from "../../../meta/status-error.ts";
import { readBody } from "../../../registry/read-body.ts";
import type { AuthorizedRequest } from "../../../registry/request.ts";

export interface ForwardTarget {
  readonly scheme: "http" | "https";
  readonly host: string;
  /** Absent: the scheme's own. */
  readonly port?: number;
  /** The path on the other side, not decoded, with its query. */
  readonly path: string;
  /** The path that leads here: redirects of the other side are kept below it. */
  readonly mount: string;
}

/** How long the other side may take until it begins to answer, and how long it may be silent afterwards. */
const MAX_SILENCE_MS = 60_000;

/** Of one connection, or about the caller, and so never handed on. */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  "authorization",
  "connection",
  "content-length",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Fails with 503 when the other side cannot be reached. */
export async function forwardHttp(
  request: AuthorizedRequest,
  target: ForwardTarget,
  maxBodyBytes: number,
): Promise<Response> {
  const body = await readBody(request, maxBodyBytes);
  const answer = await send(request, target, body).catch((error: Error) => {
    throw new StatusError(503, "ServiceUnavailable", `error trying to reach service: ${error.message}`, {
      causes: [],
    });
  });
  return {
    status: answer.statusCode ?? 502,
    headers: answerHeaders(answer, target),
    body: { stream: (writer) => copy(answer, writer) },
  };
}

function send(request: AuthorizedRequest, target: ForwardTarget, body: Uint8Array): Promise<IncomingMessage> {
  const { host, port, path } = target;
  const options = {
    method: request.method,
    host,
    path,
    headers: forwardedHeaders(request, target, body),
    signal: request.signal,
    timeout: MAX_SILENCE_MS,
    ...(port === undefined ? {} : { port }),
  };
  return new Promise((resolve, reject) => {
    // Pods have certificates of their own making: what is asked for is the pod, not a name.
    const sent: ClientRequest =
      target.scheme === "https" ? httpsRequest({ ...options, rejectUnauthorized: false }) : httpRequest(options);
    sent.once("response", resolve);
    sent.once("error", reject);
    sent.once("timeout", () => sent.destroy(new Error("no answer in time")));
    sent.end(body);
  });
}

function forwardedHeaders(
  { headers, remoteAddress, path }: AuthorizedRequest,
  { scheme, host, port }: ForwardTarget,
  body: Uint8Array,
): Record<string, string | string[]> {
  const out: Record<string, string | string[]> = {};
  for (const name of headers.namesWithPrefix("")) {
    if (NOT_FORWARDED.has(name) || name.startsWith(":") || name.startsWith("impersonate-")) continue;
    out[name] = [...headers.all(name)];
  }
  const address = host.includes(":") ? `[${host}]` : host;
  out["host"] = port === undefined ? address : `${address}:${port}`;
  out["x-forwarded-for"] = [...headers.all("x-forwarded-for"), remoteAddress].join(", ");
  out["x-forwarded-uri"] = path;
  out["x-forwarded-proto"] = scheme;
  if (headers.first("host") !== undefined) out["x-forwarded-host"] = headers.first("host")!;
  if (body.length > 0 || headers.first("content-length") !== undefined) out["content-length"] = String(body.length);
  return out;
}

function answerHeaders(answer: IncomingMessage, { mount }: ForwardTarget): Record<string, string | readonly string[]> {
  const out: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined && !NOT_FORWARDED.has(name)) out[name] = value;
  }
  const { location } = answer.headers;
  if (location?.startsWith("/") && !location.startsWith("//")) out["location"] = mount + location;
  return out;
}

async function copy(answer: IncomingMessage, writer: BodyWriter): Promise<void> {
  writer.signal.addEventListener("abort", () => answer.destroy(), { once: true });
  answer.setTimeout(MAX_SILENCE_MS, () => answer.destroy(new Error("silent for too long")));
  for await (const chunk of answer) {
    if (!writer.write(chunk as Buffer)) await writer.drained();
  }
}
