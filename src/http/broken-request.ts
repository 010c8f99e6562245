// Answers to requests that nobody else can answer: those that cannot be parsed, and those whose head has a problem.

import { type OutgoingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Response } from "./message.ts";
import type { HeadProblem } from "./request-target.ts";

/** For a request that is not HTTP, too large or too slow; its connection is to be ended. False where it is cut off instead. */
export function answerBrokenRequest(error: Error, socket: Duplex): boolean {
  const started = (socket as { _httpMessage?: OutgoingMessage })._httpMessage?.headersSent === true;
  if (!socket.writable || started) {
    // In the middle of an answer another one would only add to the damage.
    socket.destroy();
    return false;
  }
  const status = STATUS_OF_ERROR.get("code" in error ? String(error.code) : "") ?? 400;
  socket.write(head(status));
  return true;
}

/** Told by the error of a handshake: its client speaks HTTP without TLS. */
export const isPlainRequest = (error: Error): boolean => "code" in error && error.code === "ERR_SSL_HTTP_REQUEST";

/** On the connection below TLS, in the words of upstream, which people look for. */
export const answerPlainRequest = (socket: Duplex): void =>
  void socket.end("HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n");

/** The connection is of no more use: what comes next on it may be a part of the request. */
export function problemAnswer({ status, message }: HeadProblem): Response {
  return {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", connection: "close" },
    body: Buffer.from(message),
  };
}

const STATUS_OF_ERROR: ReadonlyMap<string, number> = new Map([
  ["HPE_HEADER_OVERFLOW", 431],
  ["ERR_HTTP_REQUEST_TIMEOUT", 408],
]);

const head = (status: number): string =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`;
