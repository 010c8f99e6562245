// Reads and watches of the tables as far as changes have been published: what the owner of a store and its followers share.

import { nextTurn } from "../../base/next-turn.ts";
import type { Change, ListOptions, ListPage, Revision, StoredEntry, WatchSink } from "../engine.ts";
import { LiveWatchers, revisionGone, revisionInFuture } from "../live-watchers.ts";
import { StorageError } from "../storage-error.ts";
import { translateLmdbError } from "./lmdb-errors.ts";
import { PrefixCounts, RemainingCounts } from "./prefix-counts.ts";
import { replayBatch } from "./replay.ts";
import { SnapshotReader } from "./snapshot-reader.ts";
import { MAX_KEY_BYTES, type Tables } from "./tables.ts";

const MAX_VALUE_BYTES = 16 * 1024 ** 2;

interface PublishedState {
  readonly tables: Tables;
  /** Reads and watches below this revision are refused. */
  compacted(): Revision;
  /** Keeps what a read at this revision needs until the returned function is called. */
  pin(revision: Revision): () => void;
  /** Fails when the engine is closed. */
  checkOpen(): void;
}

export class PublishedReads {
  readonly #state: PublishedState;
  readonly #reader: SnapshotReader;
  readonly #live: LiveWatchers;
  #counts = new PrefixCounts();
  readonly #remaining = new RemainingCounts();
  /** All reads and watches see the store as it is here. */
  #revision: Revision;

  constructor(state: PublishedState, revision: Revision) {
    this.#state = state;
    this.#revision = revision;
    this.#reader = new SnapshotReader(state.tables);
    this.#live = new LiveWatchers({
      revision: () => this.#revision,
      replay: (prefix, after, sink, keepGoing) => this.#replay(prefix, after, sink, keepGoing),
    });
  }

  /** The newest published revision. */
  get revision(): Revision {
    return this.#revision;
  }

  /** Makes a change visible to reads and tells those who watch. To be called in revision order. */
  publish(change: Change): void {
    this.#revision = change.revision;
    this.#counts.apply(change);
    this.#live.publish(change);
  }

  /** Goes on at a later revision, without the changes up to there: they are no longer known. Live watches are told so. */
  skipTo(revision: Revision): void {
    this.#revision = revision;
    this.#counts = new PrefixCounts();
    this.#live.endLive(revisionGone(revision - 1, revision));
  }

  /** `newest`: nothing is committed that is not published. */
  get(key: string, revision: Revision | undefined, newest: boolean): StoredEntry | undefined {
    if (revision !== undefined) this.checkReadable(revision);
    if (!isPossibleKey(key)) return undefined;
    return reading(() => {
      if (revision === undefined && newest) return this.#reader.getNewest(key);
      return this.#reader.get(key, revision ?? this.#revision);
    });
  }

  async list(prefix: string, options: ListOptions): Promise<ListPage> {
    const revision = options.revision ?? this.#revision;
    this.checkReadable(revision);
    if (!isPossiblePrefix(prefix)) return { entries: [], revision, more: false, remainingCount: 0 };
    const limit = options.limit ?? Number.POSITIVE_INFINITY;
    const after = options.after === undefined ? undefined : possiblePlace(options.after);
    const unpin = this.#state.pin(revision);
    try {
      const entries = await this.#entries(prefix, after, revision, limit);
      const remainingCount = entries.length < limit ? 0 : await this.#remainingAfter(prefix, after, revision, entries);
      return { entries, revision, more: remainingCount > 0, remainingCount };
    } finally {
      unpin();
    }
  }

  async count(prefix: string): Promise<number> {
    if (!isPossiblePrefix(prefix)) return 0;
    return this.#counts.get(prefix, () => this.#countNow(prefix));
  }

  async watch(prefix: string, after: Revision, sink: WatchSink, signal: AbortSignal): Promise<void> {
    const compacted = this.#state.compacted();
    if (after < compacted) throw revisionGone(after, compacted);
    await this.#live.follow(prefix, after, sink, signal);
  }

  progress(): void {
    this.#live.progress();
  }

  /** Ends every watch, also those that start later, with this error. */
  endAll(error: unknown): void {
    this.#live.endAll(error);
  }

  /** The same, once each has been told all that has been published: who reads may wait for that. */
  endAfterAll(error: unknown): void {
    this.#live.endAfterAll(error);
  }

  /** Delivers a bounded number of the changes after `after`, in order; returns the revision up to which all are delivered. */
  replayUpTo(upTo: Revision, prefix: string, after: Revision, sink: WatchSink, keepGoing: () => boolean): Revision {
    const range = { prefix, after, upTo };
    return reading(() => replayBatch(this.#state.tables, this.#reader, range, sink, keepGoing));
  }

  checkReadable(revision: Revision): void {
    const compacted = this.#state.compacted();
    if (revision < compacted) throw revisionGone(revision, compacted);
    if (revision > this.#revision) throw revisionInFuture(revision, this.#revision);
  }

  /** Others have their turn in the middle of a long list. */
  async #entries(prefix: string, after: string | undefined, revision: Revision, limit: number): Promise<StoredEntry[]> {
    const entries: StoredEntry[] = [];
    for (let last = after; entries.length < limit; ) {
      const part = reading(() => this.#reader.stretch(prefix, last, revision, limit - entries.length));
      for (const entry of part.entries) entries.push(entry);
      if (part.until === undefined) break;
      last = part.until;
      if (entries.length < limit) await nextTurn();
      this.#state.checkOpen();
    }
    return entries;
  }

  async #remainingAfter(
    prefix: string,
    after: string | undefined,
    revision: Revision,
    entries: readonly StoredEntry[],
  ): Promise<number> {
    const last = entries.at(-1)?.key ?? after ?? "";
    const all = after === undefined && revision === this.#revision ? this.#counts.known(prefix) : undefined;
    const before = all ?? this.#remaining.get(prefix, after ?? "", revision);
    const remaining = before === undefined ? await this.#count(prefix, last, revision) : before - entries.length;
    if (remaining > 0) this.#remaining.remember(prefix, last, revision, remaining);
    return remaining;
  }

  async #countNow(prefix: string): Promise<number> {
    const unpin = this.#state.pin(this.#revision);
    try {
      return await this.#count(prefix, undefined, this.#revision);
    } finally {
      unpin();
    }
  }

  async #count(prefix: string, after: string | undefined, revision: Revision): Promise<number> {
    let count = 0;
    for (let last = after; ; ) {
      const part = reading(() => this.#reader.countStretch(prefix, last, revision));
      count += part.count;
      if (part.until === undefined) return count;
      last = part.until;
      await nextTurn();
      this.#state.checkOpen();
    }
  }

  #replay(prefix: string, after: Revision, sink: WatchSink, keepGoing: () => boolean): Revision {
    const compacted = this.#state.compacted();
    if (after < compacted) throw revisionGone(after, compacted);
    return this.replayUpTo(this.#revision, prefix, after, sink, keepGoing);
  }
}

