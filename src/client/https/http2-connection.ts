// Many requests on one HTTP/2 connection, which is asked for a sign of life while it is in use: a watch on a dead connection
// must not wait for ever.

import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import type { Socket } from "node:net";
import type { Clock, Timer } from "../../base/clock.ts";
import { afterThisTurn } from "../../base/next-turn.ts";
import { ExchangeFailed, headerMap, type IncomingAnswer, type OutgoingRequest } from "./exchange.ts";

interface Http2Options {
  readonly authority: string;
  readonly pingIntervalMs: number;
  readonly clock: Clock;
}

/** Servers name their own limit; more than this is spread over several connections. */
const MAX_STREAMS = 250;
/** A body is handed over in such pieces, as fast as the server takes them: a session has little memory of its own. */
const PIECE_BYTES = 128 * 1024;
/** What may be under way to us: of one answer, and of all on a connection. */
const STREAM_WINDOW_BYTES = 1024 * 1024;
const CONNECTION_WINDOW_BYTES = 8 * 1024 * 1024;
/** An idle connection is given up after so many looks at it. */
const MAX_IDLE_LOOKS = 7;
/** When a connection is given up, what runs on it has so long to end. */
const GRACE_MS = 30_000;

export class Http2Connection {
  readonly #session: ClientHttp2Session;
  readonly #authority: string;
  readonly #clock: Clock;
  readonly #heartbeat: Timer;
  #active = 0;
  #idleLooks = 0;
  #pingPending = false;

  constructor(socket: Socket, { authority, pingIntervalMs, clock }: Http2Options) {
    this.#clock = clock;
    this.#authority = authority;
    this.#session = connect(`https://${authority}`, {
      createConnection: () => socket,
      settings: { initialWindowSize: STREAM_WINDOW_BYTES, enablePush: false },
    });
    // What a lost session means is told to each of its streams.
    this.#session.on("error", () => undefined);
    // It is told of its connection in a later turn, and may have been ended before.
    this.#session.once("connect", () => {
      if (!this.ended) this.#session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
    });
    this.#heartbeat = clock.every(pingIntervalMs, () => this.#look());
    this.#session.once("close", () => this.#heartbeat.cancel());
    this.#session.unref();
  }

  /** Takes another request. */
  get usable(): boolean {
    const { closed, destroyed, remoteSettings } = this.#session;
    const allowed = remoteSettings?.maxConcurrentStreams ?? MAX_STREAMS;
    // A server that takes none for a while takes none on another connection either: a request waits here until it does.
    return !closed && !destroyed && this.#active < Math.min(Math.max(allowed, 1), MAX_STREAMS);
  }

  get ended(): boolean {
    return this.#session.closed || this.#session.destroyed;
  }

  /** Fails with ExchangeFailed. */
  send({ method, path, headers, body }: OutgoingRequest, signal: AbortSignal): Promise<IncomingAnswer> {
    return new Promise((resolve, reject) => {
      let stream: ClientHttp2Stream;
      try {
        const all = { ...headers, ":method": method, ":path": path, ":authority": this.#authority };
        stream = this.#session.request(all as Record<string, string>, { endStream: body === undefined });
      } catch (error) {
        // The session has just ended: nothing has left.
        reject(new ExchangeFailed((error as Error).message, true, error));
        return;
      }
      this.#begin(stream, signal);
      let answered = false;
      const fail = (error?: Error): void => {
        // Every stream closes: an error that nobody gets would still cost its stack.
        if (answered) return;
        const unsent = stream.id === undefined || stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
        reject(new ExchangeFailed(error?.message ?? "the connection was lost", unsent, error));
      };
      stream.on("error", fail);
      stream.once("close", () => fail());
      stream.once("response", (head) => {
        answered = true;
        resolve({
          status: head[":status"] ?? 0,
          headers: headerMap(head as Record<string, string>),
          body: stream,
          pinged: true,
          whole: () => !stream.aborted && stream.rstCode === constants.NGHTTP2_NO_ERROR,
        });
      });
      if (body !== undefined) void writeBody(stream, body);
    });
  }

  /** No further requests; those under way have a while to end. */
  retire(): void {
    this.#session.close();
    this.#clock.setTimer(GRACE_MS, () => this.destroy());
  }

  destroy(): void {
    this.#session.destroy();
  }

  #begin(stream: ClientHttp2Stream, signal: AbortSignal): void {
    if (this.#active === 0) this.#session.ref();
    this.#active += 1;
    this.#idleLooks = 0;
    const onAbort = (): void => {
      stream.close(constants.NGHTTP2_CANCEL);
      // Closing alone waits until the body has been sent, which may be never.
      stream.destroy();
    };
    signal.addEventListener("abort", onAbort, { once: true });
    stream.once("close", () => {
      signal.removeEventListener("abort", onAbort);
      this.#active -= 1;
      if (this.#active === 0) this.#session.unref();
    });
  }

  #look(): void {
    if (this.#active === 0) {
      this.#idleLooks += 1;
      if (this.#idleLooks >= MAX_IDLE_LOOKS) this.#session.close();
      return;
    }
    if (this.#pingPending) {
      // When it was we who were busy, the answer may lie in the socket: it is read before this is looked at.
      afterThisTurn(() => {
        if (this.#pingPending) this.#session.destroy(new Error("the connection is dead: no answer to a ping"));
      });
      return;
    }
    this.#pingPending = true;
    const sent = this.#session.ping(() => {
      this.#pingPending = false;
    });
    if (!sent) this.#pingPending = false;
  }
}

/** Ends early when the stream does: the server may have answered without listening to all of it. */
async function writeBody(stream: ClientHttp2Stream, body: Uint8Array): Promise<void> {
  for (let at = 0; at < body.length && !stream.destroyed; at += PIECE_BYTES) {
    if (stream.write(body.subarray(at, at + PIECE_BYTES))) continue;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        stream.off("drain", go).off("close", go);
        resolve();
      };
      stream.on("drain", go).on("close", go);
    });
  }
  if (!stream.destroyed) stream.end();
}
