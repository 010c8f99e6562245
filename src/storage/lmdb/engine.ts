// The LMDB engine: the storage contract over the tables of one environment.

import type { Clock } from "../../base/clock.ts";
import { nextTurn } from "../../base/next-turn.ts";
import type {
  ListOptions,
  ListPage,
  Revision,
  StorageEngine,
  StoredEntry,
  WatchSink,
  WriteOptions,
} from "../engine.ts";
import { LiveWatchers, revisionGone, revisionInFuture } from "../live-watchers.ts";
import { StorageError } from "../storage-error.ts";
import { Committer } from "./committer.ts";
import { Compactor } from "./compactor.ts";
import { Expiry } from "./expiry.ts";
import { translateLmdbError } from "./lmdb-errors.ts";
import type { OwnerLock } from "./owner-lock.ts";
import { PrefixCounts, RemainingCounts } from "./prefix-counts.ts";
import { replayBatch } from "./replay.ts";
import { SnapshotReader } from "./snapshot-reader.ts";
import { MAX_KEY_BYTES, readMetaRevision, type Tables } from "./tables.ts";

const MAX_VALUE_BYTES = 16 * 1024 ** 2;
/** A long list lets others run after so many entries. */
const ENTRIES_PER_TURN = 500;

export interface LmdbEngineDeps {
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
  readonly #reader: SnapshotReader;
  readonly #committer: Committer;
  readonly #compactor: Compactor;
  readonly #expiry: Expiry;
  readonly #live: LiveWatchers;
  readonly #counts = new PrefixCounts();
  readonly #remaining = new RemainingCounts();
  /** The newest published revision: all reads and watches see the store as it is here. */
  #revision: Revision;
  #closing: Promise<void> | undefined;

