// All watches of this process. One change stream over the whole store feeds them; a watch that starts further back than
// the recent changes reach gets a stream of its own until it meets the shared one.

import type { Change, Revision, WatchSink } from "../engine.ts";
import { StorageError } from "../storage-error.ts";
import type { ChangeReader } from "./change-stream.ts";
import { revisionGone } from "./reader.ts";
import { RecentChanges } from "./recent-changes.ts";

interface WatchHubDeps {
  currentRevision(): Promise<Revision>;
  /** See ChangeStream. */
  openStream(after: Revision, reader: ChangeReader, refuseCompactedAfter: boolean): Stoppable;
}

interface Stoppable {
  stop(): void;
}

// Watches that read history each hold a stream and what etcd prepares for it; more than this wait for their turn.
const MAX_CATCH_UPS = 16;

interface Watcher {
  readonly prefix: string;
  /** Everything up to here is not wanted, or was delivered by the watch's own stream, which may overtake the shared one. */
  after: Revision;
  readonly sink: WatchSink;
  readonly settle: (error?: unknown) => void;
  active: boolean;
  catchUp: Stoppable | undefined;
}

interface LiveFeed {
  readonly stream: Stoppable;
  readonly recent: RecentChanges;
  position: Revision;
}

export class WatchHub {
  readonly #deps: WatchHubDeps;
  readonly #watchers = new Set<Watcher>();
  /** Those that the live feed serves. */
  readonly #joined = new Set<Watcher>();
  readonly #waitingForCatchUp: Watcher[] = [];
  /** Those to whom progress is due although the live feed has not reached them yet. */
  readonly #owedProgress = new Set<Watcher>();
  #catchUps = 0;
  #live: LiveFeed | undefined;
  #starting: Promise<void> | undefined;
  /** Revisions at which progress was asked for and not yet told: the lowest and the highest of them. */
  #progressWanted: { lowest: Revision; highest: Revision } | undefined;
  #compacted: Revision = 0;
  #closed = false;

  constructor(deps: WatchHubDeps) {
    this.#deps = deps;
  }

  /** Begins to follow the store after `position`. */
  start(position: Revision): void {
    const feed: LiveFeed = {
      position,
      recent: new RecentChanges(position),
      stream: this.#deps.openStream(
        position,
        {
          changes: (changes, reached) => this.#dispatch(feed, changes, reached),
          gone: (oldest) => this.#lost(feed, oldest),
        },
        false,
      ),
    };
    this.#live = feed;
    // Who has read everything meanwhile may hear nothing more of its own stream for long.
    for (const watcher of this.#watchers) if (watcher.catchUp !== undefined) this.#meet(watcher, feed);
  }

