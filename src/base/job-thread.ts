// A thread for work that takes long and cannot stop in the middle: it does one job after the other, and is there only while
// there are some.

import { type TransferListItem, Worker } from "node:worker_threads";
import type { Clock, Timer } from "./clock.ts";

/** A thread that has had nothing to do for so long ends. */
const MAX_IDLE_MS = 10_000;
/** Many times what the longest job takes on a slow machine. */
const MAX_JOB_MS = 60_000;
/** Jobs that wait for their turn. */
const MAX_WAITING = 1_000;
/** A job that needs more ends its thread, and nothing else. */
const MAX_HEAP_MIB = 512;

interface JobThreadDeps {
  /** The text of a program that answers each message of its parent with one message. */
  readonly program: string;
  readonly clock: Clock;
  readonly maxHeapMib?: number;
}

type ThreadProblem = "busy" | "closed" | "crash" | "memory" | "time";

/** The thread could not do a job. The next one has a new thread. */
export class ThreadError extends Error {
  readonly problem: ThreadProblem;

  constructor(problem: ThreadProblem, cause?: unknown) {
    super(`a thread could not do its work: ${problem}`, { cause });
    this.name = "ThreadError";
    this.problem = problem;
  }
}

interface Job {
  readonly message: unknown;
  readonly transferred: readonly TransferListItem[];
  readonly done: (answer: unknown) => void;
  readonly failed: (error: ThreadError) => void;
}

export class JobThread {
  readonly #deps: JobThreadDeps;
  readonly #waiting: Job[] = [];
  #current: Job | undefined;
  #worker: Worker | undefined;
  /** Until a job has taken too long, or the thread has been idle for too long. */
  #timer: Timer | undefined;
  #closed = false;

  constructor(deps: JobThreadDeps) {
    this.#deps = deps;
  }

  /** The program's answer to the message. What is transferred is the thread's from then on. Fails with ThreadError. */
  run(message: unknown, transferred: readonly TransferListItem[] = []): Promise<unknown> {
    if (this.#closed) return Promise.reject(new ThreadError("closed"));
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(new ThreadError("busy"));
    return new Promise((done, failed) => {
      this.#waiting.push({ message, transferred, done, failed });
      if (this.#current === undefined) this.#next();
    });
  }

  /** Ends the thread at once. What it was doing, and what waits, fails. */
  close(): void {
    this.#closed = true;
    const left = this.#waiting.splice(0);
    this.#fail(new ThreadError("closed"));
    for (const { failed } of left) failed(new ThreadError("closed"));
  }

  #next(): void {
    this.#timer?.cancel();
    this.#current = this.#waiting.shift();
    if (this.#current === undefined) {
      // An idle thread keeps no process alive.
      this.#worker?.unref();
      this.#timer = this.#deps.clock.setTimer(MAX_IDLE_MS, () => this.#end());
      return;
    }
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#timer = this.#deps.clock.setTimer(MAX_JOB_MS, () => this.#fail(new ThreadError("time")));
    this.#worker.postMessage(this.#current.message, this.#current.transferred);
  }

  #start(): Worker {
    const { program, maxHeapMib = MAX_HEAP_MIB } = this.#deps;
    const resourceLimits = { maxOldGenerationSizeMb: maxHeapMib };
    const worker = new Worker(program, { eval: true, execArgv: [], resourceLimits });
    const ours = (run: () => void) => {
      if (worker === this.#worker) run();
    };
    worker.on("message", (answer) => ours(() => this.#finish(answer)));
    worker.on("error", (error) => ours(() => this.#fail(new ThreadError(problemOf(error), error))));
    worker.on("exit", () => ours(() => this.#fail(new ThreadError("crash"))));
    return worker;
  }

  #finish(answer: unknown): void {
    this.#current?.done(answer);
    this.#next();
  }

  /** What the thread was doing comes to nothing; what waits goes to a new one. */
  #fail(error: ThreadError): void {
    this.#end();
    const failed = this.#current;
    this.#current = undefined;
    failed?.failed(error);
    if (this.#waiting.length > 0) this.#next();
  }

  #end(): void {
    this.#timer?.cancel();
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }
}

function problemOf(error: unknown): ThreadProblem {
  const { code } = error as { readonly code?: unknown };
  return code === "ERR_WORKER_OUT_OF_MEMORY" ? "memory" : "crash";
}
