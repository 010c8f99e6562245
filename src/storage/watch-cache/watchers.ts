// All watchers of a cache, live and still replaying; gives changes to the live ones in order.

import type { StorageError } from "../storage-error.ts";
import type { CacheEvent } from "./cache-event.ts";
import type { Watcher } from "./watcher.ts";
import { WatcherIndex } from "./watcher-index.ts";

export class Watchers {
  readonly #all = new Set<Watcher>();
  readonly #live: WatcherIndex;
  /** Changes made by a sink while one is being delivered wait here, so that every watcher sees them in order. */
  readonly #undelivered: CacheEvent[] = [];
  #delivering = false;

  constructor(prefix: string) {
    this.#live = new WatcherIndex(prefix);
  }

  get size(): number {
    return this.#all.size;
  }

  add(watcher: Watcher): void {
    this.#all.add(watcher);
  }

  /** From now on the watcher gets every change. */
  join(watcher: Watcher): void {
    if (watcher.closed) return;
    watcher.live = true;
    this.#live.add(watcher);
  }

  remove(watcher: Watcher): void {
    this.#all.delete(watcher);
    if (watcher.live) this.#live.delete(watcher);
  }

  deliver(event: CacheEvent): void {
    this.#undelivered.push(event);
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (let next = this.#undelivered.shift(); next !== undefined; next = this.#undelivered.shift()) {
        this.#live.deliver(next);
      }
    } finally {
      this.#delivering = false;
    }
  }

  endAll(reason: StorageError | "closed"): void {
    for (const watcher of [...this.#all]) watcher.end(reason);
  }
}
