// The state of a resource at one revision, however long one looks at it. Specification: document 1, "Chunked lists".

import { nextTurn } from "../../base/next-turn.ts";
import type { Revision } from "../engine.ts";
import type { CacheItem } from "./cache-event.ts";
import type { OrderedMap } from "./ordered-map.ts";
import type { Requirement } from "./requirement.ts";

export interface CacheListOptions {
  /** A key prefix ending in "/" (the whole resource, a namespace), or one complete key. */
  readonly scope: string;
  /** Only keys strictly after this one. */
  readonly after?: string;
  /** At most so many items; all when absent. */
  readonly limit?: number;
  readonly matches?: (item: CacheItem) => boolean;
  /** Promises of `matches`: where the items that they hold for are known, no others are looked at. */
  readonly requires?: readonly Requirement[];
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

  /** As `list`, in pieces of so many items read, between which others have their turn. */
  async listInTurns(options: CacheListOptions, itemsPerTurn: number): Promise<CacheList> {
    const { limit = Number.POSITIVE_INFINITY, matches } = options;
    const found: CacheItem[] = [];
    let { after } = options;
    for (;;) {
      let read = 0;
      let stopped = false;
      this.visit(options.scope, after, (item) => {
        stopped = read === itemsPerTurn || found.length >= limit;
        if (stopped) return false;
        read += 1;
        after = item.key;
        if (matches?.(item) !== false) found.push(item);
        return true;
      });
      const more = stopped && found.length >= limit;
      if (more || !stopped) return { items: found, revision: this.revision, more, remainingCount: undefined };
      await nextTurn();
    }
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
