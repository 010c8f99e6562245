// For tests: a request that did not come over a socket, and its answer read to the end.

import { type InProcessRequest, inProcessRequest } from "./in-process.ts";
import { type BodyWriter, isStreamBody, type ReceivedRequest, type Response } from "./message.ts";
import type { Handler } from "./pipeline.ts";

export interface InProcessAnswer {
  readonly status: number;
  readonly headers: Response["headers"];
  /** The whole body; for streams only once they have ended. */
  readonly body: Uint8Array;
}

export async function callInProcess(
  handler: Handler<ReceivedRequest>,
  request: InProcessRequest,
): Promise<InProcessAnswer> {
  const received = inProcessRequest(request);
  const { status, headers, body = new Uint8Array(), endsLine } = await handler(received);
  if (!isStreamBody(body)) return { status, headers, body: endsLine ? Buffer.concat([body, Buffer.from("\n")]) : body };
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
