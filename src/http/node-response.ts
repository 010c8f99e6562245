// Writes a Response value to a node HTTP response, at the speed of the client.

import type { ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { Duplex } from "node:stream";
import { type BodyWriter, isStreamBody, type ReceivedRequest, type Response, type StreamBody } from "./message.ts";

type NodeResponse = ServerResponse | Http2ServerResponse;

/** Done at once, unless the body is a stream. */
export function writeResponse(
  res: NodeResponse,
  response: Response,
  request: Pick<ReceivedRequest, "method" | "signal">,
): void | Promise<void> {
  if (isGone(res)) return;
  // The two server APIs agree on everything used here; their overloads do not unite.
  const out = res as ServerResponse;
  const { status, body } = response;
  const lines = headerLines(response.headers);
  const headOnly = request.method === "HEAD";
  if (body !== undefined && isStreamBody(body)) {
    out.writeHead(status, lines);
    if (!headOnly) return streamBody(out, body, request.signal);
    out.end();
    return;
  }
  if (!bodyless(status)) lines.push("content-length", String(body?.length ?? 0));
  out.writeHead(status, lines);
  if (body === undefined || headOnly) out.end();
  else out.end(body);
}

async function streamBody(out: ServerResponse, body: StreamBody, signal: AbortSignal): Promise<void> {
  // The client learns that its watch stands before the first event comes.
  out.flushHeaders?.();
  await body.stream(bodyWriter(out, signal));
  out.end();
}

/** Name, value, name, value: the form that node takes without going over it once more. */
function headerLines(headers: Response["headers"]): (string | string[])[] {
  const lines: (string | string[])[] = [];
  for (const name in headers) lines.push(name, headers[name] as string | string[]);
  return lines;
}

/** Whether nobody can receive an answer any more. The answers of HTTP/2 do not say it themselves. */
export function isGone(res: NodeResponse | Duplex): boolean {
  return "stream" in res ? res.stream === undefined || res.stream.destroyed : res.destroyed;
}

/** Bytes that wait for the client before a writer is told to pause. */
const HIGH_WATER_BYTES = 256 * 1024;

/** Larger pieces go out as they are, without being copied into a frame. */
const MAX_FRAMED_BYTES = 16 * 1024;

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
      const sent = () => {
        queuedBytes = Math.max(0, queuedBytes - chunk.length);
        if (queuedBytes < HIGH_WATER_BYTES && waiting.length > 0) wake();
      };
      const socket = framesChunks(res) && chunk.length <= MAX_FRAMED_BYTES ? res.socket : null;
      if (socket === null) res.write(chunk, sent);
      else socket.write(framed(chunk), sent);
      return queuedBytes < HIGH_WATER_BYTES;
    },
    drained() {
      if (isGone(res) || queuedBytes < HIGH_WATER_BYTES) return Promise.resolve();
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}

/** Whether pieces go out as chunks of HTTP/1.1. The answers of HTTP/2 have no such word. */
const framesChunks = (res: ServerResponse): boolean => res.chunkedEncoding === true;

let lastChunk: Uint8Array | undefined;
let lastFrame: Uint8Array | undefined;

/** A chunk of HTTP/1.1 in one piece. An event goes to one watcher after the other: it is framed once for all of them. */
function framed(chunk: Uint8Array): Uint8Array {
  if (chunk !== lastChunk || lastFrame === undefined) {
    lastChunk = chunk;
    lastFrame = Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, CHUNK_END]);
  }
  return lastFrame;
}

const CHUNK_END = Buffer.from("\r\n");

const bodyless = (status: number): boolean => status === 204 || status === 304;
