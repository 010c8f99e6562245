// A request that asks for another protocol on its connection, passed on for somebody else: whatever the protocol is, what
// comes after the answer is theirs.

import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { TransportError } from "../transport.ts";

export interface UpgradeRequest {
  readonly method: string;
  /** Absolute, with its query. */
  readonly path: string;
  /** With Connection and Upgrade; without credentials and host, which are the transport's own. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly signal?: AbortSignal;
}

/** The answer, and the connection behind it: of one that refuses, what follows is its body. */
export interface UpgradeAnswer {
  readonly status: number;
  readonly statusText: string;
  /** Names and values in turns, as they came. */
  readonly rawHeaders: readonly string[];
  readonly stream: Duplex | IncomingMessage;
  readonly upgraded: boolean;
}

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
