// The open connections of a listener and the requests in flight on them, so that it can end gracefully.

import type { ServerHttp2Session } from "node:http2";
import type { TLSSocket } from "node:tls";

export class Connections {
  readonly #sockets = new Set<TLSSocket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  /** To be closed after their next answer. */
  readonly #retired = new WeakSet<object>();
  #inFlight = 0;
  #draining = false;
  #onChange: (() => void) | undefined;

  addSocket(socket: TLSSocket): void {
    this.#sockets.add(socket);
    socket.once("close", () => {
      this.#sockets.delete(socket);
      this.#onChange?.();
    });
  }

  addSession(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    session.once("close", () => this.#sessions.delete(session));
    if (this.#draining) session.close();
  }

  /** Has the connections that are open now end with what they are doing, so that their clients come back on new ones. */
  retire(): void {
    for (const session of this.#sessions) session.close();
    for (const socket of this.#sockets) this.#retired.add(socket);
  }

  /** `connection`: see ReceivedRequest. */
  isRetired(connection: object): boolean {
    return this.#retired.has(connection);
  }

  /** Counts a request as in flight until it is served; `onFailure` hears why it could not be. */
  track(serve: () => void | Promise<void>, onFailure: (error: Error) => void): void {
    this.#inFlight += 1;
    try {
      const served = serve();
      if (served instanceof Promise) served.catch(onFailure).finally(() => this.#ended());
      else this.#ended();
    } catch (error) {
      onFailure(error as Error);
      this.#ended();
    }
  }

  #ended(): void {
    this.#inFlight -= 1;
    if (this.#inFlight === 0) this.#onChange?.();
  }

  /** Lets requests in flight end and their bytes leave within graceMs; then nothing is open any more. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    // Clients of HTTP/2 are told to send their next requests elsewhere.
    for (const session of this.#sessions) session.close();
    const deadlineMs = performance.now() + graceMs;
    await this.#until(() => this.#inFlight === 0, deadlineMs);
    // Answers may still wait for slow readers: the line is cut when they have left. HTTP/2 does so by itself.
    for (const socket of this.#sockets) if (socket.alpnProtocol !== "h2") socket.destroySoon();
    await this.#until(() => this.#sockets.size === 0, deadlineMs);
    for (const socket of this.#sockets) socket.destroy();
  }

  #until(done: () => boolean, deadlineMs: number): Promise<void> {
    if (done()) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#onChange = undefined;
        resolve();
      };
      const timer = setTimeout(finish, Math.max(0, deadlineMs - performance.now()));
      this.#onChange = () => {
        if (done()) finish();
      };
    });
  }
}
