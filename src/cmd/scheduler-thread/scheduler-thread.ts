// The scheduler in a thread of its own, whose client is answered here. A thread that dies is replaced: all that a scheduler
// knows it reads anew. See docs/decisions/a-thread-for-the-scheduler.md.

import { MessageChannel, Worker } from "node:worker_threads";
import { Backoff } from "../../base/backoff.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { servePort } from "../../client/serve-port.ts";
import type { Transport } from "../../client/transport.ts";
import { Questions } from "../workers/questions.ts";
import { writeLine } from "./passed-log.ts";
import type { OwnerMessage, SchedulerSetup, ThreadData, ThreadMessage } from "./thread-messages.ts";

interface SchedulerThreadParts {
  /** The file to run. */
  readonly program: string;
  readonly setup: SchedulerSetup;
  /** What the scheduler asks the server with. */
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Log;
}

/** A thread that dies at once is not started anew without end in no time. */
const RESTART = { firstMs: 1_000, maxMs: 60_000 };
/** One that has worked for so long had no trouble with its start. */
const SETTLED_MS = 60_000;
const EXPOSE_MS = 2_000;

export class SchedulerThread {
  readonly #parts: SchedulerThreadParts;
  readonly #stop = new AbortController();
  #thread: Thread | undefined;
  #running: Promise<void> | undefined;
  /** Whether the scheduler places pods, and does not only get ready. */
  #acts = false;
  #onStarted: () => void = () => undefined;

  constructor(parts: SchedulerThreadParts) {
    this.#parts = parts;
  }

  /** Its scheduler reads the cluster and follows it. */
  async prepare(): Promise<void> {
    this.#running ??= this.#run();
  }

  /** Resolves when the scheduler works. Rejects when it is stopped before. */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#acts = true;
      this.#onStarted = resolve;
      this.#thread?.start();
      this.#running ??= this.#run();
      this.#stop.signal.addEventListener("abort", () => reject(this.#stop.signal.reason), { once: true });
    });
  }

  /** Resolves when the thread has ended. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("the scheduler was stopped"));
    this.#thread?.stop();
    await this.#running;
  }

  /** Its metrics; nothing while there is no thread, or when it does not answer in time. */
  async *expose(): AsyncGenerator<string, void, undefined> {
    if (this.#thread !== undefined) yield await this.#thread.expose();
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#parts;
    const { signal } = this.#stop;
    const backoff = new Backoff(RESTART, Math.random);
    while (!signal.aborted) {
      const startedMs = clock.monotonicMs();
      this.#thread = new Thread(this.#parts, () => this.#onStarted());
      if (this.#acts) this.#thread.start();
      const how = await this.#thread.ended;
      this.#thread = undefined;
      if (signal.aborted) return;
      log.error({ err: how }, "the thread of the scheduler has ended; another takes its place");
      if (clock.monotonicMs() - startedMs > SETTLED_MS) backoff.reset();
      await clock.sleep(backoff.nextMs(), signal).catch(() => undefined);
    }
  }
}

class Thread {
  /** Resolves with why it ended. */
  readonly ended: Promise<Error>;
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #expositions = new Questions<string>();

  constructor({ program, setup, transport, clock, log }: SchedulerThreadParts, onStarted: () => void) {
    this.#clock = clock;
    const { port1: here, port2: there } = new MessageChannel();
    servePort(here, transport);
    const data: ThreadData = { ...setup, port: there };
    this.#worker = new Worker(program, { workerData: data, transferList: [there], execArgv: [], name: "scheduler" });
    this.#worker.on("message", (message: ThreadMessage) => {
      if (message.type === "started") onStarted();
      else if (message.type === "log") writeLine(log, message.line);
      else this.#expositions.answer(message.id, message.text);
    });
    this.ended = new Promise((resolve) => {
      // Of the two the error comes first, and knows more: that there was not enough memory, say.
      this.#worker.once("error", resolve);
      this.#worker.once("exit", (code) => {
        here.close();
        resolve(new Error(`exit code ${code}`));
      });
    });
  }

  async expose(): Promise<string> {
    let timer: Timer | undefined;
    const text = await this.#expositions.ask((id) => {
      timer = this.#clock.setTimer(EXPOSE_MS, () => this.#expositions.answer(id, ""));
      this.#tell({ type: "expose", id });
    });
    timer?.cancel();
    return text;
  }

  start(): void {
    this.#tell({ type: "start" });
  }

  stop(): void {
    this.#tell({ type: "stop" });
  }

  #tell(message: OwnerMessage): void {
    this.#worker.postMessage(message);
  }
}
