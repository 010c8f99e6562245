// The open connections of a listener and the requests in flight on them, so that it can end gracefully.

import type { ServerHttp2Session } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { Clock } from "../base/clock.ts";

/** What a session of HTTP/2 carries. */
interface SessionUse {
  streams: number;
  /** On the monotonic clock; only of use while there are no streams. */
  idleSinceMs: number;
}

export class Connections {
  readonly #sockets = new Set<TLSSocket>();
  readonly #sessions = new Map<ServerHttp2Session, SessionUse>();
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

  /** `clock`: when a session became idle. */
  addSession(session: ServerHttp2Session, clock: Pick<Clock, "monotonicMs">): Readonly<SessionUse> {
    const use: SessionUse = { streams: 0, idleSinceMs: clock.monotonicMs() };
    this.#sessions.set(session, use);
    session.on("stream", (stream) => {
      use.streams += 1;
      stream.once("close", () => {
        use.streams -= 1;
        use.idleSinceMs = clock.monotonicMs();
      });
    });
    session.once("close", () => this.#sessions.delete(session));
    if (this.#draining) session.close();
    return use;
  }

  /** Has the connections that are open now end with what they are doing, so that their clients come back on new ones. */
  retire(): void {
    for (const session of this.#sessions.keys()) session.close();
    for (const socket of this.#sockets) this.#retired.add(socket);
  }

  /** `connection`: see ReceivedRequest. */
  isRetired(connection: object): boolean {
    return this.#retired.has(connection);
  }

  /**
   * Ends the sessions of HTTP/2 that have carried no request since then, whatever bytes they drip meanwhile: half a header
   * block, pings. Of HTTP/1.1 node takes care itself.
   */
  endIdleSessions(sinceMs: number): void {
    for (const [session, { streams, idleSinceMs }] of this.#sessions) {
      if (streams > 0 || idleSinceMs > sinceMs) continue;
      // One that cannot even be told is cut off when it is looked at again.
      if (session.closed) session.destroy();
      else session.close();
    }
  }

  /** Counts a request as in flight until this is settled, which never fails. Those answered at once never are. */
  track(served: Promise<void>): void {
    this.#inFlight += 1;
    void served.then(() => this.#ended());
  }

  #ended(): void {
    this.#inFlight -= 1;
    if (this.#inFlight === 0) this.#onChange?.();
  }

  /** Lets requests in flight end and their bytes leave within graceMs; then nothing is open any more. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    // Clients of HTTP/2 are told to send their next requests elsewhere.
    for (const session of this.#sessions.keys()) session.close();
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
