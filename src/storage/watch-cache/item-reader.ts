// From stored bytes to items, and from the engine's changes to events.

import type { Clock } from "../../base/clock.ts";
import type { Steps } from "../../base/steps.ts";
import type { Change, Revision, StoredEntry } from "../engine.ts";
import { type CacheItem, type EventTools, type FrameBudget, RecordedEvent } from "./cache-event.ts";

/**
 * Makes an item from stored bytes. For a delete it is called with the previous value and the revision of the delete.
 * `attachment` is what a writer of this process passed along. Bytes that cannot be decoded make an item with `corrupt`.
 */
export type ReadItem = (key: string, value: Uint8Array, revision: Revision, attachment?: unknown) => CacheItem;

/** The same for a large value that nobody passed along. */
export type ReadItemInSteps = (key: string, value: Uint8Array, revision: Revision) => Steps<CacheItem>;

interface ItemReaderOptions {
  readonly readItem: ReadItem;
  readonly readItemInSteps?: ReadItemInSteps | undefined;
  readonly rereadAt: ((item: CacheItem, revision: Revision) => CacheItem) | undefined;
  readonly frames: FrameBudget;
  readonly clock: Clock;
}

export class ItemReader {
  readonly #readItem: ReadItem;
  readonly #readItemInSteps: ReadItemInSteps | undefined;
  readonly #tools: EventTools;
  readonly #clock: Clock;

  constructor(options: ItemReaderOptions) {
    const { readItem, readItemInSteps, rereadAt, frames, clock } = options;
    this.#readItem = readItem;
    this.#readItemInSteps = readItemInSteps;
    this.#clock = clock;
    this.#tools = { frames, rereadAt: rereadAt ?? ((item, revision) => this.read(item.key, item.bytes, revision)) };
  }

  /** Never throws: one unreadable object must not stop the whole resource. */
  read(key: string, value: Uint8Array, revision: Revision, attachment?: unknown): CacheItem {
    try {
      return this.#readItem(key, value, revision, attachment);
    } catch (error) {
      return unreadable({ key, value, revision }, error);
    }
  }

  readEntry({ key, value, revision }: StoredEntry): CacheItem {
    return this.read(key, value, revision);
  }

  /** The same for a large one. */
  *readEntryInSteps(entry: StoredEntry): Steps<CacheItem> {
    if (this.#readItemInSteps === undefined) return this.readEntry(entry);
    try {
      return yield* this.#readItemInSteps(entry.key, entry.value, entry.revision);
    } catch (error) {
      return unreadable(entry, error);
    }
  }

  /** The event of a change that found `previous`; undefined for the delete of what was not there. */
  event(change: Change, previous: CacheItem | undefined): RecordedEvent | undefined {
    const { key, revision, value, attachment } = change;
    const atMs = this.#clock.nowMs();
    if (value !== undefined) {
      const type = previous === undefined ? "ADDED" : "MODIFIED";
      const item = this.read(key, value, revision, attachment);
      return new RecordedEvent({ type, revision, item, previous, atMs }, this.#tools);
    }
    if (previous === undefined) return undefined;
    const stored = change.previous;
    // What is held already need not be read again, unless its writer says what became of it at its end.
    const isSame = attachment === undefined && stored?.revision === previous.revision && previous.corrupt === undefined;
    const item =
      stored === undefined || isSame
        ? this.#tools.rereadAt(previous, revision)
        : this.read(key, stored.value, revision, attachment);
    return new RecordedEvent({ type: "DELETED", revision, item, previous, atMs }, this.#tools);
  }

  /** The event of a change of which only the engine remembers what it found. */
  eventFromHistory(change: Change): RecordedEvent | undefined {
    return this.event(change, change.previous && this.readEntry(change.previous));
  }
}

function unreadable({ key, value, revision }: StoredEntry, error: unknown): CacheItem {
  const corrupt = error instanceof Error ? error : new Error(String(error));
  return { key, revision, bytes: value, labels: undefined, fields: Object.create(null), corrupt };
}
