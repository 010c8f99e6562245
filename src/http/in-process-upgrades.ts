// Connections to a handler in the same process that it may take over (WebSockets, tunnels): two streams back to back that
// speak HTTP, so that whoever takes one over finds what there is on a socket.

import { createServer, type IncomingMessage, type Server } from "node:http";
import { Duplex } from "node:stream";
import { systemClock } from "../base/clock.ts";
import { dropBody } from "./drop-body.ts";
import { inProcessRequest } from "./in-process.ts";
import type { ReceivedRequest } from "./message.ts";
import { answerOnSocket, writeResponse } from "./node-response.ts";
import { OpenAnswers } from "./open-answers.ts";
import type { Handler } from "./pipeline.ts";

export class InProcessUpgrades {
  readonly #handler: Handler<ReceivedRequest>;
  readonly #connection: object;
  /** Reads requests off connections; never listens. */
  readonly #server: Server;

  /** `connection`: what all requests come over, as far as the handler knows. */
  constructor(handler: Handler<ReceivedRequest>, connection: object) {
    this.#handler = handler;
    this.#connection = connection;
    this.#server = createServer();
    this.#server.on("upgrade", (raw: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#serve(raw, socket, head).catch((error: Error) => void socket.destroy(error));
    });
  }

  /** The client's end of a new connection. */
  dial(): Duplex {
    const near = new End();
    const far = new End();
    near.other = far;
    far.other = near;
    this.#server.emit("connection", far);
    return near;
  }

  async #serve(raw: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const gone = new AbortController();
    socket.once("close", () => gone.abort());
    // Whoever takes the connection over hears of it by its end.
    socket.on("error", () => undefined);
    const request = inProcessRequest({
      method: raw.method!,
      url: raw.url!,
      headers: raw.headersDistinct as Record<string, string[]>,
      controller: gone,
      connection: this.#connection,
      upgrade: { socket, head, raw },
    });
    const response = await this.#handler(request);
    if (response.hijacked === true) return;
    if (socket.destroyed) return dropBody(response);
    const parts = { request, answers: new OpenAnswers(), clock: systemClock };
    await writeResponse(answerOnSocket(raw, socket), response, parts);
  }
}

/** One end of a connection: what is written here is read at the other end, as fast as it is taken there. */
class End extends Duplex {
  other!: End;
  #taken: (() => void) | undefined;

  override _read(): void {
    const taken = this.other.#taken;
    this.other.#taken = undefined;
    taken?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    if (this.other.push(chunk)) callback();
    else this.#taken = callback;
  }

  override _final(callback: () => void): void {
    this.other.push(null);
    callback();
  }

  /** Neither end outlives the other, as with a socket; an end in good order has been read before. */
  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    callback(error);
    const { other } = this;
    if (other.destroyed) return;
    if (this.writableFinished) other.once("end", () => other.destroy());
    else other.destroy();
  }
}
