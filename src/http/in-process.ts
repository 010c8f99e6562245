// A request that did not come over a socket: the transport of components in one process.

import { headerList } from "./header-list.ts";
import { BodyTooLarge, type ReceivedRequest, type ShownCertificate, type Upgrade } from "./message.ts";

export interface InProcessRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | string;
  readonly signal?: AbortSignal;
  /** One for each request when not given. */
  readonly connection?: object;
  readonly clientCertificate?: ShownCertificate;
  readonly upgrade?: Upgrade;
}

export function inProcessRequest(request: InProcessRequest): ReceivedRequest {
  const question = request.url.indexOf("?");
  const body = Buffer.from(request.body ?? "");
  const controller = new AbortController();
  const { signal = controller.signal } = request;
  if (signal !== controller.signal) {
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  }
  return {
    cancelled: false,
    method: request.method,
    url: request.url,
    path: question < 0 ? request.url : request.url.slice(0, question),
    query: new URLSearchParams(question < 0 ? "" : request.url.slice(question + 1)),
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
