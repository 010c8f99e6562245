// The storage contract: keys, bytes and revisions. An engine knows nothing of objects or kinds.
//
// Every commit takes the next revision of one counter. A worked example, empty store at revision 1:
//
//   create("/registry/configmaps/a/x", v1)      -> revision 2     current: x@2        log: 2 put x
//   update("/registry/configmaps/a/x", v2, 2)   -> revision 3     current: x@3        log: 2 put x, 3 put x
//   delete("/registry/configmaps/a/x", 3)       -> revision 4     current: -          log: ..., 4 delete x (previous v2@3)
//   compact(3)                                  -> reads and watches at revisions below 3 fail with RevisionGone
//
// Promises, all shown by contract.testing.ts for every engine:
// - A commit is durable before its promise resolves. A commit and its event become visible in one step: who has seen the
//   answer finds the change in every later read and watch.
// - A watch first replays history after the given revision, then live changes: in revision order, no gap, no repeat.
// - A list is one snapshot: all pages at `revision` agree, whatever is written meanwhile.
//
// And one that an engine is given: a value belongs to nobody once it was handed over. Writers do not use its bytes again,
// readers do not change them, so that an engine may keep and hand out what it got, without a copy.

import type { StorageError } from "./storage-error.ts";
import type { Revision, StoredEntry } from "./stored-entry.ts";

export type { Revision, StoredEntry } from "./stored-entry.ts";

/** One commit as a watcher sees it. */
export interface Change {
  readonly type: "put" | "delete";
  readonly key: string;
  readonly revision: Revision;
  /** The new value of a put; undefined for a delete. */
  readonly value: Uint8Array | undefined;
  /** What the key held before; undefined when it did not exist. */
  readonly previous: StoredEntry | undefined;
  /** What the writer passed along in EntryOptions, when the writer is this process; never persisted. */
  readonly attachment?: unknown;
}

export interface ListPage {
  readonly entries: readonly StoredEntry[];
  /** The revision at which this page was read. */
  readonly revision: Revision;
  /** Whether keys remain after the last entry. */
  readonly more: boolean;
  /** How many keys remain after the last entry, at the same revision. */
  readonly remainingCount: number;
}

export interface ListOptions {
  /** Only keys strictly after this one. */
  readonly after?: string;
  /** At most so many entries; all when absent. */
  readonly limit?: number;
  /** At exactly this revision; the current one when absent. Fails with RevisionGone or RevisionInFuture. */
  readonly revision?: Revision;
}

export interface EntryOptions {
  /** The key vanishes (as an ordinary delete) this long after the write. */
  readonly ttlSeconds?: number;
  /** Travels with the change to watchers of this process, so that they need not decode the value again. */
  readonly attachment?: unknown;
  /**
   * A key without which nothing is written: decided with the commit. Fails with GuardGone when there is none. Where the outcome
   * of a write has to be found out, it counts that a key that served as a guard is not made again once it has gone.
   */
  readonly guard?: string | undefined;
}

/**
 * The attachment of changes that another process of the same server has made: their values were checked before they were
 * written, and nobody has to look into them before somebody asks.
 */
export const BY_PEER: unique symbol = Symbol("by a peer");

export interface StorageEngine {
  /** The newest committed revision, linearizable: not older than any commit answered before the call, on any server. */
  currentRevision(): Revision | Promise<Revision>;

  /** The same, where this process knows it without asking or waiting for anybody; undefined where it does not. */
  readonly newestKnown?: Revision | undefined;

  /** Why nothing is written any more until somebody starts the engine anew; undefined as long as writes are taken. */
  readonly failure?: StorageError | undefined;

  /** The entry now, linearizable; or as it stood at `revision` (RevisionGone, RevisionInFuture). */
  get(key: string, revision?: Revision): Promise<StoredEntry | undefined>;

  /** A page of the keys that start with `prefix`, in byte order. */
  list(prefix: string, options?: ListOptions): Promise<ListPage>;

  /** Number of keys with this prefix now. Cheap. */
  count(prefix: string): Promise<number>;

  /** Writes a key that must not exist. Fails with KeyExists; as all writes, with Undecided where nobody can tell whether it did. */
  create(key: string, value: Uint8Array, options?: EntryOptions): Promise<Revision>;

  /** Replaces a value whose revision must be `expected`. Fails with RevisionMismatch (carrying the current entry) or KeyNotFound. */
  update(key: string, value: Uint8Array, expected: Revision, options?: EntryOptions): Promise<Revision>;

  /** Deletes a key whose revision must be `expected`. Fails as update does. */
  delete(key: string, expected: Revision, options?: EntryOptions): Promise<Revision>;

  /**
   * Follows the keys that start with `prefix`, beginning with the first change after `after`. Ends when `signal` aborts.
   * Fails with RevisionGone when `after` has been compacted, with Unavailable when the engine is lost.
   * The sink is called in revision order, synchronously with the commit's visibility, and must not block; `progress`
   * says that every change up to that revision has been delivered. A sink that throws ends its watch, with its error.
   */
  watch(prefix: string, after: Revision, sink: WatchSink, signal: AbortSignal): Promise<void>;

  /** Asks for a `progress` call on every watch as soon as it has caught up with the current revision. */
  requestProgress(): Promise<void>;

  /** Forgets history below `revision`: reads and watches before it fail with RevisionGone. */
  compact(revision: Revision): Promise<void>;

  /** The oldest revision at which reads are still possible. */
  compactedRevision(): Promise<Revision>;

  /** Finishes what was begun, flushes, closes. Later calls fail with Closed. */
  close(): Promise<void>;
}

export interface WatchSink {
  change(change: Change): void;
  progress?(revision: Revision): void;
}
