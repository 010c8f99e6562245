// A WebSocket as the writer of a stream: every chunk is one message.

import type { IncomingMessage } from "node:http";
import { WebSocketServer } from "ws";
import type { BodyWriter, ReceivedRequest, StreamBody } from "./message.ts";

/** Messages from the client are of no use here; longer ones end the connection. */
const MAX_MESSAGE_BYTES = 64 * 1024;
const HIGH_WATER_BYTES = 256 * 1024;

/** Whether the request asks for a WebSocket. */
export function wantsWebSocket(request: ReceivedRequest): boolean {
  return request.upgrade !== undefined && request.headers.first("upgrade")?.toLowerCase() === "websocket";
}

/** Takes the connection over and streams into it; closes it when the stream has ended. */
export function streamToWebSocket(request: ReceivedRequest, body: StreamBody, binary: boolean): void {
  const { socket, head, raw } = request.upgrade!;
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  server.handleUpgrade(raw as IncomingMessage, socket, Buffer.from(head), (connection) => {
    const gone = new AbortController();
    const end = () => gone.abort();
    connection.once("close", end);
    connection.once("error", end);
    request.signal.addEventListener("abort", end, { once: true });
    let waiting: (() => void)[] = [];
    const wake = () => {
      const woken = waiting;
      waiting = [];
      for (const resolve of woken) resolve();
    };
    gone.signal.addEventListener("abort", wake, { once: true });
    const writer: BodyWriter = {
      framed: true,
      signal: gone.signal,
      get queuedBytes() {
        return connection.bufferedAmount;
      },
      write(chunk) {
        connection.send(chunk, { binary }, () => {
          if (connection.bufferedAmount < HIGH_WATER_BYTES) wake();
        });
        return connection.bufferedAmount < HIGH_WATER_BYTES;
      },
      drained() {
        if (connection.bufferedAmount < HIGH_WATER_BYTES || gone.signal.aborted) return Promise.resolve();
        return new Promise((resolve) => waiting.push(resolve));
      },
    };
    body.stream(writer).finally(() => connection.close(1000));
  });
}
