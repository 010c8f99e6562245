// An upgraded connection (WebSocket and its like) to another server: bytes go both ways until one side ends, then both do.

import { type Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { type Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";
import {
  answerHeaders,
  forwardedHeaders,
  type Headers,
  readEveryHeaderLine,
  switchingHead,
} from "./forwarded-headers.ts";
import { toWire } from "./header-text.ts";
import type { ReceivedRequest, Response } from "./message.ts";
import { endUnreadWithClient } from "./unread-socket.ts";

/** How long the other side may take to say whether it upgrades. */
const UPGRADE_TIMEOUT_MS = 30_000;
/** How long the rest of one side may take to reach the other, once the first has ended. */
const LINGER_MS = 10_000;
/** The answer of a server that refuses, which is passed on whole. */
const MAX_REFUSAL_BYTES = 1024 * 1024;

/** Where a connection leads. */
export interface Far {
  readonly host: string;
  /** Absent: the scheme's own. */
  readonly port?: number;
  /** Path and query. */
  readonly path: string;
  /** On top of those that are forwarded anyway. */
  readonly headers: Headers;
  readonly via:
    | { readonly scheme: "http"; readonly agent?: HttpAgent }
    | { readonly scheme: "https"; readonly agent: HttpsAgent };
  readonly method?: string;
  /** What the connection shall become; absent: what the caller asked for. */
  readonly upgrade?: string;
  /** The protocols of WebSockets that the other side may choose from, and what the caller calls each of them. */
  readonly protocols?: ReadonlyMap<string, string>;
}

const PROTOCOL = "sec-websocket-protocol";

/** The other side answers as if nothing had been asked. */
export class NoUpgrade extends Error {}

/** Fails with what the network says, or with NoUpgrade. A refusal of the other side is an answer. */
export async function tunnel(request: ReceivedRequest, far: Far): Promise<Response> {
  const near = request.upgrade;
  if (near === undefined) throw new NoUpgrade("there is no connection to upgrade");
  const answer = await askToUpgrade(request, far);
  if (answer.socket === undefined) return refusal(answer.head);
  near.socket.write(switchingHead(answer.head, chosenProtocol(answer.head, far)), "latin1");
  if (answer.first.length > 0) near.socket.write(answer.first);
  if (near.head.length > 0) answer.socket.write(near.head);
  endUnreadWithClient(near.socket);
  join(near.socket, answer.socket, request.signal);
  return { status: 101, headers: {}, hijacked: true };
}

type UpgradeAnswer =
  | { readonly head: IncomingMessage; readonly socket: Duplex; readonly first: Buffer }
  | { readonly head: IncomingMessage; readonly socket: undefined };

/** Fails with what the network says. */
export function askToUpgrade(request: ReceivedRequest, far: Far): Promise<UpgradeAnswer> {
  const { host, port, path, via } = far;
  return new Promise((resolve, reject) => {
    const stop = new AbortController();
    const options = {
      host,
      ...(port === undefined ? {} : { port }),
      path,
      method: far.method ?? request.method,
      signal: stop.signal,
      headers: {
        ...forwardedHeaders(request),
        ...far.headers,
        ...(far.protocols === undefined ? {} : { [PROTOCOL]: toWire([...far.protocols.keys()].join(", ")) }),
        connection: "Upgrade",
        upgrade: far.upgrade ?? request.headers.first("upgrade") ?? "websocket",
      },
    };
    const sent =
      via.scheme === "https"
        ? httpsRequest({ ...options, agent: via.agent })
        : httpRequest({ ...options, ...(via.agent === undefined ? {} : { agent: via.agent }) });
    readEveryHeaderLine(sent);
    const timer = setTimeout(() => stop.abort(), UPGRADE_TIMEOUT_MS);
    const gone = () => stop.abort();
    request.signal.addEventListener("abort", gone, { once: true });
    const settle = () => {
      clearTimeout(timer);
      request.signal.removeEventListener("abort", gone);
    };
    sent.on("upgrade", (head: IncomingMessage, socket: Duplex, first: Buffer) => {
      settle();
      resolve({ head, socket, first });
    });
    sent.on("response", (head) => {
      settle();
      resolve({ head, socket: undefined });
    });
    sent.on("error", (error) => {
      settle();
      reject(error);
    });
    sent.end();
  });
}

/** The caller is told of what it knows. */
function chosenProtocol({ headers }: IncomingMessage, { protocols }: Far): Map<string, string> {
  const chosen = protocols?.get(headers[PROTOCOL] ?? "");
  return new Map(chosen === undefined ? [] : [[PROTOCOL, toWire(chosen)]]);
}

/** A server that refuses says why itself; one that answers as if nothing had been asked is broken. */
export async function refusal(answer: IncomingMessage): Promise<Response> {
  const status = answer.statusCode ?? 0;
  if (status < 400) {
    answer.destroy();
    throw new NoUpgrade(`invalid upgrade response: status code ${status}`);
  }
  const pieces: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => answer.destroy(), LINGER_MS);
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > MAX_REFUSAL_BYTES) break;
      pieces.push(piece);
    }
  } catch {
    // What has arrived is what there is to pass on.
  } finally {
    clearTimeout(timer);
    answer.destroy();
  }
  return { status, headers: answerHeaders(answer), body: Buffer.concat(pieces) };
}

/** A side that ends or fails takes the other with it, once its last bytes are through: no connection is left hanging. */
function join(near: Duplex, far: Duplex, signal: AbortSignal): void {
  let timer: NodeJS.Timeout | undefined;
  const destroy = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", gone);
    near.destroy();
    far.destroy();
  };
  // A client that has ended in order is gone too, but what it has sent is still on its way.
  const gone = () => near.readableEnded || destroy();
  const lastBytes = (to: Duplex) => () => {
    timer ??= setTimeout(destroy, LINGER_MS);
    to.end(destroy);
  };
  for (const socket of [near, far]) {
    socket.on("error", destroy);
    // One that has ended in order may be closed before the other has taken its last bytes.
    socket.on("close", () => socket.readableEnded || destroy());
  }
  near.pipe(far, { end: false });
  far.pipe(near, { end: false });
  near.on("end", lastBytes(far));
  far.on("end", lastBytes(near));
  if (signal.aborted) destroy();
  else signal.addEventListener("abort", gone, { once: true });
}
