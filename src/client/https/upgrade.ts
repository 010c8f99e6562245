// A request that asks for another protocol on its connection, passed on for somebody else: whatever the protocol is, what
// comes after the answer is theirs.

import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { TransportError, type UpgradeAnswer, type UpgradeRequest } from "../transport.ts";

interface UpgradeOptions extends UpgradeRequest {
  readonly socket: Duplex;
  readonly authority: string;
  readonly signal: AbortSignal;
}

/** Fails with TransportError. */
export function requestUpgrade(options: UpgradeOptions): Promise<UpgradeAnswer> {
  const { socket, authority, method, path, headers, signal } = options;
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      createConnection: () => socket as never,
      method,
      path,
      headers: { ...headers, host: authority } as Record<string, string | string[]>,
      signal,
    });
    const answered = (answer: IncomingMessage, stream: Duplex | IncomingMessage, upgraded: boolean): void => {
      const { statusCode = 0, statusMessage = "", rawHeaders } = answer;
      resolve({ status: statusCode, statusText: statusMessage, rawHeaders, stream, upgraded });
    };
    request.once("upgrade", (answer, connection, head) => {
      connection.unshift(head);
      answered(answer, connection, true);
    });
    request.once("response", (answer) => answered(answer, answer, false));
    request.once("error", (error) => reject(new TransportError("connect", error.message, { cause: error })));
    request.end();
  });
}