  watch(prefix: string, after: Revision, sink: WatchSink, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise<void>((resolve, reject) => {
      const onAbort = () => this.#end(watcher);
      const watcher: Watcher = {
        prefix,
        after,
        sink,
        active: true,
        catchUp: undefined,
        settle: (error) => {
          signal.removeEventListener("abort", onAbort);
          if (error === undefined) resolve();
          else reject(error);
        },
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#watchers.add(watcher);
      // Later, so that no sink is called before its owner holds the promise.
      queueMicrotask(() => this.#admit(watcher));
    });
  }

  /** Tells every watch its progress as soon as it has delivered everything up to `revision`. */
  requestProgress(revision: Revision): void {
    for (const watcher of this.#watchers) if (!this.#joined.has(watcher)) this.#owedProgress.add(watcher);
    const wanted = this.#progressWanted;
    this.#progressWanted = {
      lowest: Math.min(revision, wanted?.lowest ?? revision),
      highest: Math.max(revision, wanted?.highest ?? revision),
    };
    if (this.#live !== undefined) this.#tellProgress(this.#live.position);
  }

  compacted(revision: Revision): void {
    this.#compacted = Math.max(this.#compacted, revision);
  }

  close(why = new StorageError("Closed", "the store has been closed")): void {
    this.#closed = true;
    this.#live?.stream.stop();
    this.#live = undefined;
    for (const watcher of [...this.#watchers]) this.#end(watcher, why);
  }

  #admit(watcher: Watcher): void {
    if (!watcher.active) return;
    if (watcher.after < this.#compacted) {
      this.#end(watcher, revisionGone(this.#compacted));
      return;
    }
    const live = this.#live;
    if (live === undefined) {
      this.#restart().then(
        () => this.#admit(watcher),
        (error: unknown) => this.#end(watcher, error),
      );
      return;
    }
    if (watcher.after >= live.recent.floor) this.#join(watcher, live);
    else if (this.#catchUps < MAX_CATCH_UPS) this.#startCatchUp(watcher);
    else this.#waitingForCatchUp.push(watcher);
  }

  #restart(): Promise<void> {
    this.#starting ??= this.#deps
      .currentRevision()
      .then((revision) => {
        if (!this.#closed && this.#live === undefined) this.start(revision);
      })
      .finally(() => {
        this.#starting = undefined;
      });
    return this.#starting;
  }

  /** What the watcher has seen must not be below the floor of the recent changes. */
  #join(watcher: Watcher, live: LiveFeed): void {
    for (const change of live.recent.after(watcher.after)) {
      if (!watcher.active) return;
      this.#offer(watcher, change);
    }
    if (!watcher.active) return;
    this.#joined.add(watcher);
    if (this.#owedProgress.has(watcher)) this.#offerProgress(watcher, live.position);
  }

  #startCatchUp(watcher: Watcher): void {
    this.#catchUps++;
    watcher.catchUp = this.#deps.openStream(
      watcher.after,
      {
        changes: (changes, reached) => {
          for (const change of changes) {
            if (!watcher.active) return;
            this.#offer(watcher, change);
          }
          watcher.after = reached;
          if (this.#live !== undefined) this.#meet(watcher, this.#live);
        },
        gone: (oldest) => this.#end(watcher, revisionGone(oldest)),
      },
      true,
    );
  }

  /** Ends the watch's own stream where the live feed goes on from what it has delivered. */
  #meet(watcher: Watcher, live: LiveFeed): void {
    if (!watcher.active || watcher.after < live.recent.floor) return;
    this.#endCatchUp(watcher);
    this.#join(watcher, live);
  }

  #endCatchUp(watcher: Watcher): void {
    if (watcher.catchUp === undefined) return;
    watcher.catchUp.stop();
    watcher.catchUp = undefined;
    this.#catchUps--;
    for (let next = this.#waitingForCatchUp.shift(); next !== undefined; next = this.#waitingForCatchUp.shift()) {
      if (!next.active) continue;
      const admitted = next;
      queueMicrotask(() => this.#admit(admitted));
      return;
    }
  }

  #dispatch(feed: LiveFeed, changes: readonly Change[], reached: Revision): void {
    if (this.#live !== feed) return;
    for (const change of changes) {
      feed.recent.push(change);
      for (const watcher of this.#joined) this.#offer(watcher, change);
    }
    feed.recent.trim();
    feed.position = reached;
    this.#tellProgress(reached);
    for (const watcher of this.#owedProgress) if (this.#joined.has(watcher)) this.#offerProgress(watcher, reached);
  }

  #lost(feed: LiveFeed, oldest: Revision): void {
    if (this.#live !== feed) return;
    this.#live = undefined;
    const gone = revisionGone(oldest);
    for (const watcher of [...this.#joined]) this.#end(watcher, gone);
    // Those that still catch up need a shared stream to meet.
    if (this.#watchers.size > 0) {
      this.#restart().catch((error: unknown) => {
        for (const watcher of [...this.#watchers]) this.#end(watcher, error);
      });
    }
  }

  #tellProgress(position: Revision): void {
    const wanted = this.#progressWanted;
    if (wanted === undefined || position < wanted.lowest) return;
    this.#progressWanted = position >= wanted.highest ? undefined : { lowest: position + 1, highest: wanted.highest };
    for (const watcher of this.#joined) this.#offerProgress(watcher, position);
  }

  #offer(watcher: Watcher, change: Change): void {
    if (!watcher.active || change.revision <= watcher.after || !change.key.startsWith(watcher.prefix)) return;
    try {
      watcher.sink.change(change);
    } catch (error) {
      this.#end(watcher, error);
    }
  }

  #offerProgress(watcher: Watcher, position: Revision): void {
    if (!watcher.active) return;
    if (position < watcher.after) {
      this.#owedProgress.add(watcher);
      return;
    }
    this.#owedProgress.delete(watcher);
    try {
      watcher.sink.progress?.(position);
    } catch (error) {
      this.#end(watcher, error);
    }
  }

  #end(watcher: Watcher, error?: unknown): void {
    if (!watcher.active) return;
    watcher.active = false;
    this.#watchers.delete(watcher);
    this.#joined.delete(watcher);
    this.#owedProgress.delete(watcher);
    this.#endCatchUp(watcher);
    watcher.settle(error);
  }
}
