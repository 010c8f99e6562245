// A WebSocket as the writer of a stream: every chunk is one message.

import { nextWorkTurn, turnIsOver } from "../base/work-turns.ts";
import { problemAnswer } from "./broken-request.ts";
import type { BodyWriter, ReceivedRequest, Response, Sending, StreamBody } from "./message.ts";
import { handshakeProblem, ServedWebSocket } from "./served-websocket.ts";

const NORMAL = 1000;
const HIGH_WATER_BYTES = 256 * 1024;

/** Whether the request asks for a WebSocket. */
export function wantsWebSocket(request: ReceivedRequest): boolean {
  return request.upgrade !== undefined && request.headers.first("upgrade")?.toLowerCase() === "websocket";
}

export interface WebSocketFrames {
  readonly binary: boolean;
  /** So many bytes of every chunk are not sent. */
  readonly skippedBytes: number;
  /** Text in base64, for clients that cannot read bytes. */
  readonly base64?: boolean;
}

/** The sub-protocols that the client offers, the best first. */
export function offeredProtocols(request: ReceivedRequest): string[] {
  // Not from what the client sent: that may hold more than the request has kept, its token.
  const offered = request.headers.first("sec-websocket-protocol")?.split(",") ?? [];
  return offered.map((protocol) => protocol.trim()).filter((protocol) => protocol !== "");
}

/** Takes the connection over and streams into it; closes it when the stream has ended. What the client says is of no use. */
export function streamToWebSocket(
  request: ReceivedRequest,
  body: StreamBody,
  frames: WebSocketFrames,
  protocol = offeredProtocols(request)[0],
): Response {
  return acceptWebSocket(request, protocol, (connection) => {
    const writer = new WebSocketWriter(request, connection, frames);
    const forget = request.upgrade!.watchOver?.(writer);
    if (forget !== undefined) connection.closed.addEventListener("abort", forget, { once: true });
    body.stream(writer).then(
      async () => {
        // Very many may end at once.
        if (turnIsOver()) await nextWorkTurn();
        connection.close(NORMAL);
      },
      (error: Error) => connection.terminate(error),
    );
  });
}

/**
 * Takes over the connection of a request that asks for it, unless it asks in a wrong way. `protocol`: what both ends are to
 * speak; absent: nothing is said about it.
 */
export function acceptWebSocket(
  request: ReceivedRequest,
  protocol: string | undefined,
  then: (connection: ServedWebSocket) => void,
): Response {
  const problem = handshakeProblem(request);
  if (problem !== undefined) return problemAnswer({ status: 400, message: problem });
  then(new ServedWebSocket(request, protocol));
  return { status: 101, headers: {}, hijacked: true };
}

class WebSocketWriter implements BodyWriter, Sending {
  readonly framed = true;
  readonly chunkBytes = HIGH_WATER_BYTES / 2;
  readonly deadlineMs = Number.POSITIVE_INFINITY;
  readonly #connection: ServedWebSocket;
  readonly #frames: WebSocketFrames;
  readonly #gone = new AbortController();
  #waiting: (() => void)[] = [];
  progress = 0;

  constructor(request: ReceivedRequest, connection: ServedWebSocket, frames: WebSocketFrames) {
    this.#connection = connection;
    this.#frames = frames;
    const end = () => this.#gone.abort();
    connection.closed.addEventListener("abort", end, { once: true });
    request.signal.addEventListener("abort", end, { once: true });
    this.#gone.signal.addEventListener("abort", () => this.#wake(), { once: true });
  }

  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  get queuedBytes(): number {
    return this.#connection.queuedBytes;
  }

  write(chunk: Uint8Array): boolean {
    const { binary, skippedBytes, base64 = false } = this.#frames;
    const message = base64 ? Buffer.from(chunk).toString("base64") : chunk.subarray(skippedBytes);
    this.#connection.send(message, { binary }, () => {
      this.progress += 1;
      if (this.#hasRoom()) this.#wake();
    });
    return this.#hasRoom();
  }

  drained(): Promise<void> {
    if (this.#hasRoom() || this.#gone.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  cut(): void {
    this.#connection.terminate();
  }

  #hasRoom(): boolean {
    return this.queuedBytes < HIGH_WATER_BYTES;
  }

  #wake(): void {
    const woken = this.#waiting;
    this.#waiting = [];
    for (const resolve of woken) resolve();
  }
}
