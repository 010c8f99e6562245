// Writes a Response value to a node HTTP response, at the speed of the client.

import type { ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { Duplex } from "node:stream";
import { type BodyWriter, isStreamBody, type Response } from "./message.ts";

type NodeResponse = ServerResponse | Http2ServerResponse;

export async function writeResponse(
  headOnly: boolean,
  res: NodeResponse,
  response: Response,
  request: { readonly signal: AbortSignal },
): Promise<void> {
  if (isGone(res)) return;
  // The two server APIs agree on everything used here; their overloads do not unite.
  const out = res as ServerResponse;
  const { body } = response;
  if (body === undefined || !isStreamBody(body)) {
    const length = body?.length ?? 0;
    out.writeHead(response.status, {
      ...mutable(response.headers),
      ...(bodyless(response.status) ? {} : { "content-length": length }),
    });
    if (body === undefined || headOnly) out.end();
    else out.end(body);
    return;
  }
  out.writeHead(response.status, mutable(response.headers));
  if (headOnly) {
    out.end();
    return;
  }
  // The client learns that its watch stands before the first event comes.
  out.flushHeaders?.();
  await body.stream(bodyWriter(out, request.signal));
  out.end();
}

/** Whether nobody can receive an answer any more. The answers of HTTP/2 do not say it themselves. */
export function isGone(res: NodeResponse | Duplex): boolean {
  return "stream" in res ? res.stream === undefined || res.stream.destroyed : res.destroyed;
}

/** Bytes that wait for the client before a writer is told to pause. */
const HIGH_WATER_BYTES = 256 * 1024;

function bodyWriter(res: ServerResponse, signal: AbortSignal): BodyWriter {
  let queuedBytes = 0;
  let waiting: (() => void)[] = [];
  const wake = () => {
    const woken = waiting;
    waiting = [];
    for (const resolve of woken) resolve();
  };
  res.once("close", () => {
    queuedBytes = 0;
    wake();
  });
  res.on("error", wake);
  return {
    signal,
    get queuedBytes() {
      return queuedBytes;
    },
    write(chunk) {
      if (isGone(res)) return false;
      queuedBytes += chunk.length;
      res.write(chunk, () => {
        queuedBytes = Math.max(0, queuedBytes - chunk.length);
        if (queuedBytes < HIGH_WATER_BYTES && waiting.length > 0) wake();
      });
      return queuedBytes < HIGH_WATER_BYTES;
    },
    drained() {
      if (isGone(res) || queuedBytes < HIGH_WATER_BYTES) return Promise.resolve();
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}

const mutable = (headers: Response["headers"]): Record<string, string | string[]> =>
  headers as Record<string, string | string[]>;

const bodyless = (status: number): boolean => status === 204 || status === 304;
