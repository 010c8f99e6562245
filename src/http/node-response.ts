// Writes a Response value to a node HTTP response, at the speed of the client.

import { type IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "../base/clock.ts";
import { nextWorkTurn, turnIsOver } from "../base/work-turns.ts";
import { dropBody } from "./drop-body.ts";
import { endGently } from "./end-gently.ts";
import { toWire } from "./header-text.ts";
import {
  type BodyWriter,
  isStreamBody,
  type ReceivedRequest,
  type Response,
  type Sending,
  type StreamBody,
} from "./message.ts";
import { LINGER_MS, type OpenAnswers, TOO_SLOW } from "./open-answers.ts";

type NodeResponse = ServerResponse | Http2ServerResponse;

/** A connection of HTTP/1.1 that does not read may hold one such answer uncounted. */
const SMALL_BYTES = 16 * 1024;

interface AnswerParts {
  readonly request: Pick<ReceivedRequest, "method" | "signal"> & { deadlineMs: number };
  readonly answers: OpenAnswers;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** Done at once, unless the body is a stream. */
export function writeResponse(res: NodeResponse, response: Response, parts: AnswerParts): void | Promise<void> {
  if (isGone(res)) return dropBody(response);
  // The two server APIs agree on everything used here; their overloads do not unite.
  const out = res as ServerResponse;
  const { status, body, endsLine = false } = response;
  const hasConnection = !("stream" in res);
  const lines = headerLines(response.headers, hasConnection);
  const headOnly = parts.request.method === "HEAD";
  if (body !== undefined && isStreamBody(body)) {
    out.writeHead(status, lines);
    if (!headOnly) return streamBody(out, body, parts);
    out.end();
    return dropBody(response);
  }
  if (!bodyless(status)) lines.push("content-length", String((body?.length ?? 0) + (endsLine ? 1 : 0)));
  out.writeHead(status, lines);
  const sent = headOnly ? undefined : body;
  const { socket } = out;
  if (socket !== null && hasConnection && response.headers.connection === "close" && !out.req.complete) {
    // What node calls after the last answer: at once, whatever the client has yet to send.
    socket.destroySoon = () => endGently(socket, parts.answers, parts.clock.monotonicMs());
  }
  if (socket !== null && hasConnection && (sent === undefined || sent.length <= SMALL_BYTES)) {
    parts.answers.sentAtOnce(socket, out, parts.request.deadlineMs);
    if (sent === undefined) out.end();
    else out.end(endsLine ? `${wireText(sent)}\n` : sent, "latin1");
    return;
  }
  const answer = new OpenAnswer(out, parts);
  if (sent === undefined) out.end();
  else answer.end(endsLine ? Buffer.concat([sent, END_OF_LINE]) : sent);
}

const END_OF_LINE = Buffer.from("\n");

/** One character per byte: what node sends as text leaves in one piece with the head. */
function wireText(bytes: Uint8Array): string {
  const buffer = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return buffer.toString("latin1");
}

async function streamBody(out: ServerResponse, body: StreamBody, parts: AnswerParts): Promise<void> {
  // The client learns that its watch stands before the first event comes.
  out.flushHeaders?.();
  const answer = new OpenAnswer(out, parts);
  out.on("error", () => answer.wake());
  await body.stream(answer);
  // Very many may end at once.
  if (turnIsOver()) await nextWorkTurn();
  parts.request.deadlineMs = Math.min(parts.request.deadlineMs, parts.clock.monotonicMs() + LINGER_MS);
  out.end();
}

/** For the answer to an upgrade that nobody took over. Node has forgotten the connection: it ends with the answer. */
export function answerOnSocket(req: IncomingMessage, socket: Duplex): ServerResponse {
  const res = new ServerResponse(req);
  res.shouldKeepAlive = false;
  res.assignSocket(socket as Socket);
  res.once("finish", () => socket.end(() => socket.destroy()));
  socket.once("close", () => res.emit("close"));
  return res;
}

/** Name, value, name, value: the form that node takes without going over it once more. */
function headerLines(headers: Response["headers"], hasConnection: boolean): (string | string[])[] {
  const lines: (string | string[])[] = [];
  for (const name in headers) {
    // HTTP/2 says otherwise what becomes of a connection.
    if (name === "connection" && !hasConnection) continue;
    const value = headers[name]!;
    lines.push(name, typeof value === "string" ? toWire(value) : value.map(toWire));
  }
  return lines;
}

/** Whether nobody can receive an answer any more. The answers of HTTP/2 do not say it themselves. */
export function isGone(res: NodeResponse | Duplex): boolean {
  return "stream" in res ? res.stream === undefined || res.stream.destroyed : res.destroyed;
}

/** Larger pieces go out as they are, without being copied into a frame. */
const MAX_FRAMED_BYTES = 64 * 1024;

/** An answer whose bytes have not all left. */
class OpenAnswer implements BodyWriter, Sending {
  readonly #res: ServerResponse;
  readonly #request: AnswerParts["request"];
  readonly #answers: OpenAnswers;
  #waiting: (() => void)[] = [];
  queuedBytes = 0;
  progress = 0;

  constructor(res: ServerResponse, { request, answers }: AnswerParts) {
    this.#res = res;
    this.#request = request;
    this.#answers = answers;
    answers.add(this);
    res.once("close", () => this.#closed());
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  get deadlineMs(): number {
    return this.#request.deadlineMs;
  }

  get chunkBytes(): number {
    return this.#answers.shareBytes / 2;
  }

  /** The whole body, and nothing else. */
  end(body: Uint8Array): void {
    this.#queue(body.length);
    this.#res.end(body);
  }

  write(chunk: Uint8Array, onTaken?: () => void): boolean {
    const res = this.#res;
    if (isGone(res)) return false;
    this.#queue(chunk.length);
    const sent = (error?: Error | null) => {
      if (!error) onTaken?.();
      this.#handedOver(Math.min(this.queuedBytes, chunk.length));
      if (this.#waiting.length > 0 && this.#hasRoom()) this.wake();
    };
    const socket = framesChunks(res) ? res.socket : null;
    if (socket === null) res.write(chunk, sent);
    else if (chunk.length > MAX_FRAMED_BYTES) writeInFrame(socket, chunk, sent);
    else socket.write(onTaken === undefined ? framedOnce(chunk) : framed(chunk), sent);
    return this.#hasRoom();
  }

  drained(): Promise<void> {
    if (isGone(this.#res)) return aborted(this.signal);
    if (this.#hasRoom()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  cut(): void {
    this.#res.destroy(new Error(TOO_SLOW));
  }

  #closed(): void {
    this.#answers.forget(this);
    this.#handedOver(this.queuedBytes);
    this.wake();
  }

  /** One that has nothing queued may always go on: nobody would wake it. */
  #hasRoom(): boolean {
    return this.queuedBytes === 0 || this.queuedBytes < this.#answers.shareBytes;
  }

  #queue(bytes: number): void {
    this.queuedBytes += bytes;
    this.#answers.queued(bytes);
  }

  #handedOver(bytes: number): void {
    this.queuedBytes -= bytes;
    this.progress += bytes;
    this.#answers.queued(-bytes);
  }

  /** Those who wait look again whether there is room. */
  wake(): void {
    const woken = this.#waiting;
    this.#waiting = [];
    for (const resolve of woken) resolve();
  }
}

/** Very many clients may go at once, and are told of one after the other: nobody goes on before he can see it. */
function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Whether pieces go out as chunks of HTTP/1.1. The answers of HTTP/2 have no such word. */
const framesChunks = (res: ServerResponse): boolean => res.chunkedEncoding === true;

let lastChunk: Uint8Array | undefined;
let lastFrame: Uint8Array | undefined;

/** An event goes to one watcher after the other: it is framed once for all of them. */
function framedOnce(chunk: Uint8Array): Uint8Array {
  if (chunk !== lastChunk || lastFrame === undefined) {
    lastChunk = chunk;
    lastFrame = framed(chunk);
  }
  return lastFrame;
}

/** Not through the answer: newer versions of Node hold back what it is given, and what goes to the socket would be first. */
function writeInFrame(socket: Socket, chunk: Uint8Array, sent: (error?: Error | null) => void): void {
  socket.cork();
  socket.write(frameHead(chunk));
  socket.write(chunk);
  socket.write(CHUNK_END, sent);
  socket.uncork();
}

/** A chunk of HTTP/1.1 in one piece. */
const framed = (chunk: Uint8Array): Uint8Array => Buffer.concat([frameHead(chunk), chunk, CHUNK_END]);

const frameHead = (chunk: Uint8Array): Uint8Array => Buffer.from(`${chunk.length.toString(16)}\r\n`);

const CHUNK_END = Buffer.from("\r\n");

const bodyless = (status: number): boolean => status === 204 || status === 304;
