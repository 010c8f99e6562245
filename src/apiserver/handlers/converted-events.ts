// Events of a version that a webhook converts to: converted many at a time, selected by what they are then, delivered in
// their order. All of it in turns: there may be many, and some may be large.

import { inTurns, type Steps } from "../../base/steps.ts";
import type { CacheEvent, CacheItem, EventType } from "../../registry/items.ts";

export interface Conversion {
  /** Items with bytes and fields of the served version, in the same order. */
  readonly convert: (items: readonly CacheItem[]) => Promise<readonly CacheItem[]>;
  /** Whether a converted item is meant, where only that can tell; all of them when absent. */
  readonly selects?: (item: CacheItem) => boolean;
}

interface ConvertedEventsOptions extends Conversion {
  readonly encode: (type: EventType, item: CacheItem, event: CacheEvent) => Steps<Uint8Array>;
  readonly turn: () => Promise<void>;
  readonly deliver: (frame: Uint8Array) => void;
  readonly fail: (error: unknown) => void;
}

interface Change {
  readonly event: CacheEvent;
  readonly type: EventType;
  readonly item: CacheItem;
  /** The state that a change left behind, where that may have been selected and the new one not, or the other way. */
  readonly left?: CacheItem;
}

/** More events than this do not wait for a webhook: the watch ends, and the client lists again. */
const MAX_WAITING = 1_000;
/** So many are converted at once. */
const BATCH = 100;

export class ConvertedEvents {
  readonly #options: ConvertedEventsOptions;
  #waiting: Change[] = [];
  #converting = false;
  #over = false;

  constructor(options: ConvertedEventsOptions) {
    this.#options = options;
  }

  /** False when too many wait already. */
  push(event: CacheEvent, type: EventType): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false;
    const compared = this.#options.selects !== undefined && type === "MODIFIED";
    this.#waiting.push({
      event,
      type,
      item: event.shownAs(type),
      ...(compared ? { left: event.shownAs("DELETED") } : {}),
    });
    if (!this.#converting) void this.#run();
    return true;
  }

  /** Nothing waits: everything that happened has been delivered. */
  get idle(): boolean {
    return !this.#converting && this.#waiting.length === 0;
  }

  /** Nobody listens any more. */
  end(): void {
    this.#over = true;
    this.#waiting = [];
  }

  async #run(): Promise<void> {
    this.#converting = true;
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.splice(0, BATCH);
        const items = batch.flatMap(({ item, left }) => (left === undefined ? [item] : [item, left]));
        const converted = await this.#options.convert(items);
        if (this.#over) return;
        await inTurns(this.#deliverAll(batch, converted.values()), this.#options.turn);
      }
    } catch (error) {
      this.#waiting = [];
      if (!this.#over) this.#options.fail(error);
    } finally {
      this.#converting = false;
    }
  }

  *#deliverAll(batch: readonly Change[], converted: ArrayIterator<CacheItem>): Steps<void> {
    const { selects = () => true, encode, deliver } = this.#options;
    for (const { event, type, left } of batch) {
      const item = converted.next().value!;
      const seen = seenAs(selects, type, item, left && converted.next().value!);
      if (seen !== undefined) deliver(yield* encode(seen.type, seen.item, event));
    }
  }
}

/** Undefined for a change that is not meant. */
function seenAs(
  selects: (item: CacheItem) => boolean,
  type: EventType,
  item: CacheItem,
  left: CacheItem | undefined,
): { readonly type: EventType; readonly item: CacheItem } | undefined {
  if (left === undefined) return selects(item) ? { type, item } : undefined;
  const was = selects(left);
  if (selects(item)) return { type: was ? "MODIFIED" : "ADDED", item };
  return was ? { type: "DELETED", item: left } : undefined;
}

/** The items as they are served, those that are meant. */
export async function selected({ convert, selects }: Conversion, items: readonly CacheItem[]): Promise<CacheItem[]> {
  const converted = await convert(items);
  return selects === undefined ? [...converted] : converted.filter(selects);
}
