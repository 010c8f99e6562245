// The newest changes, in memory, so that a watch that starts a little in the past needs no round trip.

import type { Change, Revision } from "../engine.ts";

const MAX_CHANGES = 8_192;
const MAX_BYTES = 32 * 1024 * 1024;

export class RecentChanges {
  readonly #changes: Change[] = [];
  /** Where the kept part of the array begins: dropping from the front one by one would be slow. */
  #first = 0;
  #sizeBytes = 0;
  #floor: Revision;

  constructor(floor: Revision) {
    this.#floor = floor;
  }

  /** Every change after this revision is here. */
  get floor(): Revision {
    return this.#floor;
  }

  push(change: Change): void {
    this.#changes.push(change);
    this.#sizeBytes += sizeOf(change);
  }

  /** Drops what is beyond the limits; whole revisions only, so call it between revisions. */
  trim(): void {
    while (this.#changes.length - this.#first > MAX_CHANGES || this.#sizeBytes > MAX_BYTES) {
      const dropped = this.#changes[this.#first];
      if (dropped === undefined) break;
      this.#floor = dropped.revision;
      for (let next = this.#changes[this.#first]; next?.revision === this.#floor; next = this.#changes[this.#first]) {
        this.#sizeBytes -= sizeOf(next);
        this.#first++;
      }
    }
    if (this.#first > MAX_CHANGES) {
      this.#changes.splice(0, this.#first);
      this.#first = 0;
    }
  }

  /** A copy of the changes after `after`, which must not be below the floor. */
  after(after: Revision): Change[] {
    let low = this.#first;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#changes[middle]!.revision <= after) low = middle + 1;
      else high = middle;
    }
    return this.#changes.slice(low);
  }
}

function sizeOf(change: Change): number {
  return (change.value?.length ?? 0) + (change.previous?.value.length ?? 0) + 2 * change.key.length;
}
