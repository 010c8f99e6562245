// The workers of an API server: further processes that serve connections of the same port over the same store. One that dies
// is replaced; all end with their owner. See docs/decisions/workers.md.

import { type ChildProcess, fork } from "node:child_process";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { BackgroundLoop, type Outcome } from "../../base/background-loop.ts";
import { type Clock, systemClock, type Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { countedIn, type ExpositionName, mergeExpositions } from "../../base/merge-expositions.ts";
import type { SharedAnswer } from "../../base/shared-answers.ts";
import type { ConnectionTaker, FrontDoor } from "./front-door.ts";
import { Questions } from "./questions.ts";
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
  /** As it is when a worker is started. */
  readonly setup: () => WorkerSetup;
  readonly door: Pick<FrontDoor, "add" | "remove">;
  /** Serves the store to a worker; absent where workers reach it by themselves. */
  readonly serveStore: ((line: Duplex) => void) | undefined;
  /** The owner's own metrics. */
  readonly expose: (which: ExpositionName) => Promise<string>;
  /** Writes to the file of --audit-log-path; absent where there is none. */
  readonly appendAudit?: (text: string) => Promise<void>;
  /** Hears what a worker has learnt; the other workers hear it too. */
  readonly onAnswer: (answer: SharedAnswer) => void;
  /** Hears which process has ended, when nothing that it has sent is on its way any more. */
  readonly onGone?: (pid: number) => void;
  readonly log: Log;
  readonly clock?: Clock;
}

export class WorkerPool {
  readonly #parts: WorkerPoolParts;
  readonly #clock: Clock;
  readonly #workers = new Set<Worker>();
  /** By place: those that have been started and have no round yet. */
  readonly #started = new Map<string, Worker>();
  /** A place for each worker; a round is the life of one. */
  readonly #places: BackgroundLoop;
  /** Nobody is served before all have read the same files. */
  #opening: Promise<unknown> = Promise.resolve();
  #isStopping = false;
  /** What workers that have ended had counted when somebody asked last: a total that falls says that all began anew. */
  readonly #past = new Map<ExpositionName, string>();

