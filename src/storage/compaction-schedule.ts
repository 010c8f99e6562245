// When history is cut off: at every interval, up to the newest revision that is older than what must be kept.
//
//   interval 5m, keep 5m:   12:00 sample 100      12:05 sample 180, compact(100)      12:10 sample 260, compact(180)

import { type Clock, systemClock } from "../base/clock.ts";
import type { Revision, StorageEngine } from "./engine.ts";
import { isStorageError } from "./storage-error.ts";

export interface CompactionOptions {
  /** How often to compact; 0 never. */
  readonly intervalMs: number;
  /** How much history watches, exact reads and continue tokens may ask for. */
  readonly keepMs: number;
  readonly clock?: Clock;
  readonly onError: (error: unknown) => void;
}

interface Sample {
  readonly atMs: number;
  readonly revision: Revision;
}

export class CompactionSchedule {
  readonly #engine: Pick<StorageEngine, "currentRevision" | "compact">;
  readonly #options: CompactionOptions;
  readonly #clock: Clock;
  #samples: readonly Sample[] = [];
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(engine: Pick<StorageEngine, "currentRevision" | "compact">, options: CompactionOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  start(): void {
    if (this.#options.intervalMs === 0) return;
    const tick = () => {
      this.#running = this.#running.then(() => this.tick());
    };
    tick();
    this.#timer = setInterval(tick, this.#options.intervalMs).unref();
  }

  /** One look at the clock: remembers the revision of now, compacts to one that is old enough. Never fails. */
  async tick(): Promise<void> {
    const nowMs = this.#clock.nowMs();
    try {
      const revision = await this.#engine.currentRevision();
      const old = this.#samples.findLast(({ atMs }) => atMs <= nowMs - this.#options.keepMs);
      this.#samples = [
        ...this.#samples.filter(({ atMs }) => atMs > (old?.atMs ?? Number.NEGATIVE_INFINITY)),
        { atMs: nowMs, revision },
      ];
      if (old !== undefined) await this.#engine.compact(old.revision);
    } catch (error) {
      if (!isStorageError(error, "Closed")) this.#options.onError(error);
    }
  }

  /** Resolves when no compaction is under way any more. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }
}
