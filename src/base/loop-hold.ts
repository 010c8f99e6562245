// How long a piece of work holds the event loop at a time. It says when it goes on after it has waited for something; its run
// is over when all that could go on at once has done so, or when other work says that it goes on.

/** Its `then` queues a microtask; Node's queueMicrotask makes a resource for each, which takes several times as long. */
const SETTLED = Promise.resolve();

export class LoopWatch {
  readonly #nowMs: () => number;
  #running: LoopHold | undefined;
  #sinceMs = 0;
  #endIsDue = false;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Work that has run since then and is not done, though it waits for something. */
  begin(sinceMs: number): LoopHold {
    const hold = new LoopHold(this);
    this.#run(hold, sinceMs);
    return hold;
  }

  goOn(hold: LoopHold): void {
    this.#run(hold, this.#nowMs());
  }

  /** So far: its longest run, the one that lasts counted in. */
  longestMs(hold: LoopHold): number {
    if (this.#running === hold) hold.ran(this.#nowMs() - this.#sinceMs);
    return hold.longestMs;
  }

  #run(hold: LoopHold, sinceMs: number): void {
    this.#running?.ran(sinceMs - this.#sinceMs);
    this.#running = hold;
    this.#sinceMs = sinceMs;
    if (this.#endIsDue) return;
    this.#endIsDue = true;
    void SETTLED.then(this.#afterMicrotasks);
  }

  // A tick that a microtask asks for comes when no microtask is left, and before anything else has its turn.
  readonly #afterMicrotasks = (): void => process.nextTick(this.#end);

  readonly #end = (): void => {
    this.#endIsDue = false;
    this.#running?.ran(this.#nowMs() - this.#sinceMs);
    this.#running = undefined;
  };
}

/** One piece of work. */
export class LoopHold {
  readonly #watch: LoopWatch;
  longestMs = 0;

  constructor(watch: LoopWatch) {
    this.#watch = watch;
  }

  /** To be called first thing after a wait. */
  goOn(): void {
    this.#watch.goOn(this);
  }

  ran(ms: number): void {
    if (ms > this.longestMs) this.longestMs = ms;
  }
}
