// The state of a resource at recent revisions, for exact lists and continue tokens. Specification: document 1,
// "List and watch semantics" (snapshots kept for 75 seconds by default).
//
// A checkpoint (a clone of the map, constant time) is kept only every CHECKPOINT_EVERY_CHANGES changes. Any revision in
// between is had by undoing changes of the window, backwards from the next checkpoint or from the current state:
//
//   changes     5 put a   6 put b   7 put a   8 delete b        checkpoints: after 6; current: after 8
//   state at 5  = checkpoint 6, undo 6                          state at 7 = current, undo 8

import { BoundedCache } from "../../base/bounded-cache.ts";
import type { Clock } from "../../base/clock.ts";
import type { Revision } from "../engine.ts";
import type { CacheItem, RecordedEvent } from "./cache-event.ts";
import { Fifo } from "./fifo.ts";
import type { OrderedMap } from "./ordered-map.ts";
import type { Window } from "./window.ts";

/** The most work to rebuild a state between two checkpoints. */
const CHECKPOINT_EVERY_CHANGES = 128;
const MAX_CHECKPOINTS = 1024;
/** Rebuilt states are kept for the next pages of the same list. */
const MAX_REBUILT = 32;

interface Checkpoint {
  readonly revision: Revision;
  readonly atMs: number;
  readonly items: OrderedMap<CacheItem>;
}

interface SnapshotsOptions {
  readonly window: Window;
  readonly clock: Clock;
  readonly retentionMs: number;
}

export class Snapshots {
  readonly #options: SnapshotsOptions;
  readonly #checkpoints = new Fifo<Checkpoint>();
  readonly #rebuilt = new BoundedCache<Revision, OrderedMap<CacheItem>>({ maxEntries: MAX_REBUILT });
  #changesSinceCheckpoint = 0;
  /** States up to and including this revision are no longer served. */
  #forgotten: Revision = -1;

  constructor(options: SnapshotsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#checkpoints.length + this.#rebuilt.size;
  }

  /** To be called before the first change of every revision: only then is the state of the one before complete. */
  beforeChange(items: OrderedMap<CacheItem>, revision: Revision): void {
    this.#changesSinceCheckpoint += 1;
    if (this.#changesSinceCheckpoint < CHECKPOINT_EVERY_CHANGES) return;
    this.#changesSinceCheckpoint = 0;
    this.#checkpoints.push({ revision, atMs: this.#options.clock.monotonicMs(), items: items.clone() });
    this.#trim();
  }

  /** The state at `revision`, which the cache has reached; undefined when no longer held. Not to be changed. */
  at(revision: Revision, current: OrderedMap<CacheItem>): OrderedMap<CacheItem> | undefined {
    const { window, clock, retentionMs } = this.#options;
    window.trim();
    this.#trim();
    const firstLater = window.indexAfter(revision);
    const superseding = window.at(firstLater);
    if (revision < window.floor) return undefined;
    if (superseding === undefined) return current;
    if (revision <= this.#forgotten || superseding.atMs < clock.monotonicMs() - retentionMs) return undefined;

    return this.#rebuilt.getOrMake(revision, () => this.#rebuild(revision, firstLater, current));
  }

  #rebuild(revision: Revision, firstLater: number, current: OrderedMap<CacheItem>): OrderedMap<CacheItem> {
    const { window } = this.#options;
    const next = this.#checkpoints.at(this.#checkpoints.firstIndex((checkpoint) => checkpoint.revision >= revision));
    const items = (next?.items ?? current).clone();
    const end = next === undefined ? window.length : window.indexAfter(next.revision);
    for (let index = end - 1; index >= firstLater; index--) {
      const { item, previous } = window.at(index) as RecordedEvent;
      if (previous === undefined) items.delete(item.key);
      else items.set(item.key, previous);
    }
    return items;
  }

  #trim(): void {
    const { window, clock, retentionMs } = this.#options;
    const oldestMs = clock.monotonicMs() - retentionMs;
    for (;;) {
      const oldest = this.#checkpoints.at(0);
      if (oldest === undefined) break;
      const held = oldest.atMs >= oldestMs && oldest.revision >= window.floor;
      if (held && this.#checkpoints.length <= MAX_CHECKPOINTS) break;
      this.#checkpoints.shift();
      this.#forgotten = oldest.revision;
    }
    for (const [revision] of this.#rebuilt.entries()) {
      if (revision < window.floor || revision <= this.#forgotten) this.#rebuilt.delete(revision);
    }
  }
}
