// The watch cache: one resource in memory, in step with the engine, the same above all engines. Serves lists, exact
// revisions and watches without touching the store. Specification: document 1, "List and watch semantics", "Events".

import { type Clock, systemClock } from "../base/clock.ts";
import type { Change, Revision, StorageEngine } from "./engine.ts";
import { StorageError } from "./storage-error.ts";
import { type CacheItem, FrameBudget } from "./watch-cache/cache-event.ts";
import { type CacheList, type CacheListOptions, CacheSnapshot, listItems } from "./watch-cache/cache-snapshot.ts";
import { EngineHistory } from "./watch-cache/engine-history.ts";
import { Feed } from "./watch-cache/feed.ts";
import { ItemReader, type ReadItem, type ReadItemInSteps, type TakesLong } from "./watch-cache/item-reader.ts";
import { compareKeys, inScope } from "./watch-cache/ordered-map.ts";
import { PendingChanges } from "./watch-cache/pending-changes.ts";
import { ProgressRequests } from "./watch-cache/progress-requests.ts";
import { isCaughtUp, replay } from "./watch-cache/replay.ts";
import type { Requirement } from "./watch-cache/requirement.ts";
import { ResourceState } from "./watch-cache/resource-state.ts";
import { RevisionWaiters } from "./watch-cache/revision-waiters.ts";
import { type CacheWatch, Watcher, type WatchOptions } from "./watch-cache/watcher.ts";
import { Watchers } from "./watch-cache/watchers.ts";
import type { WindowLimits } from "./watch-cache/window.ts";

export type { CacheEvent, CacheItem, EventType } from "./watch-cache/cache-event.ts";
export type { CacheList, CacheListOptions, CacheSnapshot } from "./watch-cache/cache-snapshot.ts";
export type { ReadItem } from "./watch-cache/item-reader.ts";
export type { Requirement } from "./watch-cache/requirement.ts";
export type { CacheWatch, CacheWatchSink, WatchOptions } from "./watch-cache/watcher.ts";

export interface WatchCacheOptions {
  readonly engine: StorageEngine;
  /** The keys of this resource, ending in "/": "/registry/configmaps/". */
  readonly prefix: string;
  readonly readItem: ReadItem;
  /** For what takes long to read; by default nothing does. */
  readonly readItemInSteps?: ReadItemInSteps;
  readonly takesLong?: TakesLong;
  /** The same object with another revision. By default `readItem` of the item's own bytes. */
  readonly rereadAt?: (item: CacheItem, revision: Revision) => CacheItem;
  readonly clock?: Clock;
  readonly windowLimits?: Partial<Omit<WindowLimits, "maxAgeMs">>;
  /** How long a state stays listable after it has been superseded. */
  readonly snapshotRetentionMs?: number;
  readonly maxFrameBytes?: number;
  /** Waits between attempts to reach a lost engine; tests replace it. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log?: (message: string, error: unknown) => void;
}

interface WatchCacheStats {
  readonly objectCount: number;
  /** Of the current objects. */
  readonly sizeBytes: number;
  readonly windowChanges: number;
  readonly windowBytes: number;
  readonly frameBytes: number;
  readonly snapshotCount: number;
  readonly watcherCount: number;
}

const DEFAULT_WINDOW_LIMITS = { maxChanges: 65_536, maxBytes: 64 * 1024 * 1024 };
/** A watch that breaks resumes at its last bookmark, a minute old at most. Who begins earlier is served by the engine. */
const MIN_WINDOW_AGE_MS = 75_000;
const DEFAULT_SNAPSHOT_RETENTION_MS = 75_000;
/** Live watchers share a frame while the change is delivered; kept frames serve those who resume a moment later. */
const DEFAULT_MAX_FRAME_BYTES = 2 * 1024 * 1024;
/** A scope of so many items is not looked through for a selector, not even once: an index is made instead. */
const MANY_ITEMS = 10_000;

export class WatchCache {
  readonly #options: WatchCacheOptions;
  readonly #frames: FrameBudget;
  readonly #reader: ItemReader;
  readonly #pending: PendingChanges;
  readonly #feed: Feed;
  readonly #waiters: RevisionWaiters;
  readonly #history: EngineHistory;
  readonly #watchers: Watchers;
  #state: ResourceState;
  #loading: Promise<void> | undefined;
  #loaded = false;
  #closed = false;

