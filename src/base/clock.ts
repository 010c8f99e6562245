// Time as a dependency, so that rules and tests never read the machine's clock nor wait for it. Nothing else in the sources
// starts timers (test/house/timers.test.ts).

export interface Clock {
  /** Milliseconds since the epoch. May jump when the machine's clock is set. */
  nowMs(): number;
  /** Milliseconds since some moment; never jumps. For durations and deadlines within the process. */
  monotonicMs(): number;
  /** Runs `run` once after `ms`, which may be any length. Does not keep the process alive. */
  setTimer(ms: number, run: () => void): Timer;
  /** Runs `run` after every `ms`. Does not keep the process alive. */
  every(ms: number, run: () => void): Timer;
  /** Waits, and keeps the process alive meanwhile. Rejects with the signal's reason once that is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** A signal that is aborted after `ms` with a `TimeoutError`. Does not keep the process alive. */
  timeoutSignal(ms: number): AbortSignal;
}

export interface Timer {
  /** Nothing runs any more afterwards; may be called any number of times. */
  cancel(): void;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  // The same clock as performance.now(), which loads what costs every start milliseconds.
  monotonicMs() {
    const [seconds, nanos] = process.hrtime();
    return seconds * 1000 + nanos / 1_000_000;
  },
  setTimer: (ms, run) => startTimer(ms, run, false),
  every(ms, run) {
    const timer = setInterval(run, Math.min(ms, MAX_NODE_TIMER_MS)).unref();
    return { cancel: () => clearInterval(timer) };
  },
  sleep: (ms, signal) => sleepWith((run) => startTimer(ms, run, true), signal),
  timeoutSignal: (ms) => AbortSignal.timeout(Math.min(ms, MAX_NODE_TIMER_MS)),
};

/** Node fires timers that are set for longer at once. */
const MAX_NODE_TIMER_MS = 2 ** 31 - 1;

function startTimer(ms: number, run: () => void, keepsProcess: boolean): Timer {
  let timer: NodeJS.Timeout;
  const wait = (leftMs: number): void => {
    const stepMs = Math.min(leftMs, MAX_NODE_TIMER_MS);
    timer = setTimeout(() => (stepMs < leftMs ? wait(leftMs - stepMs) : run()), stepMs);
    if (!keepsProcess) timer.unref();
  };
  wait(ms);
  return { cancel: () => clearTimeout(timer) };
}

/** The sleep of a clock that has this timer. */
export function sleepWith(start: (run: () => void) => Timer, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = start(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/** A clock that moves only when told to, and takes everything that waits along. */
export class FakeClock implements Clock {
  #nowMs: number;
  #nextId = 0;
  readonly #startMs: number;
  /** By how much the time of day was set forward. */
  #setByMs = 0;
  /** What is due first stands last. */
  readonly #waiting: WaitingTimer[] = [];

  constructor(startMs = Date.parse("2030-01-01T00:00:00Z")) {
    this.#nowMs = startMs;
    this.#startMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs + this.#setByMs;
  }

  monotonicMs(): number {
    return this.#nowMs - this.#startMs;
  }

  setTimer(ms: number, run: () => void): Timer {
    // Whole, and never too early: a fraction may be lost in the sum, and who waits for what is left would wait for ever.
    return this.#add({ dueMs: this.#nowMs + Math.ceil(Math.max(0, ms)), id: this.#nextId++, run });
  }

  every(ms: number, run: () => void): Timer {
    // As Node does: an interval of 0 is one of 1.
    const everyMs = Math.max(1, ms);
    return this.#add({ dueMs: this.#nowMs + everyMs, id: this.#nextId++, run, everyMs });
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepWith((run) => this.setTimer(ms, run), signal);
  }

  timeoutSignal(ms: number): AbortSignal {
    const controller = new AbortController();
    this.setTimer(ms, () => controller.abort(new DOMException("The operation timed out", "TimeoutError")));
    return controller.signal;
  }

  /** Somebody sets the time of day, forward or back: no time passes, and nothing is due. */
  setTimeOfDay(byMs: number): void {
    this.#setByMs += byMs;
  }

  /** How many timers, intervals, sleepers and time-outs wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Moves the time on. What is due on the way runs in the order of its time, each at its own time, and everything that
   * follows from it in the same turn of the event loop comes before the next. Without anything due, the time has moved
   * when the call returns.
   */
  async advance(ms: number): Promise<void> {
    const targetMs = this.#nowMs + ms;
    for (let due = this.#next(targetMs); due !== undefined; due = this.#next(targetMs)) {
      this.#nowMs = Math.max(this.#nowMs, due.dueMs);
      this.#waiting.pop();
      if (due.everyMs !== undefined) {
        due.dueMs += due.everyMs;
        this.#add(due);
      }
      due.run();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#nowMs = Math.max(this.#nowMs, targetMs);
  }

  #add(timer: WaitingTimer): Timer {
    this.#waiting.splice(this.#placeOf(timer), 0, timer);
    return {
      cancel: () => {
        const place = this.#placeOf(timer);
        if (this.#waiting[place] === timer) this.#waiting.splice(place, 1);
      },
    };
  }

  /** Where it stands, or would stand. */
  #placeOf({ dueMs, id }: WaitingTimer): number {
    let [low, high] = [0, this.#waiting.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#waiting[middle]!;
      if (other.dueMs > dueMs || (other.dueMs === dueMs && other.id > id)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #next(untilMs: number): WaitingTimer | undefined {
    const next = this.#waiting.at(-1);
    return next !== undefined && next.dueMs <= untilMs ? next : undefined;
  }
}

interface WaitingTimer {
  dueMs: number;
  readonly id: number;
  readonly run: () => void;
  readonly everyMs?: number;
}
