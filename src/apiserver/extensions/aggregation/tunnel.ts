// An upgraded connection (WebSocket and its like) to a server behind: bytes go both ways until one side ends, then both do.

import type { IncomingMessage } from "node:http";
import { request as send } from "node:https";
import type { Duplex } from "node:stream";
import { callErrorText } from "../../../client/call-error.ts";
import type { HttpsTarget } from "../../../client/tls-target.ts";
import type { Response } from "../../../http/message.ts";
import type { AuthorizedRequest } from "../../../registry/request.ts";
import { authorityOf, type Backends } from "./backend.ts";
import { answerHeaders, forwardedHeaders } from "./forwarded-headers.ts";
import { plainAnswer, unavailable } from "./proxy.ts";
import type { RemoteApi } from "./remote-api.ts";

/** How long a server behind may take to say whether it upgrades. */
const UPGRADE_TIMEOUT_MS = 30_000;
/** How long the rest of one side may take to reach the other, once the first has ended. */
const LINGER_MS = 10_000;
/** The answer of a server that refuses, which is passed on whole. */
const MAX_REFUSAL_BYTES = 1024 * 1024;

export async function tunnel(backends: Backends, request: AuthorizedRequest, api: RemoteApi): Promise<Response> {
  const { upgrade } = request;
  if (upgrade === undefined || !api.available) return unavailable();
  let target: HttpsTarget;
  try {
    target = await backends.targetOf(api);
  } catch {
    return unavailable();
  }
  const held = backends.hold(target);
  let answer: UpgradeAnswer;
  try {
    answer = await askToUpgrade(held.agent, target, request);
  } catch (error) {
    const why = callErrorText(error as Error);
    return plainAnswer(503, why === "EOF" ? "unexpected EOF" : `error dialing backend: ${why}`);
  } finally {
    // Not the pool's any more: an upgraded connection carries nothing else.
    held.release();
  }
  if (answer.far === undefined) return refusal(answer.head);
  const near = upgrade.socket;
  near.write(headBytes(answer.head));
  if (answer.first.length > 0) near.write(answer.first);
  if (upgrade.head.length > 0) answer.far.write(upgrade.head);
  join(near, answer.far, request.signal);
  return { status: 101, headers: {}, hijacked: true };
}

type UpgradeAnswer =
  | { readonly head: IncomingMessage; readonly far: Duplex; readonly first: Buffer }
  | { readonly head: IncomingMessage; readonly far: undefined };

function askToUpgrade(
  agent: ReturnType<Backends["hold"]>["agent"],
  target: HttpsTarget,
  request: AuthorizedRequest,
): Promise<UpgradeAnswer> {
  return new Promise((resolve, reject) => {
    const stop = new AbortController();
    const sent = send({
      host: target.host,
      port: target.port,
      agent,
      method: request.method,
      path: request.url,
      signal: stop.signal,
      headers: {
        ...forwardedHeaders(request, authorityOf(target)),
        connection: "Upgrade",
        upgrade: request.headers.first("upgrade") ?? "websocket",
      },
    });
    const timer = setTimeout(() => stop.abort(), UPGRADE_TIMEOUT_MS);
    const gone = () => stop.abort();
    request.signal.addEventListener("abort", gone, { once: true });
    const settle = () => {
      clearTimeout(timer);
      request.signal.removeEventListener("abort", gone);
    };
    sent.on("upgrade", (head: IncomingMessage, far: Duplex, first: Buffer) => {
      settle();
      resolve({ head, far, first });
    });
    sent.on("response", (head) => {
      settle();
      resolve({ head, far: undefined });
    });
    sent.on("error", (error) => {
      settle();
      reject(error);
    });
    sent.end();
  });
}

/** A server that refuses says why itself; one that answers as if nothing had been asked is broken. */
async function refusal(answer: IncomingMessage): Promise<Response> {
  const status = answer.statusCode ?? 0;
  if (status < 400) {
    answer.destroy();
    return plainAnswer(503, `invalid upgrade response: status code ${status}`);
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
  return { status, headers: answerHeaders(answer.headers), body: Buffer.concat(pieces) };
}

/** As the server behind has sent it: the names and the order of headers stay. */
function headBytes({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  let lines = `HTTP/1.1 ${statusCode} ${statusMessage}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) lines += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
  return `${lines}\r\n`;
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
