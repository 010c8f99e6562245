// A storage engine that lives in memory and forgets everything at the end: for tests and the in-process test server.
//
// Every key keeps its versions, oldest first, until compaction. After create x, update x, delete x, create x:
//
//   #versions: x -> [ {2, v1}, {3, v2}, {4, deleted}, {5, v3} ]      #log: [2 put, 3 put, 4 delete, 5 put]
//   compact(4): x -> [ {5, v3} ]  (nothing of x is visible at 4)      #log: [5 put]

import { type Clock, systemClock, type Timer } from "../base/clock.ts";
import { nextTurn } from "../base/next-turn.ts";
import type {
  Change,
  EntryOptions,
  ListOptions,
  ListPage,
  Revision,
  StorageEngine,
  StoredEntry,
  WatchSink,
} from "./engine.ts";
import { LiveWatchers, revisionGone, revisionInFuture } from "./live-watchers.ts";
import { OrderedKeys } from "./ordered-keys.ts";
import { guardGone, StorageError } from "./storage-error.ts";

const REPLAY_BATCH = 1_000;
const DEFAULT_SWEEP_INTERVAL_MS = 1_000;

interface MemoryEngineOptions {
  readonly clock?: Clock;
  /** How often expired keys are looked for. */
  readonly sweepIntervalMs?: number;
}

interface Version {
  readonly revision: Revision;
  /** Undefined for a delete. */
  readonly entry: StoredEntry | undefined;
}

export class MemoryEngine implements StorageEngine {
  readonly #clock: Clock;
  readonly #sweeper: Timer;
  /** Keys that have versions, also deleted ones inside the window. */
  readonly #keys = new OrderedKeys();
  readonly #versions = new Map<string, Version[]>();
  readonly #expiryMs = new Map<string, number>();
  readonly #live: LiveWatchers;
  #log: Change[] = [];
  #revision: Revision = 1;
  #compacted: Revision = 1;
  #closed = false;

