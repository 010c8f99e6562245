// Events of a version that a webhook converts to: converted many at a time, delivered in their order.

import type { CacheItem, EventType } from "../../registry/items.ts";

interface ConvertedEventsOptions {
  /** Items with bytes of the served version, in the same order. */
  readonly convert: (items: readonly CacheItem[]) => Promise<readonly CacheItem[]>;
  readonly deliver: (type: EventType, item: CacheItem) => void;
  readonly fail: (error: unknown) => void;
}

/** More events than this do not wait for a webhook: the watch ends, and the client lists again. */
const MAX_WAITING = 1_000;
/** So many are converted at once. */
const BATCH = 100;

export class ConvertedEvents {
  readonly #options: ConvertedEventsOptions;
  #waiting: { readonly type: EventType; readonly item: CacheItem }[] = [];
  #converting = false;

  constructor(options: ConvertedEventsOptions) {
    this.#options = options;
  }

  /** False when too many wait already. */
  push(type: EventType, item: CacheItem): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false;
    this.#waiting.push({ type, item });
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
        const items = await this.#options.convert(batch.map(({ item }) => item));
        batch.forEach(({ type }, index) => {
          this.#options.deliver(type, items[index]!);
        });
      }
    } catch (error) {
      this.#waiting = [];
      this.#options.fail(error);
    } finally {
      this.#converting = false;
    }
  }
}
