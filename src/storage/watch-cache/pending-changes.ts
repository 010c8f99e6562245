// Changes on their way into the cache. One that takes long to read is read in steps; what comes behind it waits, so that the
// cache goes from revision to revision as the engine did.

import { inTurns, type Steps } from "../../base/steps.ts";
import type { Change, Revision } from "../engine.ts";
import type { CacheItem } from "./cache-event.ts";

interface PendingChangesOptions {
  readonly isLong: (change: Change) => boolean;
  readonly read: (change: Change) => Steps<CacheItem | undefined>;
  /** `item`: what the change leaves, where that was read already. */
  readonly apply: (change: Change, item?: CacheItem) => void;
  readonly progress: (revision: Revision) => void;
}

/** More than this does not wait: it is read at once, however long that takes. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

export class PendingChanges {
  readonly #options: PendingChangesOptions;
  /** The first of them is being read. Another list when those in it are no longer wanted. */
  #waiting: (Change | Revision)[] = [];
  #waitingBytes = 0;

  constructor(options: PendingChangesOptions) {
    this.#options = options;
  }

  change(change: Change): void {
    if (this.#waiting.length === 0 && !this.#options.isLong(change)) {
      this.#options.apply(change);
      return;
    }
    this.#waiting.push(change);
    this.#waitingBytes += sizeOf(change);
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#passAll();
    else if (this.#waiting.length === 1) void inTurns(this.#pass(this.#waiting));
  }

  /** Everything up to this revision has come. */
  progress(revision: Revision): void {
    if (this.#waiting.length === 0) this.#options.progress(revision);
    else this.#waiting.push(revision);
  }

  /** What waits is not wanted any more. */
  clear(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  *#pass(waiting: (Change | Revision)[]): Steps<void> {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (typeof next === "number") this.#options.progress(next);
      else {
        const item = yield* this.#options.read(next);
        if (this.#waiting !== waiting) return;
        this.#waitingBytes -= sizeOf(next);
        this.#options.apply(next, item);
      }
      waiting.shift();
      // Whoever comes first to an empty list begins to pass it: one that still waits for its turn would pass it, too.
      if (waiting.length === 0) return;
      yield;
      if (this.#waiting !== waiting) return;
    }
  }

  #passAll(): void {
    const waiting = this.#waiting;
    this.clear();
    for (const next of waiting) {
      if (typeof next === "number") this.#options.progress(next);
      else this.#options.apply(next);
    }
  }
}

const sizeOf = ({ value, previous }: Change): number => (value?.length ?? 0) + (previous?.value.length ?? 0);
