// An engine whose answers are timed for one resource; everything goes to the engine as it is.

import type {
  EntryOptions,
  ListOptions,
  ListPage,
  Revision,
  StorageEngine,
  StoredEntry,
  WatchSink,
} from "../storage/engine.ts";
import { isStorageError, type StorageError } from "../storage/storage-error.ts";

export type StoreOperation = "get" | "list" | "listWithCount" | "create" | "update" | "delete";

/** What one list has read. */
export interface ListReading {
  /** The index of the cache that led to it, empty without one; undefined: the store was read. */
  readonly index: string | undefined;
  readonly fetched: number;
  readonly returned: number;
}

export interface StoreObserver {
  /** `failed`: the store could not answer. That a key is there, or another than expected, is an answer. */
  asked(operation: StoreOperation, seconds: number, failed: boolean): void;
  listed(reading: ListReading): void;
}

const MS_PER_SECOND = 1000;

export class ObservedEngine implements StorageEngine {
  readonly #engine: StorageEngine;
  readonly #observer: StoreObserver;

  constructor(engine: StorageEngine, observer: StoreObserver) {
    this.#engine = engine;
    this.#observer = observer;
  }

  get failure(): StorageError | undefined {
    return this.#engine.failure;
  }

  currentRevision(): Revision | Promise<Revision> {
    return this.#engine.currentRevision();
  }

  get newestKnown(): Revision | undefined {
    return this.#engine.newestKnown;
  }

  get(key: string, revision?: Revision): Promise<StoredEntry | undefined> {
    return this.#timed("get", () => this.#engine.get(key, revision));
  }

  list(prefix: string, options?: ListOptions): Promise<ListPage> {
    return this.#timed("list", () => this.#engine.list(prefix, options));
  }

  count(prefix: string): Promise<number> {
    return this.#timed("listWithCount", () => this.#engine.count(prefix));
  }

  create(key: string, value: Uint8Array, options?: EntryOptions): Promise<Revision> {
    return this.#timed("create", () => this.#engine.create(key, value, options));
  }

  update(key: string, value: Uint8Array, expected: Revision, options?: EntryOptions): Promise<Revision> {
    return this.#timed("update", () => this.#engine.update(key, value, expected, options));
  }

  delete(key: string, expected: Revision, options?: EntryOptions): Promise<Revision> {
    return this.#timed("delete", () => this.#engine.delete(key, expected, options));
  }

  watch(prefix: string, after: Revision, sink: WatchSink, signal: AbortSignal): Promise<void> {
    return this.#engine.watch(prefix, after, sink, signal);
  }

  requestProgress(): Promise<void> {
    return this.#engine.requestProgress();
  }

  compact(revision: Revision): Promise<void> {
    return this.#engine.compact(revision);
  }

  compactedRevision(): Promise<Revision> {
    return this.#engine.compactedRevision();
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  /** The answer itself, which nobody gets later for being timed. */
  #timed<T>(operation: StoreOperation, ask: () => Promise<T>): Promise<T> {
    const startMs = performance.now();
    const seconds = (): number => (performance.now() - startMs) / MS_PER_SECOND;
    const answer = ask();
    answer.then(
      () => this.#observer.asked(operation, seconds(), false),
      (error: unknown) =>
        this.#observer.asked(
          operation,
          seconds(),
          !isStorageError(error, "KeyExists", "KeyNotFound", "RevisionMismatch", "GuardGone"),
        ),
    );
    return answer;
  }
}
