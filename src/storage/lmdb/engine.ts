// The LMDB engine: the storage contract over the tables of one environment.

import type { Clock } from "../../base/clock.ts";
import { nextTurn } from "../../base/next-turn.ts";
import type {
  EntryOptions,
  ListOptions,
  ListPage,
  Revision,
  StorageEngine,
  StoredEntry,
  WatchSink,
} from "../engine.ts";
import { revisionInFuture } from "../live-watchers.ts";
import { StorageError } from "../storage-error.ts";
import { Committer } from "./committer.ts";
import { Compactor } from "./compactor.ts";
import { Expiry } from "./expiry.ts";
import type { OwnerLock } from "./owner-lock.ts";
import { checkWritable, PublishedReads } from "./published-reads.ts";
import { SnapshotReader } from "./snapshot-reader.ts";
import { readMetaRevision, type Tables } from "./tables.ts";

interface LmdbEngineDeps {
  readonly tables: Tables;
  readonly lock: OwnerLock;
  readonly identity: string;
  readonly clock: Clock;
  readonly sweepIntervalMs: number;
}

export class LmdbEngine implements StorageEngine {
  /** What the store was created with. */
  readonly identity: string;
  readonly #tables: Tables;
  readonly #lock: OwnerLock;
  readonly #clock: Clock;
  readonly #reads: PublishedReads;
  readonly #committer: Committer;
  readonly #compactor: Compactor;
  readonly #expiry: Expiry;
  #closing: Promise<void> | undefined;

  constructor(deps: LmdbEngineDeps) {
    this.identity = deps.identity;
    this.#tables = deps.tables;
    this.#lock = deps.lock;
    this.#clock = deps.clock;
    const revision = readMetaRevision(deps.tables, "revision") ?? 1;
    this.#compactor = new Compactor(deps.tables, readMetaRevision(deps.tables, "compacted") ?? 1);
    this.#reads = new PublishedReads(
      {
        tables: deps.tables,
        compacted: () => this.#compactor.compacted,
        pin: (pinned) => this.#compactor.pin(pinned),
        checkOpen: () => this.#checkOpen(),
      },
      revision,
    );
    this.#committer = new Committer(
      {
        tables: deps.tables,
        reader: new SnapshotReader(deps.tables),
        housekeeping: () => this.#compactor.step() ?? this.#expiry.step(),
        publish: (change) => this.#reads.publish(change),
        lost: (error) => {
          this.#reads.endAfterAll(error);
          this.#compactor.abandon(error);
        },
      },
      revision,
    );
    this.#expiry = new Expiry({
      tables: deps.tables,
      clock: deps.clock,
      intervalMs: deps.sweepIntervalMs,
      delete: (key, expected) => this.#committer.submit({ key, value: undefined, expected }),
      requestHousekeeping: () => this.#committer.requestHousekeeping(),
    });
    // A compaction that a crash has interrupted continues.
    this.#committer.requestHousekeeping();
  }

  get failure(): StorageError | undefined {
    return this.#committer.failure;
  }

  currentRevision(): Revision {
    this.#checkOpen();
    return this.#reads.revision;
  }

  get newestKnown(): Revision | undefined {
    return this.#closing === undefined ? this.#reads.revision : undefined;
  }

  async get(key: string, revision?: Revision): Promise<StoredEntry | undefined> {
    this.#checkOpen();
    return this.#reads.get(key, revision, !this.#committer.committing);
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ListPage> {
    this.#checkOpen();
    return this.#reads.list(prefix, options);
  }

  async count(prefix: string): Promise<number> {
    this.#checkOpen();
    return this.#reads.count(prefix);
  }

  async create(key: string, value: Uint8Array, options: EntryOptions = {}): Promise<Revision> {
    return this.#write(key, value, undefined, options);
  }

  async update(key: string, value: Uint8Array, expected: Revision, options: EntryOptions = {}): Promise<Revision> {
    return this.#write(key, value, expected, options);
  }

  async delete(key: string, expected: Revision, options: EntryOptions = {}): Promise<Revision> {
    return this.#write(key, undefined, expected, { attachment: options.attachment, guard: options.guard });
  }

  async watch(prefix: string, after: Revision, sink: WatchSink, signal: AbortSignal): Promise<void> {
    this.#checkOpen();
    await this.#reads.watch(prefix, after, sink, signal);
  }

  async requestProgress(): Promise<void> {
    this.#checkOpen();
    this.#reads.progress();
  }

  async compact(revision: Revision): Promise<void> {
    this.#checkOpen();
    if (revision > this.#reads.revision) throw revisionInFuture(revision, this.#reads.revision);
    if (this.#committer.failure !== undefined) throw this.#committer.failure;
    const recorded = this.#compactor.request(revision);
    this.#committer.requestHousekeeping();
    await recorded;
  }

  async compactedRevision(): Promise<Revision> {
    this.#checkOpen();
    return this.#compactor.compacted;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Deletes what has expired by the clock. Runs by itself every now and then; a test that moved the clock may call it. */
  async sweepExpired(): Promise<void> {
    this.#checkOpen();
    await this.#expiry.sweep();
  }

  /** A consistent copy of the whole store in one file, while it is being written to. */
  async copyTo(path: string): Promise<void> {
    this.#checkOpen();
    await this.#tables.copyTo(path);
  }

  async #close(): Promise<void> {
    this.#expiry.stop();
    await this.#committer.drain();
    this.#reads.endAll(closedError());
    this.#compactor.abandon(closedError());
    // Reads that are between two turns see the end before the tables go.
    await nextTurn();
    try {
      await this.#lock.release();
    } finally {
      await this.#tables.close();
    }
  }

  async #write(
    key: string,
    value: Uint8Array | undefined,
    expected: Revision | undefined,
    options: EntryOptions,
  ): Promise<Revision> {
    this.#checkOpen();
    checkWritable(key, value);
    const { ttlSeconds, attachment, guard } = options;
    const expiresAtMs = ttlSeconds === undefined ? undefined : Math.ceil(this.#clock.nowMs() + ttlSeconds * 1_000);
    return this.#committer.submit({ key, value, expected, guard, expiresAtMs, attachment });
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw closedError();
  }
}

function closedError(): StorageError {
  return new StorageError("Closed", "the storage engine is closed");
}