  constructor(parts: WorkerPoolParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
    this.#places = new BackgroundLoop({
      clock: this.#clock,
      maxAtOnce: parts.count,
      retryMs: RESTART_MS,
      reconcile: (place) => this.#live(place),
      onError: (error) => parts.log.warn({ err: error }, "a worker could not be started"),
    });
  }

  /** Resolves when all serve. Fails when one cannot start. */
  async start(): Promise<void> {
    for (let index = 0; index < this.#parts.count; index += 1) {
      this.#started.set(String(index), this.#startOne());
      this.#places.enqueue(String(index));
    }
    this.#opening = Promise.all([...this.#workers].map(({ ready }) => ready));
    await this.#opening;
  }

  /** Tells all workers but one. */
  tell(answer: SharedAnswer, but?: Worker): void {
    for (const worker of this.#workers) if (worker !== but) worker.tell(answer);
  }

  /** The metrics of all processes, added up. Of a worker that does not answer in time, what it has said last. */
  async expose(which: ExpositionName): Promise<string> {
    const workers = [...this.#workers];
    const past = this.#past.get(which) ?? "";
    const texts = await Promise.all([this.#parts.expose(which), ...workers.map((worker) => worker.expose(which))]);
    return mergeExpositions([...texts, past]);
  }

  /** /readyz of all fails from now on. */
  announceStop(): void {
    this.#isStopping = true;
    for (const worker of this.#workers) worker.announceStop();
  }

  async stop(): Promise<void> {
    this.#places.close();
    await Promise.all([...this.#workers].map((worker) => worker.stop()));
  }

  async #live(place: string): Promise<Outcome> {
    const worker = this.#started.get(place) ?? this.#startOne();
    this.#started.delete(place);
    const how = await worker.ended;
    this.#workers.delete(worker);
    for (const [which, text] of worker.exposed)
      this.#past.set(which, mergeExpositions([this.#past.get(which) ?? "", countedIn(text)]));
    this.#parts.door.remove(worker);
    if (!this.#places.closed)
      this.#parts.log.warn({ worker: worker.pid, how }, "a worker has ended; another takes its place");
    const settled = this.#clock.monotonicMs() - worker.startedAtMs > SETTLED_MS;
    return settled ? { againInMs: RESTART_MS.first } : "retry";
  }

  #startOne(): Worker {
    const { door, log } = this.#parts;
    const worker: Worker = new Worker(this.#parts, this.#clock, {
      exposeAll: (which) => this.expose(which),
      onAnswer: (answer) => {
        this.#parts.onAnswer(answer);
        this.tell(answer, worker);
      },
    });
    this.#workers.add(worker);
    void worker.gone.then(() => {
      if (worker.pid !== undefined) this.#parts.onGone?.(worker.pid);
    });
    const serves = async () => {
      await worker.ready;
      await this.#opening;
      if (this.#isStopping) worker.announceStop();
      if (this.#workers.has(worker)) door.add(worker);
    };
    serves().catch((error: unknown) => {
      if (!this.#places.closed) log.warn({ err: error }, "a worker could not start");
    });
    return worker;
  }
}

/** What a worker asks of the others, and tells them. */
interface Others {
  exposeAll(which: ExpositionName): Promise<string>;
  onAnswer(answer: SharedAnswer): void;
}

class Worker implements ConnectionTaker {
  readonly ready: Promise<void>;
  /** Resolves with how it ended. */
  readonly ended: Promise<string>;
  /** Resolves when it has ended and all that it has sent has come. */
  readonly gone: Promise<void>;
  readonly startedAtMs: number;
  openConnections = 0;
  /** What it has said last. */
  readonly exposed = new Map<ExpositionName, string>();
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #expositions = new Questions<string>();
  /** Connections that it was given, the oldest first, until it has them: Node forgets those on their way when it ends. */
  readonly #given = new Set<Socket>();

  constructor(parts: WorkerPoolParts, clock: Clock, others: Others) {
    const [program, ...args] = parts.program;
    this.#clock = clock;
    this.startedAtMs = clock.monotonicMs();
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
    this.gone = new Promise((resolve) => this.#child.once("close", () => resolve()));
    this.ready = new Promise((resolve, reject) => {
      this.#child.on("message", (message: WorkerMessage) => {
        if (message.type === "ready") resolve();
        else if (message.type === "failed") reject(new Error(`a worker could not start: ${message.message}`));
        else this.#receive(message, parts, others);
      });
      void this.ended.then((how) => reject(new Error(`a worker ended before it was ready: ${how}`)));
    });
    void this.ended.then(() => {
      for (const socket of this.#given) this.#drop(socket);
    });
    this.#send({ type: "setup", ...parts.setup() });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  take(socket: Socket): void {
    this.openConnections += 1;
    this.#given.add(socket);
    this.#send({ type: "connection" }, socket, (error) => {
      if (error === null) return;
      this.openConnections -= 1;
      this.#drop(socket);
    });
  }

  /** Ends what this process has of it: all of a connection that nobody else has. */
  #drop(socket: Socket): void {
    this.#given.delete(socket);
    socket.destroy();
  }

  /** Its metrics; those of the last time when it does not answer in time. */
  async expose(which: ExpositionName): Promise<string> {
    let timer: Timer | undefined;
    const text = await this.#expositions.ask((id) => {
      timer = this.#clock.setTimer(EXPOSE_MS, () => this.#expositions.answer(id, this.exposed.get(which) ?? ""));
      this.#send({ type: "expose", id, which });
    });
    timer?.cancel();
    this.exposed.set(which, text);
    return text;
  }

  announceStop(): void {
    this.#send({ type: "announceStop" });
  }

  async stop(): Promise<void> {
    this.#send({ type: "stop" });
    const cut = this.#clock.setTimer(STOP_MS, () => this.#child.kill("SIGKILL"));
    await this.ended;
    cut.cancel();
  }

  tell(answer: SharedAnswer): void {
    this.#send({ type: "answer", answer });
  }

  #receive(message: WorkerMessage, { appendAudit }: WorkerPoolParts, { exposeAll, onAnswer }: Others): void {
    switch (message.type) {
      case "connectionTaken": {
        const [oldest] = this.#given;
        if (oldest !== undefined) this.#drop(oldest);
        return;
      }
      case "connectionClosed":
        this.openConnections -= 1;
        return;
      case "answer":
        onAnswer(message.answer);
        return;
      case "exposed":
        this.#expositions.answer(message.id, message.text);
        return;
      case "exposeAll":
        void exposeAll(message.which).then((text) => this.#send({ type: "exposition", id: message.id, text }));
        return;
      case "auditLines":
        (appendAudit?.(message.text) ?? Promise.resolve()).then(
          () => this.#send({ type: "auditWritten", id: message.id, problem: undefined }),
          (error: Error) => this.#send({ type: "auditWritten", id: message.id, problem: error.message }),
        );
        return;
      default:
        return;
    }
  }

  #send(message: OwnerMessage, socket?: Socket, sent: (error: Error | null) => void = () => undefined): void {
    if (!this.#child.connected) sent(new Error("it has ended"));
    else this.#child.send(message, socket, { keepOpen: true }, sent);
  }
}
