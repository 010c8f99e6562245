// Events of a version that a webhook converts to: converted many at a time, selected by what they are then, delivered in
// their order.

import type { CacheEvent, CacheItem, EventType } from "../../registry/items.ts";

export interface Conversion {
  /** Items with bytes and fields of the served version, in the same order. */
  readonly convert: (items: readonly CacheItem[]) => Promise<readonly CacheItem[]>;
  /** Whether a converted item is meant, where only that can tell; all of them when absent. */
  readonly selects?: (item: CacheItem) => boolean;
}

interface ConvertedEventsOptions extends Conversion {
  readonly deliver: (type: EventType, item: CacheItem) => void;
  readonly fail: (error: unknown) => void;
}

interface Change {
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

  constructor(options: ConvertedEventsOptions) {
    this.#options = options;
  }

  /** False when too many wait already. */
  push(event: Pick<CacheEvent, "shownAs">, type: EventType): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false;
    const compared = this.#options.selects !== undefined && type === "MODIFIED";
    this.#waiting.push({
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

  async #run(): Promise<void> {
    this.#converting = true;
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.splice(0, BATCH);
        const items = batch.flatMap(({ item, left }) => (left === undefined ? [item] : [item, left]));
        const converted = (await this.#options.convert(items)).values();
        for (const { type, left } of batch) {
          const item = converted.next().value!;
          this.#deliver(type, item, left === undefined ? undefined : converted.next().value!);
        }
      }
    } catch (error) {
      this.#waiting = [];
      this.#options.fail(error);
    } finally {
      this.#converting = false;
    }
  }

  #deliver(type: EventType, item: CacheItem, left: CacheItem | undefined): void {
    const { selects = () => true, deliver } = this.#options;
    if (left === undefined) {
      if (selects(item)) deliver(type, item);
      return;
    }
    const was = selects(left);
    if (selects(item)) deliver(was ? "MODIFIED" : "ADDED", item);
    else if (was) deliver("DELETED", left);
  }
}

/** The items as they are served, those that are meant. */
export async function selected({ convert, selects }: Conversion, items: readonly CacheItem[]): Promise<CacheItem[]> {
  const converted = await convert(items);
  return selects === undefined ? [...converted] : converted.filter(selects);
}
