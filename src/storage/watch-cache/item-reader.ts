// From stored bytes to items, and from the engine's changes to events.

import type { Clock } from "../../base/clock.ts";
import type { Steps } from "../../base/steps.ts";
import { BY_PEER, type Change, type Revision, type StoredEntry } from "../engine.ts";
import { type CacheItem, type EventTools, type FrameBudget, RecordedEvent } from "./cache-event.ts";

/**
 * Makes an item from stored bytes. For a delete it is called with the previous value and the revision of the delete.
 * `attachment` is what a writer of this process passed along. Bytes that cannot be decoded make an item with `corrupt`.
 */
export type ReadItem = (key: string, value: Uint8Array, revision: Revision, attachment?: unknown) => CacheItem;

/** The same for a value that takes long. */
export type ReadItemInSteps = (
  key: string,
  value: Uint8Array,
  revision: Revision,
  attachment?: unknown,
) => Steps<CacheItem>;

/** Whether others would notice how long a value takes to read. */
export type TakesLong = (value: Uint8Array, attachment: unknown) => boolean;

interface ItemReaderOptions {
  readonly readItem: ReadItem;
  readonly readItemInSteps?: ReadItemInSteps | undefined;
  readonly takesLong?: TakesLong | undefined;
  readonly rereadAt: ((item: CacheItem, revision: Revision) => CacheItem) | undefined;
  readonly frames: FrameBudget;
  readonly clock: Clock;
}

export class ItemReader {
  readonly #readItem: ReadItem;
  readonly #readItemInSteps: ReadItemInSteps | undefined;
  readonly #takesLong: TakesLong;
  readonly #tools: EventTools;
  readonly #clock: Clock;

  constructor(options: ItemReaderOptions) {
    const { readItem, readItemInSteps, takesLong = () => false, rereadAt, frames, clock } = options;
    this.#readItem = readItem;
    this.#readItemInSteps = readItemInSteps;
    this.#takesLong = takesLong;
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

  /** In one step, unless others would notice. */
  *readEntry({ key, value, revision }: StoredEntry, attachment?: unknown): Steps<CacheItem> {
    const takesLong = this.#readItemInSteps !== undefined && this.#takesLong(value, attachment);
    if (!takesLong) return this.read(key, value, revision, attachment);
    try {
      return yield* this.#readItemInSteps(key, value, revision, attachment);
    } catch (error) {
      return unreadable({ key, value, revision }, error);
    }
  }

  /** Whether others would notice how long the event of a change takes. */
  isLong({ value, attachment }: Change): boolean {
    return value !== undefined && this.#takesLong(value, attachment);
  }

  /** What a change leaves; undefined for a delete. */
  *itemOf({ key, value, revision, attachment }: Change): Steps<CacheItem | undefined> {
    return value === undefined ? undefined : yield* this.readEntry({ key, value, revision }, attachment);
  }

  /** The event of a change that found `previous`; undefined for the delete of what was not there. `read`: what it leaves. */
  event(change: Change, previous: CacheItem | undefined, read?: CacheItem): RecordedEvent | undefined {
    const { key, revision, value, attachment } = change;
    const atMs = this.#clock.monotonicMs();
    if (value !== undefined) {
      const type = previous === undefined ? "ADDED" : "MODIFIED";
      const item = read ?? this.read(key, value, revision, attachment);
      return new RecordedEvent({ type, revision, item, previous, atMs }, this.#tools);
    }
    if (previous === undefined) return undefined;
    const stored = change.previous;
    // What is held already need not be read again, unless its writer says what became of it at its end.
    const saysNothing = attachment === undefined || attachment === BY_PEER;
    const isSame = saysNothing && stored?.revision === previous.revision && previous.corrupt === undefined;
    const item =
      stored === undefined || isSame
        ? this.#tools.rereadAt(previous, revision)
        : this.read(key, stored.value, revision, attachment);
    return new RecordedEvent({ type: "DELETED", revision, item, previous, atMs }, this.#tools);
  }

  /** The event of a change of which only the engine remembers what it found. */
  *eventFromHistory(change: Change): Steps<RecordedEvent | undefined> {
    const previous = change.previous && (yield* this.readEntry(change.previous));
    return this.event(change, previous, yield* this.itemOf(change));
  }
}

function unreadable({ key, value, revision }: StoredEntry, error: unknown): CacheItem {
  const corrupt = error instanceof Error ? error : new Error(String(error));
  return { key, revision, bytes: value, labels: undefined, fields: Object.create(null), corrupt };
}
