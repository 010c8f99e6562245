// The watchers of an engine whose writers live in the same process: who gets a change at the moment of its commit.
// Shared by the memory and the LMDB engine.

import { nextTurn } from "../base/next-turn.ts";
import type { Change, Revision, WatchSink } from "./engine.ts";
import { StorageError } from "./storage-error.ts";

/** What a watch replays before it goes live. All calls are synchronous, so that nothing can be committed in between. */
interface ChangeHistory {
  /** The newest revision whose change has been published. */
  revision(): Revision;
  /**
   * Delivers a bounded number of the changes below `prefix` after `after`, in order, and returns the revision up to which
   * all are delivered. Fails with RevisionGone. `keepGoing` turns false when the watcher has lost interest.
   */
  replay(prefix: string, after: Revision, sink: WatchSink, keepGoing: () => boolean): Revision;
}

interface Watcher {
  readonly prefix: string;
  readonly sink: WatchSink;
  /** Changes up to here are not for this watcher: replayed already, or before the revision it asked for. */
  readonly after: Revision;
  readonly end: (error?: unknown) => void;
}

export class LiveWatchers {
  /** Watchers by exact prefix. Most prefixes end with a slash, so a key finds its watchers by its own path. */
  readonly #byPrefix = new Map<string, Set<Watcher>>();
  /** Lengths of the prefixes that do not end with a slash, with how many prefixes have each. */
  readonly #oddLengths = new Map<number, number>();
  readonly #history: ChangeHistory;
  /** Watches still replaying that were asked for progress meanwhile. */
  #progressRequests = 0;
  #endedBy: { readonly error: unknown } | undefined;
  /** What watches end with that have been told all there is. */
  #endsAfterAll: { readonly error: unknown } | undefined;

  constructor(history: ChangeHistory) {
    this.#history = history;
  }

  /** Replays, then follows until `signal` aborts. Rejects when the sink throws, or when endAll or endAfterAll was called. */
  async follow(prefix: string, after: Revision, sink: WatchSink, signal: AbortSignal): Promise<void> {
    const requestsBefore = this.#progressRequests;
    let position = after;
    while (position < this.#history.revision() && !signal.aborted) {
      if (this.#endedBy !== undefined) throw this.#endedBy.error;
      position = this.#history.replay(prefix, position, sink, () => !signal.aborted);
      if (position < this.#history.revision()) await nextTurn();
    }
    if (signal.aborted) return;
    if (this.#endedBy !== undefined) throw this.#endedBy.error;
    if (this.#endsAfterAll !== undefined) {
      if (position > after) sink.progress?.(position);
      throw this.#endsAfterAll.error;
    }
    // No await between the last replay and this line: no commit can fall between history and live.
    await this.#live(prefix, position, sink, signal, this.#progressRequests > requestsBefore);
  }

  /** Gives a change to everyone whose prefix fits. To be called in revision order, right after the commit. */
  publish(change: Change): void {
    const { key } = change;
    for (let slash = key.indexOf("/"); slash !== -1; slash = key.indexOf("/", slash + 1)) {
      this.#deliver(key.slice(0, slash + 1), change);
    }
    for (const length of this.#oddLengths.keys()) {
      const prefix = key.slice(0, length);
      // A slash at the end means that the loop above has had it.
      if (key.length >= length && !prefix.endsWith("/")) this.#deliver(prefix, change);
    }
  }

  /** Tells every watcher that all changes up to the published revision have been delivered. */
  progress(): void {
    this.#progressRequests++;
    const revision = this.#history.revision();
    for (const watchers of [...this.#byPrefix.values()]) {
      for (const watcher of [...watchers]) {
        if (watcher.sink.progress !== undefined) guarded(watcher, () => watcher.sink.progress?.(revision));
      }
    }
  }

  /** Ends every watch, also those that start later, with this error. */
  endAll(error: unknown): void {
    this.#endedBy = { error };
    this.endLive(error);
  }

  /** The same, once each has been told all that has been published, when nothing more will be: what is stored can still be read. */
  endAfterAll(error: unknown): void {
    this.#endsAfterAll = { error };
    this.progress();
    this.endLive(error);
  }

  /** Ends those that are live. */
  endLive(error: unknown): void {
    for (const watchers of [...this.#byPrefix.values()]) for (const watcher of [...watchers]) watcher.end(error);
  }

  #live(prefix: string, after: Revision, sink: WatchSink, signal: AbortSignal, owesProgress: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const watcher: Watcher = {
        prefix,
        sink,
        after,
        end: (error) => {
          this.#remove(watcher);
          signal.removeEventListener("abort", onAbort);
          if (error === undefined) resolve();
          else reject(error);
        },
      };
      const onAbort = () => watcher.end();
      signal.addEventListener("abort", onAbort, { once: true });
      this.#add(watcher);
      if (owesProgress) guarded(watcher, () => sink.progress?.(this.#history.revision()));
    });
  }

  #deliver(prefix: string, change: Change): void {
    const watchers = this.#byPrefix.get(prefix);
    if (watchers === undefined) return;
    for (const watcher of watchers) {
      if (change.revision > watcher.after) guarded(watcher, () => watcher.sink.change(change));
    }
  }

  #add(watcher: Watcher): void {
    let watchers = this.#byPrefix.get(watcher.prefix);
    if (watchers === undefined) {
      watchers = new Set();
      this.#byPrefix.set(watcher.prefix, watchers);
      if (!watcher.prefix.endsWith("/")) {
        const { length } = watcher.prefix;
        this.#oddLengths.set(length, (this.#oddLengths.get(length) ?? 0) + 1);
      }
    }
    watchers.add(watcher);
  }

  #remove(watcher: Watcher): void {
    const watchers = this.#byPrefix.get(watcher.prefix);
    if (watchers?.delete(watcher) !== true || watchers.size > 0) return;
    this.#byPrefix.delete(watcher.prefix);
    if (watcher.prefix.endsWith("/")) return;
    const { length } = watcher.prefix;
    const left = (this.#oddLengths.get(length) ?? 1) - 1;
    if (left === 0) this.#oddLengths.delete(length);
    else this.#oddLengths.set(length, left);
  }
}

export function revisionGone(revision: Revision, oldest: Revision): StorageError {
  return new StorageError("RevisionGone", `revision ${revision} has been compacted; the oldest is ${oldest}`, {
    revision: oldest,
  });
}

export function revisionInFuture(revision: Revision, newest: Revision): StorageError {
  return new StorageError("RevisionInFuture", `revision ${revision} has not happened yet; the newest is ${newest}`, {
    revision: newest,
  });
}

/** A sink that throws ends its own watch and disturbs nobody else. */
function guarded(watcher: Watcher, call: () => void): void {
  try {
    call();
  } catch (error) {
    watcher.end(error ?? new Error("the watch sink failed"));
  }
}