  constructor(options: WatchCacheOptions) {
    const { engine, prefix, readItem, readItemInSteps, takesLong, rereadAt, clock = systemClock } = options;
    if (!prefix.endsWith("/")) throw new Error(`the prefix of a watch cache ends in "/": ${prefix}`);
    this.#options = options;
    this.#frames = new FrameBudget(options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES);
    this.#reader = new ItemReader({ readItem, readItemInSteps, takesLong, rereadAt, frames: this.#frames, clock });
    this.#pending = new PendingChanges({
      isLong: (change) => this.#reader.isLong(change),
      read: (change) => this.#reader.itemOf(change),
      apply: (change, item) => this.#apply(change, item),
      progress: (revision) => this.#advance(revision),
    });
    this.#state = this.#newState();
    this.#watchers = new Watchers(prefix);
    const progress = new ProgressRequests({
      clock,
      request: () => engine.requestProgress(),
      failed: (error) => this.#log("progress could not be requested", error),
    });
    this.#waiters = new RevisionWaiters(progress, clock);
    this.#history = new EngineHistory({
      clock,
      engine,
      prefix,
      progress,
      toEvent: (change) => this.#reader.eventFromHistory(change),
    });
    this.#feed = this.#newFeed();
  }

  /**
   * Resolves when the objects are loaded: the first call lists and begins to watch. Fails with what the engine fails
   * with (Unavailable, Closed); the next call then tries again. All other methods need it to have succeeded once.
   */
  async ready(signal?: AbortSignal): Promise<void> {
    if (this.#closed) throw closedError();
    if (this.#loaded) return;
    signal?.throwIfAborted();
    this.#loading ??= this.#feed.start().finally(() => {
      this.#loading = undefined;
    });
    await (signal === undefined ? this.#loading : abortable(this.#loading, signal));
  }

  /** Whether ready() has succeeded: the cache can be read without waiting. */
  get isReady(): boolean {
    return this.#loaded && !this.#closed;
  }

  /** Everything up to this revision is visible here. */
  get revision(): Revision {
    return this.#state.revision;
  }

  /**
   * True when the cache has reached `revision`, false when it has not within `timeoutMs` or closes. Rejects when
   * `signal` aborts. A consistent read waits for engine.currentRevision(); what this process wrote is here already
   * when an in-process engine answers the write.
   */
  async waitUntil(revision: Revision, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    if (this.revision >= revision) return true;
    if (this.#closed) return false;
    return await this.#waiters.wait(revision, timeoutMs, signal);
  }

  get(key: string): CacheItem | undefined {
    return this.#readable().items.get(key);
  }

  /**
   * One consistent page, at the newest revision or exactly at `revision`; undefined when that state is not held (any
   * more, or yet): ask the engine. Runs to its end without yielding; for long lists see `snapshot`.
   */
  list(options: CacheListOptions & { readonly revision?: Revision }): CacheList | undefined {
    const revision = options.revision ?? this.revision;
    const items = this.#readable().itemsAt(revision);
    return items && listItems(items, revision, options);
  }

  /**
   * What a list without limit would give at the newest revision, where an index leads to it without a look at the rest;
   * undefined where none does (yet): what is asked for repeatedly, or of very many, gets one.
   */
  select({ scope, after, matches, requires }: Omit<CacheListOptions, "limit">): CacheItem[] | undefined {
    if (requires === undefined || requires.length === 0) return undefined;
    const { items, indexes } = this.#readable();
    const keys = indexes.candidates(requires, () => items.hasAtLeast(scope, MANY_ITEMS));
    // The scan goes from neighbour to neighbour; a candidate is searched for.
    if (keys === undefined || !items.hasAtLeast(scope, keys.length * 4)) return undefined;
    const inOrder = keys
      .filter((key) => inScope(key, scope) && (after === undefined || compareKeys(key, after) > 0))
      .sort(compareKeys);
    return inOrder.map((key) => items.get(key)!).filter((item) => matches?.(item) !== false);
  }

  /** When `select` will know what it does not know yet; undefined when nothing is being made for it. */
  indexing(requires: readonly Requirement[]): Promise<unknown> | undefined {
    return this.#readable().indexes.underWay(requires);
  }

  /** The state now or at `revision` (undefined when not held), to be read in pieces while changes go on. Costs nothing. */
  snapshot(revision: Revision = this.revision): CacheSnapshot | undefined {
    const items = this.#readable().itemsAt(revision);
    return items && new CacheSnapshot(items.clone(), revision);
  }

  /** Whether the scope has at least so many objects now. Looks at no more of them. */
  hasAtLeast(scope: string, objects: number): boolean {
    return this.#readable().items.hasAtLeast(scope, objects);
  }

  /**
   * Follows from exactly after `after`: what was missed (from the window, else from the engine's history), then live
   * changes. The sink is called only after this has returned; whatever goes wrong reaches it as `ended`.
   */
  watch(options: WatchOptions): CacheWatch {
    const { window } = this.#readable();
    if (!options.scope.startsWith(this.#options.prefix)) throw new Error(`not a scope of this cache: ${options.scope}`);
    const watcher = new Watcher(options, {
      revision: () => this.revision,
      remove: (ended) => this.#watchers.remove(ended),
      log: (message, error) => this.#log(message, error),
    });
    this.#watchers.add(watcher);
    window.trim();
    if (isCaughtUp(options.after, window)) {
      this.#watchers.join(watcher);
      return watcher;
    }
    const source = {
      window,
      history: this.#history,
      revision: () => this.revision,
      join: (caughtUp: Watcher) => this.#watchers.join(caughtUp),
    };
    queueMicrotask(() => replay(watcher, source));
    return watcher;
  }

  /** Forgets history before `revision`, once the engine has compacted it: exact lists and watches before it ask the engine. */
  compact(revision: Revision): void {
    this.#state.window.forgetUpTo(Math.min(revision, this.revision));
  }

  stats(): WatchCacheStats {
    const { items, sizeBytes, window, snapshots } = this.#state;
    window.trim();
    return {
      objectCount: items.size,
      sizeBytes,
      windowChanges: window.length,
      windowBytes: window.sizeBytes,
      frameBytes: this.#frames.sizeBytes,
      snapshotCount: snapshots.count,
      watcherCount: this.#watchers.size,
    };
  }

  /** Ends all watches with "closed" and lets go of the engine, which stays open. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#pending.clear();
    this.#history.close();
    this.#waiters.close();
    this.#watchers.endAll("closed");
    await this.#feed.stop();
  }

  #newFeed(): Feed {
    const { engine, prefix, pause, clock = systemClock } = this.#options;
    // A load is collected aside: readers keep the old state until it is complete.
    let next = this.#state;
    return new Feed({
      engine,
      prefix,
      pause: pause ?? ((ms, signal) => clock.sleep(ms, signal)),
      target: {
        loading: () => {
          next = this.#newState();
        },
        load: (entries) => next.load(entries),
        loaded: (revision) => {
          next.loaded(revision);
          this.#pending.clear();
          this.#replaceState(next);
        },
        change: (change) => this.#pending.change(change),
        progress: (revision) => this.#pending.progress(revision),
        ended: (error) => this.#watchers.endAll(error),
        log: (message, error) => this.#log(message, error),
      },
    });
  }

  #newState(): ResourceState {
    const { clock = systemClock, snapshotRetentionMs = DEFAULT_SNAPSHOT_RETENTION_MS } = this.#options;
    // States are rebuilt from changes, which are kept for as long.
    const maxAgeMs = Math.max(MIN_WINDOW_AGE_MS, snapshotRetentionMs);
    return new ResourceState({
      reader: this.#reader,
      clock,
      windowLimits: { ...DEFAULT_WINDOW_LIMITS, ...this.#options.windowLimits, maxAgeMs },
      snapshotRetentionMs,
    });
  }

  #replaceState(state: ResourceState): void {
    this.#state = state;
    this.#loaded = true;
    // What happened between the old state and the new is unknown: nobody may be shown a gap.
    if (this.#watchers.size > 0)
      this.#watchers.endAll(new StorageError("RevisionGone", "the watch cache has lost changes; list again"));
    this.#waiters.reached(state.revision);
  }

  #apply(change: Change, item?: CacheItem): void {
    const event = this.#state.apply(change, item);
    if (event !== undefined) this.#watchers.deliver(event);
    this.#advance(change.revision);
  }

  #advance(revision: Revision): void {
    this.#state.advance(revision);
    this.#waiters.reached(this.revision);
  }

  #readable(): ResourceState {
    if (this.#closed) throw closedError();
    if (!this.#loaded) throw new StorageError("Unavailable", "the watch cache is not loaded yet");
    return this.#state;
  }

  #log(message: string, error: unknown): void {
    this.#options.log?.(message, error);
  }
}

function closedError(): StorageError {
  return new StorageError("Closed", "the watch cache is closed");
}

/** Stops waiting, not the work, when the signal aborts. */
async function abortable(work: Promise<void>, signal: AbortSignal): Promise<void> {
  let onAbort: (() => void) | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      onAbort = () => reject(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      work.then(resolve, reject);
    });
  } finally {
    if (onAbort !== undefined) signal.removeEventListener("abort", onAbort);
  }
}