/** Fails for what no store can take. */
export function checkWritable(key: string, value: Uint8Array | undefined): void {
  if (!isPossibleKey(key))
    throw new StorageError("TooLarge", `a key must have between 1 and ${MAX_KEY_BYTES} bytes`, { key });
  if (value !== undefined && value.length > MAX_VALUE_BYTES)
    throw new StorageError("TooLarge", `a value must have at most ${MAX_VALUE_BYTES} bytes`, { key });
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** LMDB has no empty keys and no long ones; text with half a surrogate pair has no bytes of its own. */
function isPossibleKey(key: string): boolean {
  if (key === "" || LONE_SURROGATE.test(key)) return false;
  // Every NUL takes a byte more in the history.
  return key.length * 3 <= MAX_KEY_BYTES || Buffer.byteLength(key) + key.split("\0").length <= MAX_KEY_BYTES;
}

const isPossiblePrefix = (prefix: string): boolean => prefix === "" || isPossibleKey(prefix);

/** No character takes more bytes than this, in the history either. */
const MAX_CHARACTER_BYTES = 4;

/** The beginning of what is longer than any key: places after it come from clients, who may have made them up. */
function possiblePlace(after: string): string {
  return after === "" || isPossibleKey(after) ? after : after.slice(0, MAX_KEY_BYTES / MAX_CHARACTER_BYTES);
}

/** What LMDB cannot read, on a damaged disk, fails as a storage error. */
function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw translateLmdbError(error);
  }
}
