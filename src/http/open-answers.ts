// The answers of a listener that have not left yet: how much they hold together, and until when each must be gone. A client
// that does not read, or reads a byte a minute, is cut off instead of holding memory for ever.

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Sending } from "./message.ts";

/** What one answer may have queued while there is room. Larger pieces stall an HTTP/2 connection. */
const AMPLE_BYTES = 256 * 1024;
/** And when all answers together hold more than `CROWDED_BYTES`: a thousand clients that do not read stay cheap. */
const SCARCE_BYTES = 16 * 1024;
const CROWDED_BYTES = 8 * 1024 * 1024;
/** How long a client may take no byte of what is meant to last. */
const MAX_STALL_MS = 60_000;
/** How long the end of a lasting answer may take to leave. */
export const LINGER_MS = 30_000;

export const TOO_SLOW = "the client took too long to read the answer";

export class OpenAnswers {
  readonly #open = new Set<Sending>();
  /** Of lasting answers that have something queued. */
  readonly #progress = new WeakMap<Sending, Progress>();
  /** Of each connection of HTTP/1.1, which answers one request after the other: what was sent last in one small piece. */
  readonly #last = new Map<Socket, LastAnswer>();
  #queuedBytes = 0;

  /** How much one answer should have queued at most. */
  get shareBytes(): number {
    return this.#queuedBytes < CROWDED_BYTES ? AMPLE_BYTES : SCARCE_BYTES;
  }

  queued(bytes: number): void {
    this.#queuedBytes += bytes;
  }

  /** Looks after an answer until the returned function is called. */
  add(answer: Sending): () => void {
    this.#open.add(answer);
    return () => this.forget(answer);
  }

  forget(answer: Sending): void {
    this.#open.delete(answer);
  }

  /** Looks after an answer that was sent in one small piece: most are, so nothing is made for each of them. */
  sentAtOnce(socket: Socket, response: ServerResponse, deadlineMs: number): void {
    const last = this.#last.get(socket);
    if (last === undefined) {
      this.#last.set(socket, { response, deadlineMs });
      socket.once("close", () => this.#last.delete(socket));
      return;
    }
    last.response = response;
    last.deadlineMs = deadlineMs;
  }

  /** Cuts off what is late at this time of the monotonic clock; to be called every second or so. */
  sweep(nowMs: number): void {
    for (const answer of this.#open) {
      if (nowMs >= answer.deadlineMs || this.#stalledMs(answer, nowMs) >= MAX_STALL_MS) {
        this.#open.delete(answer);
        answer.cut();
      }
    }
    for (const { response, deadlineMs } of this.#last.values()) {
      if (nowMs >= deadlineMs && !response.writableFinished) response.destroy(new Error(TOO_SLOW));
    }
  }

  /** How long the client has taken nothing of what waits for it. Who has a deadline may use the time as it likes. */
  #stalledMs(answer: Sending, nowMs: number): number {
    if (answer.deadlineMs < Number.POSITIVE_INFINITY || answer.queuedBytes === 0) return 0;
    const known = this.#progress.get(answer);
    if (known?.progress === answer.progress) return nowMs - known.sinceMs;
    this.#progress.set(answer, { progress: answer.progress, sinceMs: nowMs });
    return 0;
  }
}

interface LastAnswer {
  response: ServerResponse;
  deadlineMs: number;
}

/** How far an answer was, and since when it has stood there. */
interface Progress {
  readonly progress: number;
  readonly sinceMs: number;
}
