// How old revisions are, and their end: what was before the history window is refused, and forgotten by the store.
// Requirements: document 1, "Continue token and watch history".

import type { Background } from "../base/background.ts";
import type { BackgroundLoop } from "../base/background-loop.ts";
import type { Clock } from "../base/clock.ts";
import type { Revision, StorageEngine } from "../storage/engine.ts";

interface RevisionAgesOptions {
  readonly engine: StorageEngine;
  readonly clock: Clock;
  /** How long watches can resume, and how long continue tokens hold. */
  readonly watchWindowMs: number;
  readonly continueTtlMs: number;
  /** The store is told to forget this often, in parts; 0 never. */
  readonly compactionIntervalMs: number;
  /** After the store has forgotten everything before a revision. */
  readonly onCompacted: (revision: Revision) => void;
  readonly background: Background;
}

interface Sample {
  /** On the monotonic clock: what the store has forgotten does not come back when the time of day is set right again. */
  readonly atMs: number;
  readonly revision: Revision;
}

/** Samples are taken this many times within the shortest age that anybody asks for. */
const SAMPLES_PER_AGE = 8;
const MIN_SAMPLE_MS = 50;
const MAX_SAMPLE_MS = 5_000;
/** Little at a time: what nobody can ask for any more makes room early, and no writer waits behind very much of it. */
const COMPACTIONS_PER_INTERVAL = 10;

export class RevisionAges {
  readonly #options: RevisionAgesOptions;
  #samples: Sample[] = [];
  #compacted: Revision = 0;
  readonly #loops: BackgroundLoop[] = [];

  constructor(options: RevisionAgesOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { watchWindowMs, continueTtlMs, compactionIntervalMs } = this.#options;
    await this.sample();
    const pause = Math.min(watchWindowMs, continueTtlMs) / SAMPLES_PER_AGE;
    this.#every("revision-ages", Math.max(MIN_SAMPLE_MS, Math.min(MAX_SAMPLE_MS, pause)), () => this.sample());
    if (compactionIntervalMs > 0) {
      this.#every("compaction", compactionIntervalMs / COMPACTIONS_PER_INTERVAL, () => this.compact());
    }
  }

  /** Continue tokens of revisions before this one no longer hold. */
  get oldestContinued(): Revision {
    return this.#revisionBefore(this.#options.continueTtlMs);
  }

  /** What a token says of when it was given out: the time of day, which other servers of the store know, too. */
  get givenAtMs(): number {
    return this.#options.clock.nowMs();
  }

  /** Whether a token that was given out then has expired, though nothing may have been written since. */
  hasExpired(givenAtMs: number): boolean {
    return this.givenAtMs - givenAtMs > this.#options.continueTtlMs;
  }

  /** Watches cannot resume after revisions before this one. */
  get oldestWatched(): Revision {
    return this.#revisionBefore(this.#options.watchWindowMs);
  }

  async sample(): Promise<void> {
    const { engine, clock, watchWindowMs, continueTtlMs } = this.#options;
    const revision = await engine.currentRevision();
    const atMs = clock.monotonicMs();
    this.#samples.push({ atMs, revision });
    // One sample older than the longest age is kept: it says what that age means.
    const horizonMs = atMs - Math.max(watchWindowMs, continueTtlMs);
    const first = this.#samples.findLastIndex((sample) => sample.atMs <= horizonMs);
    if (first > 0) this.#samples = this.#samples.slice(first);
  }

  /** Lets the store forget what neither watches nor tokens can reach any more. */
  async compact(): Promise<void> {
    const revision = Math.min(this.oldestContinued, this.oldestWatched);
    if (revision <= this.#compacted) return;
    await this.#options.engine.compact(revision);
    this.#compacted = revision;
    this.#options.onCompacted(revision);
  }

  close(): void {
    for (const loop of this.#loops) loop.close();
  }

  /** The revision as it was `ageMs` ago; 0 when this process has not run for so long. */
  #revisionBefore(ageMs: number): Revision {
    const horizonMs = this.#options.clock.monotonicMs() - ageMs;
    return this.#samples.findLast((sample) => sample.atMs <= horizonMs)?.revision ?? 0;
  }

  #every(name: string, everyMs: number, work: () => Promise<void>): void {
    const loop = this.#options.background.loop({
      name,
      failure: "history could not be trimmed",
      everyMs,
      reconcile: async () => {
        await work();
        return "done";
      },
    });
    loop.enqueue("", everyMs);
    this.#loops.push(loop);
  }
}
