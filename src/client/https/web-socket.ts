// WebSockets to the server: exec, attach, port-forward. Over TLS, or over streams inside one process.

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { createWebSocketStream, WebSocket } from "ws";
import { pingAnswerer } from "../../http/answer-pings.ts";
import { readApiError } from "../api-error.ts";
import { type ApiSocket, TransportError } from "../transport.ts";
import { AnswerBody } from "./answer-body.ts";
import { headerMap } from "./exchange.ts";

interface WebSocketOptions {
  readonly server: URL;
  readonly path: string;
  readonly protocols: readonly string[];
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly dial: () => Promise<Duplex>;
  /** Ends the socket at any time. */
  readonly signal: AbortSignal;
  readonly onClose: () => void;
}

/** Longer messages end the connection. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
/** A refusal is a Status. */
const MAX_REFUSAL_BYTES = 1024 * 1024;

/** Fails with ApiError when the server refuses, else with TransportError. */
export function openWebSocket(options: WebSocketOptions): Promise<ApiSocket> {
  const { server, path, protocols, headers, dial, signal, onClose } = options;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const connection = new WebSocket(new URL(path, server), [...protocols], {
      headers: headers as Record<string, string>,
      perMessageDeflate: false,
      autoPong: false,
      maxPayload: MAX_MESSAGE_BYTES,
      createConnection: ((_options: unknown, callback: (error: Error | null, socket?: Duplex) => void) => {
        dial().then(
          (socket) => callback(null, socket),
          (error: Error) => callback(error),
        );
      }) as never,
    });
    connection.on(
      "ping",
      pingAnswerer((ping, sent) => connection.pong(ping, undefined, () => sent())),
    );
    const onAbort = (): void => connection.terminate();
    signal.addEventListener("abort", onAbort, { once: true });
    connection.once("close", () => {
      signal.removeEventListener("abort", onAbort);
      onClose();
    });
    connection.on("error", (error) => {
      const known = error instanceof TransportError;
      reject(known ? error : new TransportError("connect", error.message, { cause: error }));
    });
    connection.once("unexpected-response", (_request, answer: IncomingMessage) => {
      refusal(path, answer, signal).then(reject, reject);
    });
    connection.once("open", () => resolve(apiSocket(connection, signal)));
  });
}

function refusal(path: string, answer: IncomingMessage, signal: AbortSignal): Promise<Error> {
  const headers = headerMap(answer.headers);
  const whole = (): boolean => answer.complete;
  const body = new AnswerBody(
    { status: answer.statusCode ?? 0, headers, body: answer, pinged: false, whole },
    { maxBytes: MAX_REFUSAL_BYTES, signal, onStream: () => undefined },
  );
  return readApiError(
    { method: "GET", path },
    { status: answer.statusCode ?? 0, headers, warnings: [], bytes: () => body.bytes(), stream: () => body.stream() },
  );
}

function apiSocket(connection: WebSocket, signal: AbortSignal): ApiSocket {
  let closedWith: number | undefined;
  let last = Promise.resolve();
  connection.once("close", (code) => {
    closedWith = code;
  });
  // Made at once, so that messages that come before anybody reads are kept, and the server is slowed down by slow readers.
  const incoming = createWebSocketStream(connection, { readableObjectMode: true });
  incoming.on("error", () => undefined);
  return {
    protocol: connection.protocol,
    send(data) {
      last = new Promise((resolve) => connection.send(data, () => resolve()));
    },
    flushed: () => last,
    async *messages() {
      try {
        for await (const message of incoming as AsyncIterable<Buffer>) yield message;
      } catch (error) {
        signal.throwIfAborted();
        throw new TransportError("lost", (error as Error).message, { cause: error });
      }
      signal.throwIfAborted();
      if (closedWith === ABNORMAL) throw new TransportError("lost", "the connection ended without being closed");
    },
    close: (code) => connection.close(code),
  };
}

/** What an end without a close message counts as. */
const ABNORMAL = 1006;