  constructor(options: MemoryEngineOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#live = new LiveWatchers({
      revision: () => this.#revision,
      replay: (prefix, after, sink, keepGoing) => this.#replay(prefix, after, sink, keepGoing),
    });
    const sweepIntervalMs = options.sweepIntervalMs ?? DEFAULT_SWEEP_INTERVAL_MS;
    this.#sweeper = this.#clock.every(sweepIntervalMs, () => this.sweepExpired());
  }

  currentRevision(): Revision {
    this.#checkOpen();
    return this.#revision;
  }

  get newestKnown(): Revision | undefined {
    return this.#closed ? undefined : this.#revision;
  }

  async get(key: string, revision?: Revision): Promise<StoredEntry | undefined> {
    this.#checkOpen();
    if (revision === undefined) return this.#current(key);
    this.#checkReadable(revision);
    return this.#at(key, revision);
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ListPage> {
    this.#checkOpen();
    const revision = options.revision ?? this.#revision;
    this.#checkReadable(revision);
    const limit = options.limit ?? Number.POSITIVE_INFINITY;
    const entries: StoredEntry[] = [];
    let remainingCount = 0;
    for (const key of this.#keys.below(prefix, options.after)) {
      const entry = this.#at(key, revision);
      if (entry === undefined) continue;
      if (entries.length < limit) entries.push(entry);
      else remainingCount++;
    }
    return { entries, revision, more: remainingCount > 0, remainingCount };
  }

  async count(prefix: string): Promise<number> {
    this.#checkOpen();
    let count = 0;
    for (const key of this.#keys.below(prefix)) if (this.#current(key) !== undefined) count++;
    return count;
  }

  async create(key: string, value: Uint8Array, options: EntryOptions = {}): Promise<Revision> {
    this.#checkOpen();
    this.#checkGuard(key, options);
    if (this.#current(key) !== undefined) throw new StorageError("KeyExists", `key exists: ${key}`, { key });
    return this.#commit(key, value, options);
  }

  async update(key: string, value: Uint8Array, expected: Revision, options: EntryOptions = {}): Promise<Revision> {
    this.#checkOpen();
    this.#checkGuard(key, options);
    this.#checkExpected(key, expected);
    return this.#commit(key, value, options);
  }

  async delete(key: string, expected: Revision, options: EntryOptions = {}): Promise<Revision> {
    this.#checkOpen();
    this.#checkGuard(key, options);
    this.#checkExpected(key, expected);
    return this.#commit(key, undefined, options);
  }

  async watch(prefix: string, after: Revision, sink: WatchSink, signal: AbortSignal): Promise<void> {
    this.#checkOpen();
    if (after < this.#compacted) throw revisionGone(after, this.#compacted);
    await this.#live.follow(prefix, after, sink, signal);
  }

  async requestProgress(): Promise<void> {
    this.#checkOpen();
    this.#live.progress();
  }

  async compact(revision: Revision): Promise<void> {
    this.#checkOpen();
    if (revision > this.#revision) throw revisionInFuture(revision, this.#revision);
    if (revision <= this.#compacted) return;
    this.#compacted = revision;
    const forgotten = this.#log.filter((change) => change.revision <= revision);
    this.#log = this.#log.slice(forgotten.length);
    for (const key of new Set(forgotten.map((change) => change.key))) this.#forget(key, revision);
  }

  async compactedRevision(): Promise<Revision> {
    this.#checkOpen();
    return this.#compacted;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#sweeper.cancel();
    this.#live.endAll(closedError());
    await nextTurn();
  }

  /** What has been written or deleted since; undefined when that has been compacted. */
  keysChangedAfter(revision: Revision): ReadonlySet<string> | undefined {
    if (revision < this.#compacted) return undefined;
    return new Set(this.#log.slice(this.#logIndexAfter(revision)).map(({ key }) => key));
  }

  /** Deletes what has expired by the clock. Runs by itself every now and then; a test that moved the clock may call it. */
  sweepExpired(): void {
    if (this.#closed || this.#expiryMs.size === 0) return;
    const nowMs = this.#clock.nowMs();
    for (const [key, expiryMs] of [...this.#expiryMs]) if (expiryMs <= nowMs) this.#commit(key, undefined, {});
  }

  #commit(key: string, value: Uint8Array | undefined, options: EntryOptions): Revision {
    const previous = this.#current(key);
    const revision = ++this.#revision;
    const entry = value === undefined ? undefined : { key, value, revision };
    const change: Change = { type: entry ? "put" : "delete", key, revision, value: entry?.value, previous };

    let versions = this.#versions.get(key);
    if (versions === undefined) {
      versions = [];
      this.#versions.set(key, versions);
      this.#keys.add(key);
    }
    versions.push({ revision, entry });
    this.#log.push(change);
    if (entry !== undefined && options.ttlSeconds !== undefined) {
      this.#expiryMs.set(key, this.#clock.nowMs() + options.ttlSeconds * 1_000);
    } else {
      this.#expiryMs.delete(key);
    }
    const { type, value: stored } = change;
    const { attachment } = options;
    // Member by member: spread, it would take several times as long.
    this.#live.publish(
      attachment === undefined ? change : { type, key, revision, value: stored, previous, attachment },
    );
    return revision;
  }

  #replay(prefix: string, after: Revision, sink: WatchSink, keepGoing: () => boolean): Revision {
    if (after < this.#compacted) throw revisionGone(after, this.#compacted);
    let position = after;
    const first = this.#logIndexAfter(after);
    for (const change of this.#log.slice(first, first + REPLAY_BATCH)) {
      if (!keepGoing()) return position;
      if (change.key.startsWith(prefix)) sink.change(change);
      position = change.revision;
    }
    return position;
  }

  /** The log holds every revision after the compacted one, without holes. */
  #logIndexAfter(revision: Revision): number {
    return revision - this.#compacted;
  }

  #forget(key: string, revision: Revision): void {
    const versions = this.#versions.get(key) ?? [];
    const visible = versions.findLastIndex((version) => version.revision <= revision);
    const kept = versions.slice(Math.max(visible, 0));
    if (kept[0]?.entry === undefined && (kept[0]?.revision ?? 0) <= revision) kept.shift();
    if (kept.length > 0) {
      this.#versions.set(key, kept);
    } else {
      this.#versions.delete(key);
      this.#keys.remove(key);
    }
  }

  #current(key: string): StoredEntry | undefined {
    return this.#versions.get(key)?.at(-1)?.entry;
  }

  #at(key: string, revision: Revision): StoredEntry | undefined {
    const versions = this.#versions.get(key);
    const newest = versions?.at(-1);
    // Nearly everybody asks for that one.
    if (newest === undefined || newest.revision <= revision) return newest?.entry;
    return versions?.findLast((version) => version.revision <= revision)?.entry;
  }

  #checkGuard(key: string, { guard }: EntryOptions): void {
    if (guard !== undefined && this.#current(guard) === undefined) throw guardGone(key, guard);
  }

  #checkExpected(key: string, expected: Revision): void {
    const current = this.#current(key);
    if (current === undefined) throw new StorageError("KeyNotFound", `key not found: ${key}`, { key });
    if (current.revision === expected) return;
    const message = `${key} is at revision ${current.revision}, not ${expected}`;
    throw new StorageError("RevisionMismatch", message, { key, current });
  }

  #checkReadable(revision: Revision): void {
    if (revision < this.#compacted) throw revisionGone(revision, this.#compacted);
    if (revision > this.#revision) throw revisionInFuture(revision, this.#revision);
  }

  #checkOpen(): void {
    if (this.#closed) throw closedError();
  }
}

function closedError(): StorageError {
  return new StorageError("Closed", "the storage engine is closed");
}
