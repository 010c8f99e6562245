// What the watch cache holds and tells: items, and the changes that lead from one to the next.

import type { Steps } from "../../base/steps.ts";
import type { Revision } from "../engine.ts";

/** One object as the cache holds it. Immutable, shared by all readers. */
export interface CacheItem {
  /** For example "/registry/configmaps/ns/name". */
  readonly key: string;
  readonly revision: Revision;
  /** The complete object in JSON, its resourceVersion included. */
  readonly bytes: Uint8Array;
  /** A null-prototype object, undefined when there are none. */
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** The selectable fields (metadata.name, metadata.namespace, ...). */
  readonly fields: Readonly<Record<string, string>>;
  /** Why the stored bytes could not be decoded; `bytes` are then the stored ones. */
  readonly corrupt?: Error;
}

export type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** One change, shared by all watchers. Immutable. */
export interface CacheEvent {
  readonly type: EventType;
  readonly revision: Revision;
  /** The new state; for DELETED the last state, carrying the revision of the deletion. */
  readonly item: CacheItem;
  /** The state before; undefined for ADDED. */
  readonly previous: CacheItem | undefined;

  /**
   * The object to show to a watcher that sees this change as `type`. An object that leaves a watcher's selector is seen
   * as DELETED: its previous content with the revision of this change.
   */
  shownAs(type: EventType): CacheItem;

  /** The encoded frame; `encode` runs once per representation and type for all watchers, not once per watcher. */
  frame(representation: string, type: EventType, encode: () => Uint8Array): Uint8Array;
  /** The same where encoding takes long. Runs more than once when asked again before the first is done. */
  frameInSteps(representation: string, type: EventType, encode: () => Steps<Uint8Array>): Steps<Uint8Array>;
}

interface EventContent {
  readonly type: EventType;
  readonly revision: Revision;
  readonly item: CacheItem;
  readonly previous: CacheItem | undefined;
  /** When the cache learned of the change, on the monotonic clock. */
  readonly atMs: number;
}

export interface EventTools {
  readonly frames: FrameBudget;
  /** The same object with another revision. */
  readonly rereadAt: (item: CacheItem, revision: Revision) => CacheItem;
}

type Frames = Record<EventType, Uint8Array | undefined>;

export class RecordedEvent implements CacheEvent {
  readonly type: EventType;
  readonly revision: Revision;
  readonly item: CacheItem;
  readonly previous: CacheItem | undefined;
  readonly atMs: number;
  readonly #tools: EventTools;
  #left: CacheItem | undefined;
  #frames: Map<string, Frames> | undefined;

  constructor(content: EventContent, tools: EventTools) {
    this.type = content.type;
    this.revision = content.revision;
    this.item = content.item;
    this.previous = content.previous;
    this.atMs = content.atMs;
    this.#tools = tools;
  }

  shownAs(type: EventType): CacheItem {
    if (type !== "DELETED" || this.type === "DELETED" || this.previous === undefined) return this.item;
    this.#left ??= this.#tools.rereadAt(this.previous, this.revision);
    return this.#left;
  }

  frame(representation: string, type: EventType, encode: () => Uint8Array): Uint8Array {
    const known = this.#frames?.get(representation)?.[type];
    if (known !== undefined) return known;

    const frame = encode();
    this.#frames ??= new Map();
    let frames = this.#frames.get(representation);
    if (frames === undefined) {
      frames = { ADDED: undefined, MODIFIED: undefined, DELETED: undefined };
      this.#frames.set(representation, frames);
    }
    frames[type] = frame;
    this.#tools.frames.charge(this, frame.length);
    return frame;
  }

  *frameInSteps(representation: string, type: EventType, encode: () => Steps<Uint8Array>): Steps<Uint8Array> {
    const frame = this.#frames?.get(representation)?.[type] ?? (yield* encode());
    return this.frame(representation, type, () => frame);
  }

  forgetFrames(): void {
    this.#frames = undefined;
    this.#left = undefined;
  }

  /** Nobody will ask for it any more: its frames make room for those of others. */
  dropped(): void {
    this.forgetFrames();
    this.#tools.frames.release(this);
  }
}

/** So many times `maxBytes` the frames of one event may have while they are asked for. */
const BUDGETS_OF_ONE = 8;

/** Bounds the memory of memoised frames: beyond `maxBytes` the oldest are forgotten and encoded anew when asked for. */
export class FrameBudget {
  readonly #maxBytes: number;
  /** The oldest first. */
  readonly #charged = new Map<RecordedEvent, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get sizeBytes(): number {
    return this.#bytes;
  }

  charge(event: RecordedEvent, bytes: number): void {
    const mine = (this.#charged.get(event) ?? 0) + bytes;
    this.#charged.set(event, mine);
    this.#bytes += bytes;
    if (this.#bytes <= this.#maxBytes) return;
    for (const oldest of this.#charged.keys()) {
      // Others are about to ask for its other frames, which would all be encoded again and again.
      if (oldest === event && mine <= BUDGETS_OF_ONE * this.#maxBytes) continue;
      this.release(oldest);
      oldest.forgetFrames();
      if (this.#bytes <= this.#maxBytes) return;
    }
  }

  release(event: RecordedEvent): void {
    const bytes = this.#charged.get(event);
    if (bytes === undefined) return;
    this.#charged.delete(event);
    this.#bytes -= bytes;
  }
}

/** How a watcher with this selector sees a change; undefined when it does not concern it. */
export function transition(
  event: CacheEvent,
  matches: ((item: CacheItem) => boolean) | undefined,
): EventType | undefined {
  if (matches === undefined) return event.type;
  const before = event.previous !== undefined && matches(event.previous);
  // Nobody can tell what is damaged apart: whoever may be meant hears of it.
  const now = event.type !== "DELETED" && (event.item.corrupt !== undefined || matches(event.item));
  if (now) return before ? "MODIFIED" : "ADDED";
  return before ? "DELETED" : undefined;
}
