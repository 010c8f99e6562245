// A request that did not come over a socket, and its answer read to the end: the transport of components in one process
// and of tests.

import { headerList } from "./header-list.ts";
import {
  BodyTooLarge,
  type BodyWriter,
  isStreamBody,
  type ReceivedRequest,
  type Response,
  type ShownCertificate,
} from "./message.ts";
import type { Handler } from "./pipeline.ts";

export interface InProcessRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | string;
  readonly signal?: AbortSignal;
  /** One for each request when not given. */
  readonly connection?: object;
  readonly clientCertificate?: ShownCertificate;
}

export interface InProcessAnswer {
  readonly status: number;
  readonly headers: Response["headers"];
  /** The whole body; for streams only once they have ended. */
  readonly body: Uint8Array;
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

export async function callInProcess(
  handler: Handler<ReceivedRequest>,
  request: InProcessRequest,
): Promise<InProcessAnswer> {
  const received = inProcessRequest(request);
  const { status, headers, body } = await handler(received);
  if (body === undefined || !isStreamBody(body)) return { status, headers, body: body ?? new Uint8Array() };
  const chunks: Uint8Array[] = [];
  await body.stream(collector(received.signal, (chunk) => chunks.push(chunk)));
  return { status, headers, body: Buffer.concat(chunks) };
}

/** A writer whose client takes everything at once. */
export function collector(signal: AbortSignal, take: (chunk: Uint8Array) => void): BodyWriter {
  return {
    signal,
    queuedBytes: 0,
    chunkBytes: 128 * 1024,
    drained: () => Promise.resolve(),
    write(chunk) {
      take(chunk);
      return true;
    },
  };
}
