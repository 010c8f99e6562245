// Answers on a bare socket, where there is no response object: requests that cannot be parsed, upgrades that are refused.

import { type OutgoingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { isStreamBody, type Response } from "./message.ts";

/** For a request that is not HTTP, too large or too slow. */
export function answerBrokenRequest(error: Error, socket: Duplex): void {
  const started = (socket as { _httpMessage?: OutgoingMessage })._httpMessage?.headersSent === true;
  if (!socket.writable || started) {
    // In the middle of an answer another one would only add to the damage.
    socket.destroy();
    return;
  }
  const status = STATUS_OF_ERROR.get("code" in error ? String(error.code) : "") ?? 400;
  socket.end(head(status, {}, 0));
}

/** The whole answer to an upgrade request that was not taken over. */
export function refuseUpgrade(socket: Duplex, response: Response): void {
  const body = response.body === undefined || isStreamBody(response.body) ? undefined : response.body;
  socket.write(head(response.status, response.headers, body?.length ?? 0));
  socket.end(body);
}

const STATUS_OF_ERROR: ReadonlyMap<string, number> = new Map([
  ["HPE_HEADER_OVERFLOW", 431],
  ["ERR_HTTP_REQUEST_TIMEOUT", 408],
]);

function head(status: number, headers: Response["headers"], length: number): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === "string" ? [value] : value).map((each) => `${name}: ${each}`),
  );
  const all = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    ...lines,
    `content-length: ${length}`,
    "connection: close",
  ];
  return `${all.join("\r\n")}\r\n\r\n`;
}
