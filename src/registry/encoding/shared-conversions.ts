// Items in a version that a webhook converts to. Many watches are sent the same events, and begin with the same objects: the
// webhook is asked once for what they want at about the same time.

import { BoundedCache } from "../../base/bounded-cache.ts";
import type { CacheItem } from "../../storage/watch-cache.ts";
import type { ServedResource } from "../served-resource.ts";
import { convertItems } from "./encode-event.ts";

/** Watches are not in step with each other: what one has just been sent, another asks for a little later. */
const MAX_KEPT_BYTES = 1024 * 1024;
const MAX_KEPT_ITEMS = 1_000;

class SharedConversions {
  readonly #resource: ServedResource;
  readonly #underWay = new Map<CacheItem, Promise<CacheItem>>();
  readonly #recent = new BoundedCache<CacheItem, CacheItem>({
    maxEntries: MAX_KEPT_ITEMS,
    maxBytes: MAX_KEPT_BYTES,
    sizeBytes: (item, converted) => item.bytes.length + converted.bytes.length,
  });

  constructor(resource: ServedResource) {
    this.#resource = resource;
  }

  async convert(items: readonly CacheItem[]): Promise<readonly CacheItem[]> {
    const unknown = items.filter((item) => this.#known(item) === undefined);
    if (unknown.length > 0) this.#ask(unknown);
    try {
      return await Promise.all(items.map((item) => this.#known(item)!));
    } catch (error) {
      // Another's question may have failed for something else that was in it.
      if (unknown.length === items.length) throw error;
      return convertItems(this.#resource, items);
    }
  }

  #known(item: CacheItem): CacheItem | Promise<CacheItem> | undefined {
    return this.#underWay.get(item) ?? this.#recent.get(item);
  }

  #ask(items: readonly CacheItem[]): void {
    const answer = convertItems(this.#resource, items);
    for (const [index, item] of items.entries()) {
      const one = answer
        .then((all) => {
          const converted = all[index]!;
          this.#recent.set(item, converted);
          return converted;
        })
        .finally(() => this.#underWay.delete(item));
      // Whoever waits for it hears of a failure, and perhaps nobody does any more.
      one.catch(() => undefined);
      this.#underWay.set(item, one);
    }
  }
}

/** A resource is made anew with its definition, and so is the cache that has the items. */
const byResource = new WeakMap<ServedResource, SharedConversions>();

/** Does what `convertItems` does. Who asks at about the same time for the same items gets the same converted ones. */
export function convertItemsOnce(resource: ServedResource, items: readonly CacheItem[]): Promise<readonly CacheItem[]> {
  let shared = byResource.get(resource);
  if (shared === undefined) {
    shared = new SharedConversions(resource);
    byResource.set(resource, shared);
  }
  return shared.convert(items);
}
