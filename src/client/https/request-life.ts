// How long a request lives: until its body has ended, its caller gives up, its head takes too long, or the client closes.

import type { Clock, Timer } from "../../base/clock.ts";
import { TransportError } from "../transport.ts";

export class RequestLife {
  readonly #controller = new AbortController();
  readonly #given: AbortSignal | undefined;
  readonly #onGiven = (): void => this.#controller.abort(this.#given!.reason);
  readonly #clock: Clock;
  #timer: Timer | undefined;
  #deadlineMs = Number.POSITIVE_INFINITY;
  #atEnd: (() => void)[] = [];

  constructor(given: AbortSignal | undefined, clock: Clock) {
    this.#given = given;
    this.#clock = clock;
    if (given?.aborted === true) this.#onGiven();
    else given?.addEventListener("abort", this.#onGiven, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The head of the answer must come within this time from now. The first limit counts. */
  limit(timeoutMs: number): void {
    if (this.#timer !== undefined) return;
    this.#deadlineMs = this.#clock.monotonicMs() + timeoutMs;
    this.#timer = this.#clock.setTimer(timeoutMs, () =>
      this.abort(new TransportError("timeout", `no answer within ${timeoutMs / 1000} seconds`)),
    );
  }

  /** Until the time limit. */
  remainingMs(): number {
    return this.#deadlineMs - this.#clock.monotonicMs();
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** The time limit is over: a body may last. */
  headArrived(): void {
    this.#timer?.cancel();
  }

  /** Called once, when nothing of the request is left. */
  onEnd(callback: () => void): void {
    this.#atEnd.push(callback);
  }

  end(): void {
    this.#timer?.cancel();
    this.#given?.removeEventListener("abort", this.#onGiven);
    const callbacks = this.#atEnd;
    this.#atEnd = [];
    for (const callback of callbacks) callback();
  }
}
