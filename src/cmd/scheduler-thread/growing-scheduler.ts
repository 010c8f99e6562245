// The scheduler beside a server: in the server's thread while there are few nodes, in one of its own from many on. It goes
// back only with a restart of the process. See docs/decisions/a-thread-for-the-scheduler.md.

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Client } from "../../client/client.ts";

/** So many nodes are worth the memory that a thread takes. */
const MANY_NODES = 1_000;
/** How often nodes are counted while there are few. */
const COUNT_MS = 10_000;

export interface Acting {
  /** Reads the cluster and follows it, while another process acts. */
  prepare(): Promise<void>;
  /** Rejects when it is stopped before it works. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface GrowingSchedulerParts {
  /** Counts nodes. */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly manyNodes?: number;
  here(): Acting;
  inThread(): Acting;
}

export class GrowingScheduler implements Acting {
  readonly #parts: GrowingSchedulerParts;
  readonly #stop = new AbortController();
  #acting: Acting | undefined;
  #chosen: Promise<Acting> | undefined;
  #isLarge = false;
  #growing: Promise<void> = Promise.resolve();

  constructor(parts: GrowingSchedulerParts) {
    this.#parts = parts;
  }

  async prepare(): Promise<void> {
    const acting = await this.#choose();
    await acting.prepare();
  }

  async start(): Promise<void> {
    const acting = await this.#choose();
    await acting.start();
    if (!this.#isLarge) this.#growing = this.#grow();
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error("the scheduler was stopped"));
    await this.#chosen?.catch(() => undefined);
    await this.#growing;
    await this.#acting?.stop();
  }

  /** Made once: who starts while this is still being prepared waits for the same one. */
  #choose(): Promise<Acting> {
    this.#chosen ??= (async () => {
      this.#isLarge = await this.#hasManyNodes();
      this.#acting = this.#isLarge ? this.#parts.inThread() : this.#parts.here();
      return this.#acting;
    })();
    return this.#chosen;
  }

  /** Resolves when the scheduler has moved, or is stopped. */
  async #grow(): Promise<void> {
    const { clock, log, inThread } = this.#parts;
    const { signal } = this.#stop;
    try {
      do await clock.sleep(COUNT_MS, signal);
      while (!(await this.#hasManyNodes()));
    } catch {
      return;
    }
    log.info({}, "there are many nodes: the scheduler moves to a thread of its own");
    const before = this.#acting;
    this.#acting = undefined;
    await before?.stop();
    if (signal.aborted) return;
    this.#acting = inThread();
    this.#acting.start().catch(() => undefined);
  }

  /** Rejects when the scheduler is stopped meanwhile. */
  async #hasManyNodes(): Promise<boolean> {
    const { client, log, manyNodes = MANY_NODES } = this.#parts;
    const { signal } = this.#stop;
    try {
      const { items, metadata } = await client.core.v1.nodes().list({ limit: 1, signal });
      return items.length + (metadata.remainingItemCount ?? 0) >= manyNodes;
    } catch (error) {
      signal.throwIfAborted();
      log.debug({ err: error }, "nodes could not be counted, trying again");
      return false;
    }
  }
}
