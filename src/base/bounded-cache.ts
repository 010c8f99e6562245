// The one cache with limits: in entries, and in bytes where entries differ in size. Every operation takes constant time.
//
// Entries stand in two lists, newest first. A new entry enters `probation`; in a segmented cache the first hit moves it to
// `kept`, whose overflow falls back to the front of `probation`. Entries leave at the end of `probation`, so that a flood of
// keys that nobody asks for twice only turns `probation` over. With room for four, after set a, get a, set b c d e:
//
//   kept:      a
//   probation: e d c        (b left)
//
// A plain cache (`lru`) keeps everything in `probation` and moves hits to its front.

import type { Clock } from "./clock.ts";

interface BoundedCacheOptions<K, V> {
  readonly maxEntries: number;
  /** Needs `sizeBytes`. An entry larger than this is not kept at all. */
  readonly maxBytes?: number;
  /** What an entry holds in memory, key included. Asked once, when the entry comes in. */
  readonly sizeBytes?: (key: K, value: V) => number;
  /** `segmented` where keys come from callers who may send a new one each time; `lru` is the default. */
  readonly eviction?: "lru" | "segmented";
  /** How long an entry counts when `set` does not say it; needs `clock`. */
  readonly ttlMs?: number;
  readonly clock?: Pick<Clock, "nowMs" | "monotonicMs">;
  /** Told of every entry that leaves without being asked to: for lack of room, or because its time is over. */
  readonly onEvict?: (key: K, value: V) => void;
}

export class BoundedCache<K, V> {
  readonly #entries = new Map<K, Entry<K, V>>();
  readonly #options: BoundedCacheOptions<K, V>;
  readonly #maxBytes: number;
  readonly #probation = new EntryList<K, V>();
  readonly #kept = new EntryList<K, V>();
  readonly #maxKeptEntries: number;
  readonly #maxKeptBytes: number;

  constructor(options: BoundedCacheOptions<K, V>) {
    if ((options.maxBytes === undefined) !== (options.sizeBytes === undefined)) {
      throw new TypeError("maxBytes and sizeBytes belong together");
    }
    if (options.ttlMs !== undefined && options.clock === undefined) throw new TypeError("ttlMs needs a clock");
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? Number.POSITIVE_INFINITY;
    const keptShare = options.eviction === "segmented" ? KEPT_SHARE : 0;
    this.#maxKeptEntries = Math.floor(options.maxEntries * keptShare);
    this.#maxKeptBytes = keptShare === 0 ? 0 : this.#maxBytes * keptShare;
  }

  get size(): number {
    return this.#entries.size;
  }

