// Requests over HTTP/1.1: one at a time on a connection, connections kept for the next.

import { Agent, request } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { refuseNoAnswer } from "../../http/refuse-no-answer.ts";
import { TransportError } from "../transport.ts";
import { ExchangeFailed, headerMap, type IncomingAnswer, type OutgoingRequest } from "./exchange.ts";

interface Http1Options {
  /** The Host header. */
  readonly authority: string;
  /** Opens another connection. */
  readonly dial: () => Promise<Socket>;
}

/** Connections that wait for the next request. */
const MAX_IDLE_CONNECTIONS = 32;
/** How long one does. */
const IDLE_MS = 90_000;

export class Http1Pool {
  readonly #authority: string;
  readonly #agent: DialingAgent;

  constructor({ authority, dial }: Http1Options) {
    this.#authority = authority;
    this.#agent = new DialingAgent(dial);
  }

  /** A connection that was opened to find out about the protocol. */
  give(socket: Socket): void {
    this.#agent.give(socket);
  }

  /** Fails with ExchangeFailed, or TransportError when no connection could be opened. */
  send({ method, path, headers, body }: OutgoingRequest, signal: AbortSignal): Promise<IncomingAnswer> {
    return new Promise((resolve, reject) => {
      const sent = request({
        agent: this.#agent,
        method,
        path,
        headers: { host: this.#authority, ...(headers as Record<string, string>) },
        // The answer's body ends with the signal too.
        signal,
      });
      sent.on("response", (answer) => {
        resolve({
          status: answer.statusCode ?? 0,
          headers: headerMap(answer.headers),
          body: answer,
          pinged: false,
          whole: () => answer.complete,
        });
      });
      refuseNoAnswer(sent, (error) => reject(new ExchangeFailed(error.message, false, error)));
      sent.on("error", (error) => {
        reject(error instanceof TransportError ? error : new ExchangeFailed(error.message, false, error));
      });
      sent.end(body);
    });
  }

  /** No further requests; connections close as they become idle. */
  retire(): void {
    this.#agent.maxFreeSockets = 0;
    for (const idle of Object.values(this.#agent.freeSockets)) for (const socket of idle ?? []) socket.destroy();
  }

  destroy(): void {
    this.#agent.destroy();
  }
}

class DialingAgent extends Agent {
  readonly #dial: () => Promise<Socket>;
  #given: Socket | undefined;

  constructor(dial: () => Promise<Socket>) {
    super({ keepAlive: true, maxFreeSockets: MAX_IDLE_CONNECTIONS, timeout: IDLE_MS });
    this.#dial = dial;
  }

  give(socket: Socket): void {
    this.#given = socket;
  }

  override createConnection(_options: unknown, callback: (error: Error | null, socket?: Duplex) => void): undefined {
    const given = this.#given;
    this.#given = undefined;
    if (given !== undefined && !given.destroyed) {
      callback(null, given);
      return;
    }
    this.#dial().then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error),
    );
  }
}
