// The state of a resource at one revision, however long one looks at it. Specification: document 1, "Chunked lists".

import type { Revision } from "../engine.ts";
import type { CacheItem } from "./cache-event.ts";
import type { OrderedMap } from "./ordered-map.ts";

export interface CacheListOptions {
  /** A key prefix ending in "/" (the whole resource, a namespace), or one complete key. */
  readonly scope: string;
  /** Only keys strictly after this one. */
  readonly after?: string;
  /** At most so many items; all when absent. */
  readonly limit?: number;
  readonly matches?: (item: CacheItem) => boolean;
}

export interface CacheList {
  readonly items: CacheItem[];
  readonly revision: Revision;
  /** Whether further items match. */
  readonly more: boolean;
  /** How many follow in the scope; undefined when `matches` was given, because nobody counts those. */
  readonly remainingCount: number | undefined;
}

export class CacheSnapshot {
  readonly revision: Revision;
  readonly #items: OrderedMap<CacheItem>;

  /** @param items that nobody changes any more. */
  constructor(items: OrderedMap<CacheItem>, revision: Revision) {
    this.#items = items;
    this.revision = revision;
  }

  list(options: CacheListOptions): CacheList {
    return listItems(this.#items, this.revision, options);
  }

  /** Visits items in key order until `visit` returns false: for long lists that yield in between and go on after a key. */
  visit(scope: string, after: string | undefined, visit: (item: CacheItem) => boolean): void {
    this.#items.visit(scope, after, visit);
  }

  count(scope: string): number {
    return this.#items.count(scope);
  }
}

export function listItems(items: OrderedMap<CacheItem>, revision: Revision, options: CacheListOptions): CacheList {
  const { scope, after, matches } = options;
  const limit = options.limit ?? Number.POSITIVE_INFINITY;
  const found: CacheItem[] = [];
  let more = false;
  items.visit(scope, after, (item) => {
    // Whether what follows matches is not looked at: that would read the rest of a long list for every page.
    if (found.length >= limit) {
      more = true;
      return false;
    }
    if (matches?.(item) === false) return true;
    found.push(item);
    return true;
  });
  if (matches !== undefined) return { items: found, revision, more, remainingCount: undefined };
  const remainingCount = more ? items.count(scope, found.at(-1)?.key ?? after) : 0;
  return { items: found, revision, more, remainingCount };
}
