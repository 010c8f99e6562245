// `pctl proxy`: the server on a local port, without credentials: they are the proxy's own. Only who is on this machine
// may ask; a page of some other site that a browser shows cannot, as its requests name another host.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ApiRequest } from "../../client/transport.ts";
import { CliError, type Command } from "../command.ts";
import { errorText } from "../error-text.ts";
import type { Session } from "../session.ts";

const DEFAULT_PORT = 8001;

export const proxy: Command = {
  name: "proxy",
  summary: "make the server a local one that asks for no credentials",
  flags: [
    { name: "port", short: "p", value: "port", summary: `where to listen (${DEFAULT_PORT}); 0 for a free one` },
    { name: "address", value: "address", summary: "where to listen (127.0.0.1)" },
    { name: "api-prefix", value: "path", summary: "paths begin with it (/)" },
    { name: "accept-hosts", value: "name,...", summary: "also requests for these host names, beside localhost" },
    { name: "reject-methods", value: "method,...", summary: "none of these: POST,PUT,PATCH,DELETE only reads" },
  ],
  async run(session, _args, flags) {
    const address = flags.text("address") ?? "127.0.0.1";
    const prefix = `/${(flags.text("api-prefix") ?? "").replaceAll(/^\/+|\/+$/g, "")}`;
    const gate: Gate = {
      prefix: prefix === "/" ? "/" : `${prefix}/`,
      hosts: new Set([...LOCAL_HOSTS, address, ...(flags.text("accept-hosts") ?? "").split(",")]),
      rejected: new Set((flags.text("reject-methods") ?? "").toUpperCase().split(",")),
    };
    const server = createServer((request, response) => {
      forward(session, gate, request, response).catch((error: unknown) => {
        if (response.headersSent) response.destroy();
        else answer(response, 502, errorText(error));
      });
    });
    const port = await listen(server, flags.number("port") ?? DEFAULT_PORT, address);
    session.terminal.write(`Starting to serve on ${address}:${port}\n`);
    const { interrupted } = session.terminal;
    await new Promise<void>((resolve) => {
      if (interrupted.aborted) resolve();
      interrupted.addEventListener("abort", () => resolve(), { once: true });
    });
    server.close();
    server.closeAllConnections();
  },
};

interface Gate {
  /** With a slash at its end. */
  readonly prefix: string;
  readonly hosts: ReadonlySet<string>;
  readonly rejected: ReadonlySet<string>;
}

const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/** What runs commands in containers: who reaches this port should not have that. */
const REFUSED_PATHS = /^\/api\/[^?]*\/pods\/[^?]*\/(?:exec|attach)(?:\?|$)/;
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Between two machines only. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "authorization",
  "connection",
  "content-length",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

async function forward(
  session: Session,
  gate: Gate,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "GET", url = "/", headers } = request;
  const host = (headers.host ?? "").replace(/:\d+$/, "");
  if (!gate.hosts.has(host)) return answer(response, 403, `the host ${JSON.stringify(host)} is not served here`);
  if (gate.rejected.has(method) || !METHODS.has(method)) return answer(response, 405, `${method} is not passed on`);
  if (headers.upgrade !== undefined)
    return answer(response, 501, "connections are not passed on: use exec or port-forward");
  if (!url.startsWith(gate.prefix)) return answer(response, 404, `paths begin with ${gate.prefix}`);
  const path = url.slice(gate.prefix.length - 1);
  if (REFUSED_PATHS.test(path)) return answer(response, 403, "exec and attach are not passed on");
  const body = await readBody(request);
  if (body === undefined) return answer(response, 413, `more than ${MAX_BODY_BYTES} bytes are not passed on`);
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const answered = await session.transport.request({
    method: method as ApiRequest["method"],
    path,
    headers: passedOn(headers),
    signal: AbortSignal.any([gone.signal, session.terminal.interrupted]),
    ...(body.length === 0 ? {} : { body }),
  });
  // The body is not as long, and not encoded, as it came.
  const shown = [...answered.headers].filter(([name]) => !OWN_HEADERS.has(name) && name !== "content-encoding");
  response.writeHead(answered.status, Object.fromEntries(shown));
  for await (const piece of answered.stream()) {
    if (!response.write(piece)) await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
  }
  response.end();
}

function passedOn(headers: IncomingMessage["headers"]): Record<string, string | string[]> {
  const entries = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] => entry[1] !== undefined && !OWN_HEADERS.has(entry[0]),
  );
  // The transport takes what it can unpack.
  return Object.fromEntries(entries.filter(([name]) => name !== "accept-encoding"));
}

/** Undefined when it is too long. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request) {
    size += (piece as Buffer).length;
    if (size > MAX_BODY_BYTES) return undefined;
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces);
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" }).end(`${text}\n`);
}

function listen(server: Server, port: number, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(new CliError(`unable to listen on ${address}:${port}: ${error.message}`)));
    server.listen(port, address, () => resolve((server.address() as AddressInfo).port));
  });
}
