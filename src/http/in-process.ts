// A request that did not come over a socket: the transport of components in one process.

import { headerList } from "./header-list.ts";
import { BodyTooLarge, type ReceivedRequest, type ShownCertificate, type Upgrade } from "./message.ts";

export interface InProcessRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | string;
  /** Aborted when whoever asked has gone, and when the server gives the request up. */
  readonly controller?: AbortController;
  /** One for each request when not given. */
  readonly connection?: object;
  readonly clientCertificate?: ShownCertificate;
  readonly upgrade?: Upgrade;
}

export function inProcessRequest(request: InProcessRequest): ReceivedRequest {
  const question = request.url.indexOf("?");
  const body = bytesOf(request.body);
  const { controller = new AbortController() } = request;
  let query: URLSearchParams | undefined;
  return {
    cancelled: false,
    method: request.method,
    url: request.url,
    path: question < 0 ? request.url : request.url.slice(0, question),
    // Few ask for it.
    get query() {
      query ??= new URLSearchParams(question < 0 ? "" : request.url.slice(question + 1));
      return query;
    },
    headers: headerList(request.headers ?? {}),
    remoteAddress: "127.0.0.1",
    connection: request.connection ?? {},
    clientCertificate: request.clientCertificate,
    upgrade: request.upgrade,
    signal: controller.signal,
    receivedAtMs: Date.now(),
    deadlineMs: Number.POSITIVE_INFINITY,
    cancel() {
      Object.assign(this, { cancelled: true });
      controller.abort();
    },
    readBody: async (limitBytes) => {
      if (body.length > limitBytes) throw new BodyTooLarge(limitBytes);
      return body;
    },
  };
}

/** Bytes as they are: who sends them does not change them any more. */
function bytesOf(body: Uint8Array | string | undefined): Buffer {
  if (body === undefined || typeof body === "string") return Buffer.from(body ?? "");
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}
