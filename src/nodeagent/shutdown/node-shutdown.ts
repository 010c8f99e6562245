// Ends the pods of the node in good order when the machine is about to shut down, and keeps a record of it.
// Requirements: document 3, "Node-agent local files and sockets" (graceful shutdown state).

import { rename, writeFile } from "node:fs/promises";
import { BackgroundLoop } from "../../base/background-loop.ts";
import type { Clock } from "../../base/clock.ts";
import { isObject } from "../../base/json.ts";
import type { Log } from "../../base/log.ts";
import { readSmallFile } from "../../base/read-small-file.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { timeOfMs } from "../../meta/time.ts";
import { atMost } from "../at-most.ts";
import { LoginManager } from "./login-manager.ts";
import { type ShutdownSettings, shutdownGroups, shutdownSeconds } from "./shutdown-order.ts";

/** A pod that runs, and how it is ended. */
interface EndingPod {
  readonly pod: Pod;
  /** Resolves when nothing of it runs any more. */
  end(graceSeconds: number): Promise<void>;
}

interface NodeShutdownDeps {
  readonly settings: ShutdownSettings;
  /** The socket of the system bus. */
  readonly socket: string;
  readonly stateFile: string;
  /** Where files of the login manager's configuration lie. */
  readonly loginDropIns: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly pods: () => readonly EndingPod[];
  /** It has begun, or was called off. */
  readonly onChange: () => void;
  /** When pods began to be ended and when that was over, as they are recorded; 0 before. */
  readonly onTimes: (startMs: number, endMs: number) => void;
}

const RECONNECT_MS = 1_000;
/** The login manager reads its configuration when it comes to it. */
const READING = { tries: 10, everyMs: 100 };

export class NodeShutdown {
  readonly #deps: NodeShutdownDeps;
  #manager: LoginManager | undefined;
  #isShuttingDown = false;
  #wasTold = false;
  readonly #stop = new AbortController();
  readonly #connects: BackgroundLoop;

  constructor(deps: NodeShutdownDeps) {
    this.#deps = deps;
    this.#connects = new BackgroundLoop({
      clock: deps.clock,
      settleMs: RECONNECT_MS,
      retryMs: { first: RECONNECT_MS, max: RECONNECT_MS },
      reconcile: async () => {
        await this.#connect();
        return "done";
      },
      onError: (error) => this.#tell(error),
    });
  }

  get isShuttingDown(): boolean {
    return this.#isShuttingDown;
  }

  /** Begins to listen; a machine without a login manager is told of once, and asked again. */
  async start(): Promise<void> {
    await this.#recall();
    await this.#connects.settle();
  }

  /** Pods that are being ended are left to whoever comes next. */
  close(): void {
    this.#stop.abort(new Error("nobody waits for the shutdown any more"));
    this.#connects.close();
    this.#manager?.close();
  }

  async #connect(): Promise<void> {
    const { socket } = this.#deps;
    const manager = await LoginManager.open({
      socket,
      onShutdown: (isComing) => this.#hear(isComing),
      onClose: () => {
        this.#manager = undefined;
        this.#connects.enqueue();
      },
    });
    this.#manager = manager;
    try {
      await this.#haveTime(manager);
      await manager.delayShutdown();
    } catch (error) {
      // It is there but does not let us wait: only another one may, after this one has gone.
      this.#tell(error);
    }
  }

  /** The login manager waits five seconds where nobody asks for more. With less than is needed, pods still get what there is. */
  async #haveTime(manager: LoginManager): Promise<void> {
    const { settings, loginDropIns, clock, log } = this.#deps;
    const wantedMs = shutdownSeconds(settings) * 1000;
    let delayMs = await manager.maxDelayMs();
    if (delayMs >= wantedMs) return;
    try {
      await manager.setMaxDelay(Math.ceil(wantedMs / 1000), loginDropIns);
      for (let tried = 0; delayMs < wantedMs && tried < READING.tries; tried += 1) {
        if (tried > 0) await clock.sleep(READING.everyMs, this.#stop.signal);
        delayMs = await manager.maxDelayMs();
      }
      if (delayMs >= wantedMs) return;
      log.warn({ delayMs, wantedMs }, "the login manager goes on waiting less than the shutdown of pods takes");
    } catch (error) {
      const fields = { err: error, delayMs, wantedMs };
      log.warn(
        fields,
        "the login manager cannot be told how long the shutdown of pods takes: raise InhibitDelayMaxSec",
      );
    }
  }

  #tell(error: unknown): void {
    if (this.#wasTold) return;
    this.#wasTold = true;
    this.#deps.log.warn(
      { err: error },
      "pods get no time when the machine shuts down: the login manager does not answer",
    );
  }

  #hear(isComing: boolean): void {
    if (this.#isShuttingDown === isComing) return;
    this.#isShuttingDown = isComing;
    this.#deps.onChange();
    const work = isComing ? this.#endPods() : this.#manager?.delayShutdown();
    work?.catch((error: unknown) => this.#deps.log.warn({ err: error }, "the shutdown of the node's pods has failed"));
  }

  async #endPods(): Promise<void> {
    const { clock, log, pods, settings } = this.#deps;
    const startMs = clock.nowMs();
    log.info({}, "the machine is about to shut down: ending pods");
    await this.#record(startMs);
    for (const { graceSeconds, pods: group } of shutdownGroups(pods(), settings)) {
      // The next group does not wait longer than this one has.
      const ended = Promise.allSettled(group.map((pod) => pod.end(graceSeconds)));
      await atMost(graceSeconds * 1000, ended, { clock, signal: this.#stop.signal });
      if (this.#stop.signal.aborted) return;
    }
    await this.#record(startMs, clock.nowMs());
    this.#manager?.release();
  }

  /** What is recorded of the last shutdown is told on, by whichever agent comes after it. */
  async #recall(): Promise<void> {
    const { stateFile, onTimes, log } = this.#deps;
    try {
      const state: unknown = JSON.parse((await readSmallFile(stateFile)).toString("utf8"));
      const time = (name: string) => (isObject(state) && typeof state[name] === "string" ? Date.parse(state[name]) : 0);
      // A shutdown that did not come to its end has none; upstream writes the year 1 then.
      const [startMs, endMs] = [time("startTime"), time("endTime")].map((ms) => (ms > 0 ? ms : 0));
      onTimes(startMs!, endMs!);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
      log.warn({ err: error }, "the record of the last shutdown cannot be read");
    }
  }

  /** Pods are ended in good order also where nothing can be written. */
  async #record(startMs: number, endMs?: number): Promise<void> {
    const { stateFile, onTimes, log } = this.#deps;
    onTimes(startMs, endMs ?? 0);
    const endTime = endMs === undefined ? null : timeOfMs(endMs, "micros");
    const state = { startTime: timeOfMs(startMs, "micros"), endTime };
    try {
      await writeFile(`${stateFile}.tmp`, JSON.stringify(state), { mode: 0o600 });
      await rename(`${stateFile}.tmp`, stateFile);
    } catch (error) {
      log.warn({ err: error }, "the shutdown cannot be recorded");
    }
  }
}