  get sizeBytes(): number {
    return this.#probation.sizeBytes + this.#kept.sizeBytes;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (this.#isOver(entry)) {
      this.#evict(entry);
      return undefined;
    }
    this.#touch(entry);
    return entry.value;
  }

  /** The value of the key, made and kept when there is none. */
  getOrMake(key: K, make: () => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.set(key, made);
    return made;
  }

  /** Keeps the value; one that is larger than the cache, or whose time is over already, only removes what was there. */
  set(key: K, value: V, ttlMs = this.#options.ttlMs): void {
    this.delete(key);
    const { clock, sizeBytes, maxEntries } = this.#options;
    if (ttlMs !== undefined && clock === undefined) throw new TypeError("ttlMs needs a clock");
    const bytes = sizeBytes?.(key, value) ?? 0;
    if (bytes > this.#maxBytes || maxEntries < 1 || (ttlMs !== undefined && ttlMs <= 0)) return;
    const until = ttlMs === undefined || clock === undefined ? undefined : momentIn(ttlMs, clock);
    while (this.#entries.size >= maxEntries || this.sizeBytes + bytes > this.#maxBytes) {
      const leaving = this.#probation.oldest ?? this.#kept.oldest;
      if (leaving === undefined) break;
      this.#evict(leaving);
    }
    const entry = new Entry(key, value, bytes, until);
    this.#entries.set(key, entry);
    this.#probation.addFirst(entry);
  }

  /** Whether there was such an entry. */
  delete(key: K): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#remove(entry);
    return true;
  }

  clear(): void {
    this.#entries.clear();
    this.#probation.clear();
    this.#kept.clear();
  }

  /** What is there, without counting as a use. The cache may be changed meanwhile. */
  *entries(): IterableIterator<[K, V]> {
    for (const [key, entry] of this.#entries) if (!this.#isOver(entry)) yield [key, entry.value];
  }

  #isOver({ until }: Entry<K, V>): boolean {
    // The clock is not read for entries without an end: `get` stands on hot paths.
    if (until === undefined) return false;
    const { clock } = this.#options;
    return clock !== undefined && (until.ofDayMs <= clock.nowMs() || until.monotonicMs <= clock.monotonicMs());
  }

  #touch(entry: Entry<K, V>): void {
    if (entry.list?.newest === entry && (entry.list === this.#kept || this.#maxKeptEntries === 0)) return;
    entry.list?.remove(entry);
    if (this.#maxKeptEntries === 0 || entry.sizeBytes > this.#maxKeptBytes) {
      this.#probation.addFirst(entry);
      return;
    }
    this.#kept.addFirst(entry);
    while (this.#kept.size > this.#maxKeptEntries || this.#kept.sizeBytes > this.#maxKeptBytes) {
      const demoted = this.#kept.oldest;
      if (demoted === undefined) break;
      this.#kept.remove(demoted);
      this.#probation.addFirst(demoted);
    }
  }

  #evict(entry: Entry<K, V>): void {
    this.#remove(entry);
    this.#options.onEvict?.(entry.key, entry.value);
  }

  #remove(entry: Entry<K, V>): void {
    this.#entries.delete(entry.key);
    entry.list?.remove(entry);
  }
}

/** How much of a segmented cache belongs to entries that were asked for again. */
const KEPT_SHARE = 0.8;

/** On both clocks: the time of day may be set back, and the other stands still while the machine sleeps. */
interface Moment {
  readonly ofDayMs: number;
  readonly monotonicMs: number;
}

const momentIn = (ms: number, clock: Pick<Clock, "nowMs" | "monotonicMs">): Moment => ({
  ofDayMs: clock.nowMs() + ms,
  monotonicMs: clock.monotonicMs() + ms,
});

class Entry<K, V> {
  readonly key: K;
  readonly value: V;
  readonly sizeBytes: number;
  /** When its time is over: on the clock that says so first. */
  readonly until: Moment | undefined;
  list: EntryList<K, V> | undefined = undefined;
  newer: Entry<K, V> | undefined = undefined;
  older: Entry<K, V> | undefined = undefined;

  constructor(key: K, value: V, sizeBytes: number, until: Moment | undefined) {
    this.key = key;
    this.value = value;
    this.sizeBytes = sizeBytes;
    this.until = until;
  }
}

/** A doubly linked list, newest first. */
class EntryList<K, V> {
  newest: Entry<K, V> | undefined = undefined;
  oldest: Entry<K, V> | undefined = undefined;
  size = 0;
  sizeBytes = 0;

  addFirst(entry: Entry<K, V>): void {
    entry.list = this;
    entry.older = this.newest;
    if (this.newest !== undefined) this.newest.newer = entry;
    this.newest = entry;
    this.oldest ??= entry;
    this.size++;
    this.sizeBytes += entry.sizeBytes;
  }

  remove(entry: Entry<K, V>): void {
    if (entry.newer === undefined) this.newest = entry.older;
    else entry.newer.older = entry.older;
    if (entry.older === undefined) this.oldest = entry.newer;
    else entry.older.newer = entry.newer;
    entry.list = entry.newer = entry.older = undefined;
    this.size--;
    this.sizeBytes -= entry.sizeBytes;
  }

  clear(): void {
    this.newest = this.oldest = undefined;
    this.size = this.sizeBytes = 0;
  }
}
