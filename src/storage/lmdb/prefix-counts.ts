// Numbers of keys below prefixes, counted once and then kept up to date by the commits.

import { BoundedCache } from "../../base/bounded-cache.ts";
import type { Change } from "../engine.ts";

const MAX_PREFIXES = 10_000;
const MAX_PAGES = 1_000;

interface PrefixCount {
  /** While they are counted: by how much they have become more since that began. */
  keys: number;
  counting: Promise<number> | undefined;
}

export class PrefixCounts {
  /** Only prefixes that end with a slash: a change finds them by the path of its key. */
  readonly #counts = new BoundedCache<string, PrefixCount>({ maxEntries: MAX_PREFIXES });

  /** The number of keys with this prefix, where it is known. */
  known(prefix: string): number | undefined {
    const count = this.#counts.get(prefix);
    return count?.counting === undefined ? count?.keys : undefined;
  }

  /** The number of keys with this prefix. Where it is not known, `count` says how many there are now, and may take its time. */
  get(prefix: string, count: () => Promise<number>): number | Promise<number> {
    const found = this.#counts.get(prefix);
    if (found !== undefined) return found.counting ?? found.keys;
    const counted: PrefixCount = { keys: 0, counting: undefined };
    if (prefix.endsWith("/")) this.#counts.set(prefix, counted);
    counted.counting = this.#complete(prefix, counted, count());
    return counted.counting;
  }

  async #complete(prefix: string, counted: PrefixCount, counting: Promise<number>): Promise<number> {
    try {
      const keys = await counting;
      // Added to what has come meanwhile.
      counted.keys += keys;
      counted.counting = undefined;
      return counted.keys;
    } catch (error) {
      this.#counts.delete(prefix);
      throw error;
    }
  }

  apply(change: Change): void {
    const difference = (change.type === "put" ? 1 : 0) - (change.previous === undefined ? 0 : 1);
    if (difference === 0 || this.#counts.size === 0) return;
    const { key } = change;
    for (let slash = key.indexOf("/"); slash !== -1; slash = key.indexOf("/", slash + 1)) {
      const prefix = key.slice(0, slash + 1);
      const known = this.#counts.get(prefix);
      if (known !== undefined) known.keys += difference;
    }
  }
}

/** How many keys remain after a page of a list at a fixed revision: known from the page before, so never counted twice. */
export class RemainingCounts {
  readonly #pages = new BoundedCache<string, number>({ maxEntries: MAX_PAGES });

  /** How many keys followed `after`; undefined when no page ended there lately. */
  get(prefix: string, after: string, revision: number): number | undefined {
    return this.#pages.get(pageName(prefix, after, revision));
  }

  remember(prefix: string, after: string, revision: number, remaining: number): void {
    this.#pages.set(pageName(prefix, after, revision), remaining);
  }
}

const pageName = (prefix: string, after: string, revision: number) => `${revision}\0${prefix}\0${after}`;
