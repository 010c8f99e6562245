// The workers of an API server: further processes that serve connections of the same port over the same store. One that dies
// is replaced; all end with their owner. See docs/decisions/workers.md.

import { type ChildProcess, fork } from "node:child_process";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type Clock, systemClock, type Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { mergeExpositions } from "../../base/merge-expositions.ts";
import type { ConnectionTaker, FrontDoor } from "./front-door.ts";
import { type OwnerMessage, STORE_LINE_FD, type WorkerMessage, type WorkerSetup } from "./worker-messages.ts";

/** A worker that dies at once is not started anew without end in no time. */
const RESTART_MS = { first: 100, max: 10_000 };
/** One that has served for so long had no trouble with its start. */
const SETTLED_MS = 30_000;
/** How long one is waited for: its requests in flight have to end. */
const STOP_MS = 20_000;
const EXPOSE_MS = 2_000;

interface WorkerPoolParts {
  /** How many there are beside the owner. */
  readonly count: number;
  /** The program to run, with its first arguments. */
  readonly program: readonly [string, ...string[]];
  readonly setup: WorkerSetup;
  readonly door: FrontDoor;
  /** Serves the store to a worker; absent where workers reach it by themselves. */
  readonly serveStore: ((line: Duplex) => void) | undefined;
  /** The owner's own metrics. */
  readonly expose: () => Promise<string>;
  readonly log: Log;
  readonly clock?: Clock;
}

export class WorkerPool {
  readonly #parts: WorkerPoolParts;
  readonly #clock: Clock;
  readonly #workers = new Set<Worker>();
  readonly #restarts = new Set<Timer>();
  #stopping = false;

  constructor(parts: WorkerPoolParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
  }

  /** Resolves when all serve. Fails when one cannot start. */
  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#parts.count }, () => this.#startOne(RESTART_MS.first)));
  }

  /** The metrics of all processes, added up. A worker that does not answer in time is left out. */
  async expose(): Promise<string> {
    const workers = [...this.#workers];
    const texts = await Promise.all([this.#parts.expose(), ...workers.map((worker) => worker.expose())]);
    return mergeExpositions(texts);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    for (const timer of this.#restarts) timer.cancel();
    await Promise.all([...this.#workers].map((worker) => worker.stop()));
  }

  async #startOne(pauseMs: number): Promise<void> {
    const { door, log } = this.#parts;
    const startedAtMs = this.#clock.monotonicMs();
    const worker = new Worker(this.#parts, this.#clock, () => this.expose());
    this.#workers.add(worker);
    void worker.ended.then((how) => {
      this.#workers.delete(worker);
      door.remove(worker);
      if (this.#stopping) return;
      const settled = this.#clock.monotonicMs() - startedAtMs > SETTLED_MS;
      const nextMs = settled ? RESTART_MS.first : Math.min(RESTART_MS.max, pauseMs * 2);
      log.warn({ worker: worker.pid, how }, "a worker has ended; another takes its place");
      const timer = this.#clock.setTimer(settled ? RESTART_MS.first : pauseMs, () => {
        this.#restarts.delete(timer);
        this.#startOne(nextMs).catch((error: unknown) => {
          if (!this.#stopping) log.warn({ err: error }, "a worker could not start");
        });
      });
      this.#restarts.add(timer);
    });
    await worker.ready;
    door.add(worker);
  }
}

class Worker implements ConnectionTaker {
  readonly ready: Promise<void>;
  /** Resolves with how it ended. */
  readonly ended: Promise<string>;
  openConnections = 0;
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #exposing = new Map<number, (text: string) => void>();
  #nextId = 1;

  constructor(parts: WorkerPoolParts, clock: Clock, exposeAll: () => Promise<string>) {
    const [program, ...args] = parts.program;
    this.#clock = clock;
    this.#child = fork(program, args, {
      serialization: "advanced",
      stdio: ["ignore", "inherit", "inherit", "ipc", "pipe"],
    });
    const line = this.#child.stdio[STORE_LINE_FD] as unknown as Duplex;
    // A worker that is killed breaks its line; its end is told by `exit`.
    line.on("error", () => undefined);
    parts.serveStore?.(line);
    this.ended = new Promise((resolve) => {
      this.#child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
      this.#child.once("error", (error) => resolve(error.message));
    });
    this.ready = new Promise((resolve, reject) => {
      this.#child.on("message", (message: WorkerMessage) => {
        if (message.type === "ready") resolve();
        else if (message.type === "failed") reject(new Error(`a worker could not start: ${message.message}`));
        else this.#receive(message, exposeAll);
      });
      void this.ended.then((how) => reject(new Error(`a worker ended before it was ready: ${how}`)));
    });
    this.#send({ type: "setup", ...parts.setup });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  take(socket: Socket): void {
    this.openConnections += 1;
    this.#send({ type: "connection" }, socket, () => {
      this.openConnections -= 1;
      socket.destroy();
    });
  }

  /** Its metrics; nothing when it does not answer in time. */
  expose(): Promise<string> {
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve) => {
      const timer = this.#clock.setTimer(EXPOSE_MS, () => answer(""));
      const answer = (text: string) => {
        timer.cancel();
        this.#exposing.delete(id);
        resolve(text);
      };
      this.#exposing.set(id, answer);
      this.#send({ type: "expose", id });
    });
  }

  async stop(): Promise<void> {
    this.#send({ type: "stop" });
    const cut = this.#clock.setTimer(STOP_MS, () => this.#child.kill("SIGKILL"));
    await this.ended;
    cut.cancel();
  }

  #receive(message: WorkerMessage, exposeAll: () => Promise<string>): void {
    switch (message.type) {
      case "connectionClosed":
        this.openConnections -= 1;
        return;
      case "exposed":
        this.#exposing.get(message.id)?.(message.text);
        return;
      case "exposeAll":
        void exposeAll().then((text) => this.#send({ type: "exposition", id: message.id, text }));
        return;
      default:
        return;
    }
  }

  #send(message: OwnerMessage, socket?: Socket, failed: () => void = () => undefined): void {
    if (!this.#child.connected) failed();
    else this.#child.send(message, socket, { keepOpen: false }, (error) => (error === null ? undefined : failed()));
  }
}
