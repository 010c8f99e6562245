// Everything the cache knows of its resource since one load: the objects, the recent changes, the recent states.

import type { Clock } from "../../base/clock.ts";
import type { Steps } from "../../base/steps.ts";
import type { Change, Revision, StoredEntry } from "../engine.ts";
import type { CacheItem, RecordedEvent } from "./cache-event.ts";
import { ItemIndexes } from "./item-indexes.ts";
import type { ItemReader } from "./item-reader.ts";
import { OrderedMap } from "./ordered-map.ts";
import { Snapshots } from "./snapshots.ts";
import { Window, type WindowLimits } from "./window.ts";

interface ResourceStateOptions {
  readonly reader: ItemReader;
  readonly clock: Clock;
  readonly windowLimits: WindowLimits;
  readonly snapshotRetentionMs: number;
}

/** So much is read in one step; what takes long in several. */
const LOADED_BYTES_PER_STEP = 32 * 1024;

export class ResourceState {
  readonly #reader: ItemReader;
  readonly items = new OrderedMap<CacheItem>();
  readonly indexes = new ItemIndexes(this.items);
  readonly window: Window;
  readonly snapshots: Snapshots;
  #revision: Revision = 0;
  #sizeBytes = 0;

  constructor(options: ResourceStateOptions) {
    const { reader, clock, windowLimits, snapshotRetentionMs } = options;
    this.#reader = reader;
    this.window = new Window(windowLimits, clock);
    this.snapshots = new Snapshots({ window: this.window, clock, retentionMs: snapshotRetentionMs });
  }

  /** Everything up to this revision is in here. */
  get revision(): Revision {
    return this.#revision;
  }

  /** Of the current objects. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  *load(entries: readonly StoredEntry[]): Steps<void> {
    let sizeBytes = 0;
    for (const entry of entries) {
      sizeBytes += entry.value.length;
      if (sizeBytes > LOADED_BYTES_PER_STEP) {
        if (sizeBytes > entry.value.length) yield;
        sizeBytes = entry.value.length;
      }
      this.#put(yield* this.#reader.readEntry(entry), undefined);
    }
  }

  /** The load is complete and shows the state at `revision`. */
  loaded(revision: Revision): void {
    this.#revision = revision;
    this.window.forgetUpTo(revision);
  }

  advance(revision: Revision): void {
    this.#revision = Math.max(this.#revision, revision);
  }

  /** Returns what watchers are to be told; undefined for a change that is already in here. `read`: what it leaves. */
  apply(change: Change, read?: CacheItem): RecordedEvent | undefined {
    const previous = this.items.get(change.key);
    const repeated = previous !== undefined && previous.revision >= change.revision;
    const event = repeated ? undefined : this.#reader.event(change, previous, read);
    if (event === undefined) return undefined;

    // Only between revisions: an engine may change several keys in one.
    if (change.revision > this.#revision) this.snapshots.beforeChange(this.items, this.#revision);
    if (event.type === "DELETED") this.#remove(event.previous ?? event.item);
    else this.#put(event.item, previous);
    this.window.append(event);
    this.advance(change.revision);
    return event;
  }

  /** The objects at `revision`; undefined when not held. Not to be changed, and for the newest only until the next change. */
  itemsAt(revision: Revision): OrderedMap<CacheItem> | undefined {
    if (revision > this.#revision) return undefined;
    return revision === this.#revision ? this.items : this.snapshots.at(revision, this.items);
  }

  #put(item: CacheItem, previous: CacheItem | undefined): void {
    this.items.set(item.key, item);
    this.indexes.replace(previous, item);
    this.#sizeBytes += item.bytes.length - (previous?.bytes.length ?? 0);
  }

  #remove(item: CacheItem): void {
    this.items.delete(item.key);
    this.indexes.replace(item, undefined);
    this.#sizeBytes -= item.bytes.length;
  }
}
