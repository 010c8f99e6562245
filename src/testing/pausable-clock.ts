// The machine's clock for a control plane that may stand aside for a while: meanwhile none of its timers runs, and none
// keeps the process alive.

import { type Clock, FakeClock, sleepWith, systemClock, type Timer } from "../base/clock.ts";

interface Waiting {
  leftMs: number;
  /** Of the machine's timer, while one runs. */
  startedMs: number;
  timer: Timer | undefined;
  readonly keepsProcess: boolean;
  readonly run: () => void;
}

export class PausableClock implements Clock {
  #machine: Clock;
  readonly #waiting = new Set<Waiting>();
  #pausedSinceMs: number | undefined;
  #pausedMs = 0;

  constructor(machine = systemClock) {
    this.#machine = machine;
  }

  /** The time of day goes on. */
  nowMs(): number {
    return this.#machine.nowMs();
  }

  /** Stands still during a pause: nobody was late for anything then. */
  monotonicMs(): number {
    return (this.#pausedSinceMs ?? this.#machine.monotonicMs()) - this.#pausedMs;
  }

  setTimer(ms: number, run: () => void): Timer {
    return this.#add(ms, run, false);
  }

  every(ms: number, run: () => void): Timer {
    let timer: Timer;
    const again = (): void => {
      timer = this.setTimer(ms, again);
      run();
    };
    timer = this.setTimer(ms, again);
    return { cancel: () => timer.cancel() };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepWith((run) => this.#add(ms, run, true), signal);
  }

  timeoutSignal(ms: number): AbortSignal {
    const controller = new AbortController();
    this.setTimer(ms, () => controller.abort(new DOMException("The operation timed out", "TimeoutError")));
    return controller.signal;
  }

  pause(): void {
    if (this.#pausedSinceMs !== undefined) return;
    this.#pausedSinceMs = this.#machine.monotonicMs();
    for (const waiting of this.#waiting) {
      waiting.timer?.cancel();
      waiting.timer = undefined;
      waiting.leftMs = Math.max(0, waiting.leftMs - (this.#pausedSinceMs - waiting.startedMs));
    }
  }

  /** Everything goes on as if no time had passed, by this clock from now on; the time of day may be another one. */
  resume(machine = this.#machine): void {
    if (this.#pausedSinceMs === undefined) return;
    this.#machine = machine;
    this.#pausedMs += machine.monotonicMs() - this.#pausedSinceMs;
    this.#pausedSinceMs = undefined;
    for (const waiting of this.#waiting) this.#begin(waiting);
  }

  #add(ms: number, run: () => void, keepsProcess: boolean): Timer {
    const waiting: Waiting = { leftMs: Math.max(0, ms), startedMs: 0, timer: undefined, keepsProcess, run };
    this.#waiting.add(waiting);
    if (this.#pausedSinceMs === undefined) this.#begin(waiting);
    return {
      cancel: () => {
        this.#waiting.delete(waiting);
        waiting.timer?.cancel();
      },
    };
  }

  #begin(waiting: Waiting): void {
    waiting.startedMs = this.#machine.monotonicMs();
    const run = (): void => {
      this.#waiting.delete(waiting);
      waiting.run();
    };
    // Who waits for a test to move the time keeps no process alive.
    waiting.timer =
      waiting.keepsProcess && !(this.#machine instanceof FakeClock)
        ? this.#keepingTimer(waiting.leftMs, run)
        : this.#machine.setTimer(waiting.leftMs, run);
  }

  /** Keeps the process alive, as a sleeper does. */
  #keepingTimer(ms: number, run: () => void): Timer {
    const stop = new AbortController();
    this.#machine.sleep(ms, stop.signal).then(run, () => undefined);
    return { cancel: () => stop.abort() };
  }
}
