// `pctl proxy`: the server on a local port, without credentials: they are the proxy's own. Only who is on this machine
// may ask; a page of some other site that a browser shows cannot, as its requests name another host.

import { statSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { compileLinear, type LinearRegexp } from "../../base/linear-regexp.ts";
import type { ApiRequest } from "../../client/transport.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import { errorText } from "../error-text.ts";
import { splitList } from "../generators/generator.ts";
import { readDurationMs } from "../read-duration.ts";
import type { Session } from "../session.ts";
import { serveFile } from "../static-files.ts";

const DEFAULT_PORT = 8001;
/** What runs commands in containers: who reaches this port should not have that. */
const REJECTED_PATHS = ["^/api/.*/pods/.*/exec", "^/api/.*/pods/.*/attach"];

export const proxy: Command = {
  name: "proxy",
  summary: "make the server a local one that asks for no credentials",
  flags: [
    { name: "port", short: "p", value: "port", summary: `where to listen (${DEFAULT_PORT}); 0 for a free one` },
    { name: "address", value: "address", summary: "where to listen (127.0.0.1)" },
    { name: "api-prefix", value: "path", summary: "paths begin with it (/)" },
    { name: "www", short: "w", value: "folder", summary: "also serve the files of this folder" },
    { name: "www-prefix", short: "P", value: "path", summary: "paths of files begin with it (/static/)" },
    { name: "accept-paths", value: "pattern,...", summary: "only paths that one of these fits (^.*)" },
    {
      name: "reject-paths",
      value: "pattern,...",
      summary: `no paths that one of these fits (${REJECTED_PATHS.join(",")})`,
    },
    { name: "disable-filter", summary: "let everything pass: any host, path and method" },
    { name: "unix-socket", short: "u", value: "file", summary: "listen there instead of a port" },
    { name: "accept-hosts", value: "name,...", summary: "also requests for these host names, beside localhost" },
    { name: "append-server-path", summary: "below the path of the server's address: how it is always done here" },
    { name: "keepalive", value: "duration", summary: "how often a quiet connection is looked after; 0 for never" },
    { name: "reject-methods", value: "method,...", summary: "none of these: POST,PUT,PATCH,DELETE only reads" },
  ],
  async run(session, _args, flags) {
    const address = flags.text("address") ?? "127.0.0.1";
    if (!flags.switch("append-server-path", true))
      throw new CliError("--append-server-path=false: paths are always below the server's own");
    const keepaliveMs = readDurationMs(flags, "keepalive");
    if (keepaliveMs !== undefined) session.keepAlive(keepaliveMs);
    const gate: Gate = {
      prefix: withSlashes(flags.text("api-prefix") ?? ""),
      open: flags.switch("disable-filter"),
      hosts: new Set([...LOCAL_HOSTS, address, ...(flags.text("accept-hosts") ?? "").split(",")]),
      rejected: new Set((flags.text("reject-methods") ?? "").toUpperCase().split(",")),
      accepts: readPatterns(flags, "accept-paths", ["^.*"]),
      rejects: readPatterns(flags, "reject-paths", REJECTED_PATHS),
    };
    if (gate.open)
      session.terminal.writeError(
        "Request filter disabled, your proxy is vulnerable to XSRF attacks, please be cautious\n",
      );
    const files = readFiles(flags);
    const server = createServer((request, response) => {
      if (files !== undefined && isForFiles(files, request)) return answerWithFile(files, gate, request, response);
      forward(session, gate, request, response).catch((error: unknown) => {
        if (response.headersSent) response.destroy();
        else answer(response, 502, errorText(error));
      });
    });
    const open = new Set<Duplex>();
    server.on("upgrade", (request, socket, head) => {
      open.add(socket.once("close", () => open.delete(socket)));
      socket.on("error", () => socket.destroy());
      upgrade(session, gate, request, socket, head).catch((error: unknown) => refuse(socket, 502, errorText(error)));
    });
    const place = flags.text("unix-socket");
    const port = flags.number("port") ?? DEFAULT_PORT;
    if (port < 0 || port > 65_535) throw new CliError(`--port: ${port} is no port`);
    const where = place === undefined ? { port, host: address } : { path: place };
    session.terminal.write(`Starting to serve on ${await listen(server, where)}\n`);
    const { interrupted } = session.terminal;
    await new Promise<void>((resolve) => {
      if (interrupted.aborted) resolve();
      interrupted.addEventListener("abort", () => resolve(), { once: true });
    });
    server.close();
    server.closeAllConnections();
    for (const socket of open) socket.destroy();
  },
};

interface Files {
  readonly folder: string;
  /** With a slash at its end. */
  readonly prefix: string;
}

/** Undefined without --www. Fails with CliError. */
function readFiles(flags: Flags): Files | undefined {
  const folder = flags.text("www");
  if (folder === undefined) return undefined;
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CliError(`--www: ${JSON.stringify(folder)} is no folder`);
  return { folder, prefix: withSlashes(flags.text("www-prefix") ?? "/static/") };
}

const withSlashes = (path: string): string => `/${path}/`.replaceAll(/\/{2,}/g, "/");

const isForFiles = ({ prefix }: Files, { url = "/" }: IncomingMessage): boolean => url.startsWith(prefix);

function answerWithFile(files: Files, gate: Gate, request: IncomingMessage, response: ServerResponse): void {
  const { method = "GET", url = "/" } = request;
  const [path = ""] = url.slice(files.prefix.length).split("?");
  if (!isServedHost(gate, request)) answer(response, 403, "the host is not served here");
  else if (method !== "GET" && method !== "HEAD") answer(response, 405, `${method} is not for files`);
  else if (!serveFile(files.folder, path, method, response)) answer(response, 404, "there is no such file");
}

interface Gate {
  /** With a slash at its end. */
  readonly prefix: string;
  readonly hosts: ReadonlySet<string>;
  readonly rejected: ReadonlySet<string>;
  readonly accepts: readonly LinearRegexp[];
  readonly rejects: readonly LinearRegexp[];
  /** Hosts, methods and paths do not matter. */
  readonly open: boolean;
}

const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

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
  const { method = "GET", headers } = request;
  const admitted = admit(gate, request);
  if ("refused" in admitted) return answer(response, admitted.status, admitted.refused);
  const { path } = admitted;
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

type Admitted = { readonly path: string } | { readonly status: number; readonly refused: string };

/** The path that the server is asked for, or why it is not. */
function admit(gate: Gate, request: IncomingMessage): Admitted {
  const { method = "GET", url = "/", headers } = request;
  if (!isServedHost(gate, request))
    return { status: 403, refused: `the host ${JSON.stringify(hostOf(headers))} is not served here` };
  if (!METHODS.has(method) || (!gate.open && gate.rejected.has(method)))
    return { status: 405, refused: `${method} is not passed on` };
  if (!url.startsWith(gate.prefix)) return { status: 404, refused: `paths begin with ${gate.prefix}` };
  const path = url.slice(gate.prefix.length - 1);
  const bare = decoded(path.split("?")[0]!);
  if (bare === undefined) return { status: 400, refused: "the path is not well encoded" };
  const isAccepted = gate.accepts.some((pattern) => pattern.test(bare) === true);
  if (!gate.open && (!isAccepted || gate.rejects.some((pattern) => pattern.test(bare) !== false)))
    return { status: 403, refused: `${bare} is not passed on: see --accept-paths, --reject-paths` };
  return { path };
}

/** As the server reads it: patterns are about that, however it is written. */
function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

const hostOf = ({ host = "" }: IncomingMessage["headers"]): string => host.replace(/:\d+$/, "");

const isServedHost = (gate: Gate, { headers }: IncomingMessage): boolean =>
  gate.open || gate.hosts.has(hostOf(headers));

/** Fails with CliError. */
function readPatterns(flags: Flags, name: string, otherwise: readonly string[]): LinearRegexp[] {
  const given = flags.text(name) === undefined ? otherwise : splitList(flags, name);
  return given.map((pattern) => {
    const compiled = compileLinear(pattern);
    if (typeof compiled === "string") throw new CliError(`--${name}: ${compiled}`);
    return compiled;
  });
}

/** Connections that go on in another protocol: both ways, until one side has had enough. */
async function upgrade(
  session: Session,
  gate: Gate,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const admitted = admit(gate, request);
  if ("refused" in admitted) return refuse(socket, admitted.status, admitted.refused);
  const { method = "GET", headers } = request;
  const { connection, upgrade: protocol } = headers;
  const gone = new AbortController();
  socket.once("close", () => gone.abort());
  const { status, statusText, rawHeaders, stream, upgraded } = await session.upgrade({
    method,
    path: admitted.path,
    headers: { ...passedOn(headers), connection: connection ?? "Upgrade", upgrade: protocol ?? "" },
    signal: gone.signal,
  });
  const lines = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : []));
  // The body of a refusal comes without its chunks, and ends with the connection.
  const kept = upgraded
    ? lines
    : [...lines.filter((line) => !/^(?:transfer-encoding|connection):/i.test(line)), "Connection: close"];
  socket.write(`HTTP/1.1 ${status} ${statusText}\r\n${kept.join("\r\n")}\r\n\r\n`);
  stream.on("error", () => socket.destroy());
  stream.pipe(socket);
  if (!upgraded) return;
  const server = stream as Duplex;
  server.once("close", () => socket.destroy());
  socket.once("close", () => server.destroy());
  server.write(head);
  socket.pipe(server);
}

function refuse(socket: Duplex, status: number, text: string): void {
  const body = `${text}\n`;
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: text/plain; charset=utf-8\r\n`;
  socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
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

type ListenPlace = { readonly port: number; readonly host: string } | { readonly path: string };

/** Where it listens. Fails with CliError. */
function listen(server: Server, place: ListenPlace): Promise<string> {
  const asked = "path" in place ? place.path : `${place.host}:${place.port}`;
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(new CliError(`unable to listen on ${asked}: ${error.message}`)));
    server.listen(place, () =>
      resolve("path" in place ? place.path : `${place.host}:${(server.address() as AddressInfo).port}`),
    );
  });
}