  constructor(deps: LmdbEngineDeps) {
    this.identity = deps.identity;
    this.#tables = deps.tables;
    this.#lock = deps.lock;
    this.#clock = deps.clock;
    this.#reader = new SnapshotReader(deps.tables);
    this.#revision = readMetaRevision(deps.tables, "revision") ?? 1;
    this.#compactor = new Compactor(deps.tables, readMetaRevision(deps.tables, "compacted") ?? 1);
    this.#live = new LiveWatchers({
      revision: () => this.#revision,
      replay: (prefix, after, sink, keepGoing) => this.#replay(prefix, after, sink, keepGoing),
    });
    this.#committer = new Committer(
      {
        tables: deps.tables,
        reader: this.#reader,
        housekeeping: () => this.#compactor.step() ?? this.#expiry.step(),
        publish: (change) => {
          this.#revision = change.revision;
          this.#counts.apply(change);
          this.#live.publish(change);
        },
        lost: (error) => {
          this.#live.endAll(error);
          this.#compactor.abandon(error);
        },
      },
      this.#revision,
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
    return this.#revision;
  }

  async get(key: string, revision?: Revision): Promise<StoredEntry | undefined> {
    this.#checkOpen();
    if (revision !== undefined) this.#checkReadable(revision);
    if (!isPossibleKey(key)) return undefined;
    return reading(() => {
      if (revision === undefined && !this.#committer.committing) return this.#reader.getNewest(key);
      return this.#reader.get(key, revision ?? this.#revision);
    });
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ListPage> {
    this.#checkOpen();
    const revision = options.revision ?? this.#revision;
    this.#checkReadable(revision);
    const limit = options.limit ?? Number.POSITIVE_INFINITY;
    const unpin = this.#compactor.pin(revision);
    try {
      const entries = await this.#entries(prefix, options.after, revision, limit);
      const remainingCount =
        entries.length < limit ? 0 : this.#remainingAfter(prefix, options.after, revision, entries);
      return { entries, revision, more: remainingCount > 0, remainingCount };
    } finally {
      unpin();
    }
  }

  async count(prefix: string): Promise<number> {
    this.#checkOpen();
    return this.#countNow(prefix);
  }

  async create(key: string, value: Uint8Array, options: WriteOptions = {}): Promise<Revision> {
    return this.#write(key, value, undefined, options);
  }

  async update(key: string, value: Uint8Array, expected: Revision, options: WriteOptions = {}): Promise<Revision> {
    return this.#write(key, value, expected, options);
  }

  async delete(key: string, expected: Revision, options: WriteOptions = {}): Promise<Revision> {
    return this.#write(key, undefined, expected, { attachment: options.attachment });
  }

  async watch(prefix: string, after: Revision, sink: WatchSink, signal: AbortSignal): Promise<void> {
    this.#checkOpen();
    if (after < this.#compactor.compacted) throw revisionGone(after, this.#compactor.compacted);
    await this.#live.follow(prefix, after, sink, signal);
  }

  async requestProgress(): Promise<void> {
    this.#checkOpen();
    this.#live.progress();
  }

  async compact(revision: Revision): Promise<void> {
    this.#checkOpen();
    if (revision > this.#revision) throw revisionInFuture(revision, this.#revision);
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
    this.#live.endAll(closedError());
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
    options: WriteOptions,
  ): Promise<Revision> {
    this.#checkOpen();
    if (!isPossibleKey(key)) {
      throw new StorageError("TooLarge", `a key must have between 1 and ${MAX_KEY_BYTES} bytes`, { key });
    }
    if (value !== undefined && value.length > MAX_VALUE_BYTES) {
      throw new StorageError("TooLarge", `a value must have at most ${MAX_VALUE_BYTES} bytes`, { key });
    }
    const { ttlSeconds, attachment } = options;
    const expiresAtMs = ttlSeconds === undefined ? undefined : Math.ceil(this.#clock.nowMs() + ttlSeconds * 1_000);
    return this.#committer.submit({ key, value, expected, expiresAtMs, attachment });
  }

  async #entries(prefix: string, after: string | undefined, revision: Revision, limit: number): Promise<StoredEntry[]> {
    const entries: StoredEntry[] = [];
    while (entries.length < limit) {
      const wanted = Math.min(limit - entries.length, ENTRIES_PER_TURN);
      const last = entries.at(-1)?.key ?? after;
      const part = reading(() => this.#reader.entries(prefix, last, revision, wanted));
      for (const entry of part) entries.push(entry);
      if (part.length < wanted) break;
      if (entries.length < limit) await nextTurn();
      this.#checkOpen();
    }
    return entries;
  }

  #remainingAfter(
    prefix: string,
    after: string | undefined,
    revision: Revision,
    entries: readonly StoredEntry[],
  ): number {
    const last = entries.at(-1)?.key ?? after ?? "";
    const fromPageBefore = this.#remaining.get(prefix, after ?? "", revision);
    let remaining: number;
    if (fromPageBefore !== undefined) remaining = fromPageBefore - entries.length;
    else if (after === undefined && revision === this.#revision) remaining = this.#countNow(prefix) - entries.length;
    else remaining = reading(() => this.#reader.count(prefix, last, revision));
    if (remaining > 0) this.#remaining.remember(prefix, last, revision, remaining);
    return remaining;
  }

  #countNow(prefix: string): number {
    return this.#counts.get(prefix, () => reading(() => this.#reader.count(prefix, undefined, this.#revision)));
  }

  #replay(prefix: string, after: Revision, sink: WatchSink, keepGoing: () => boolean): Revision {
    const { compacted } = this.#compactor;
    if (after < compacted) throw revisionGone(after, compacted);
    const range = { prefix, after, upTo: this.#revision };
    return replayBatch(this.#tables, this.#reader, range, sink, keepGoing);
  }

  #checkReadable(revision: Revision): void {
    const { compacted } = this.#compactor;
    if (revision < compacted) throw revisionGone(revision, compacted);
    if (revision > this.#revision) throw revisionInFuture(revision, this.#revision);
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw closedError();
  }
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** LMDB has no empty keys and no long ones; text with half a surrogate pair has no bytes of its own. */
function isPossibleKey(key: string): boolean {
  if (key === "" || LONE_SURROGATE.test(key)) return false;
  // Every NUL takes a byte more in the history.
  return key.length * 3 <= MAX_KEY_BYTES || Buffer.byteLength(key) + key.split("\0").length <= MAX_KEY_BYTES;
}

/** What LMDB cannot read, on a damaged disk, fails as a storage error. */
function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw translateLmdbError(error);
  }
}

function closedError(): StorageError {
  return new StorageError("Closed", "the storage engine is closed");
}
