// Which numbers of a range are taken, with random picks among the free ones. Pure.
//
// Dense: one bit per number and a tree of free counts over the words, so that a pick costs the same however full it is.
//
//   size 64, taken 0-31 and 33: words [32 taken, 1 taken], tree of free counts [0, 31]
//   pick(0, 64) with random 0   -> the 0th free number -> skips word 0 (0 free) -> 32
//   pick(0, 64) with random 0.1 -> the 3rd free number -> 36

/** A number in [0, 1). */
export type Random = () => number;

const WORD_BITS = 32;

/** For ranges small enough that every number has a bit. */
export class DenseSlots {
  readonly size: number;
  readonly #words: Uint32Array;
  /** Fenwick tree over the words: free numbers in each. */
  readonly #tree: Int32Array;

  constructor(size: number) {
    this.size = size;
    const count = Math.ceil(size / WORD_BITS);
    this.#words = new Uint32Array(count);
    this.#tree = new Int32Array(count + 1);
    for (let word = 0; word < count; word += 1) this.#adjust(word, Math.min(WORD_BITS, size - word * WORD_BITS));
  }

  get takenCount(): number {
    return this.size - this.#freeBefore(this.size);
  }

  has(slot: number): boolean {
    return (this.#words[slot >>> 5]! & (1 << (slot & 31))) !== 0;
  }

  add(slot: number): void {
    if (this.has(slot)) return;
    this.#words[slot >>> 5]! |= 1 << (slot & 31);
    this.#adjust(slot >>> 5, -1);
  }

  delete(slot: number): void {
    if (!this.has(slot)) return;
    this.#words[slot >>> 5]! &= ~(1 << (slot & 31));
    this.#adjust(slot >>> 5, 1);
  }

  /** A free number in [from, to), each equally likely; undefined when all are taken. */
  pick(from: number, to: number, random: Random): number | undefined {
    const before = this.#freeBefore(from);
    const count = this.#freeBefore(to) - before;
    return count <= 0 ? undefined : this.#nthFree(before + Math.floor(random() * count));
  }

  #adjust(word: number, by: number): void {
    for (let node = word + 1; node < this.#tree.length; node += node & -node) this.#tree[node]! += by;
  }

  #freeBefore(slot: number): number {
    let count = 0;
    const word = slot >>> 5;
    for (let node = word; node > 0; node -= node & -node) count += this.#tree[node]!;
    const rest = slot & 31;
    return rest === 0 ? count : count + rest - countBits(this.#words[word]! & ((1 << rest) - 1));
  }

  /** The free number with `n` free ones before it. */
  #nthFree(n: number): number {
    let word = 0;
    let left = n;
    for (let step = highestBit(this.#tree.length - 1); step > 0; step >>>= 1) {
      const next = word + step;
      if (next < this.#tree.length && this.#tree[next]! <= left) {
        left -= this.#tree[next]!;
        word = next;
      }
    }
    let free = ~this.#words[word]!;
    for (; left > 0; left -= 1) free &= free - 1;
    return word * WORD_BITS + (31 - Math.clz32(free & -free));
  }
}

/** Tries before a sparse range is searched in order. It is nearly empty, so one nearly always suffices. */
const MAX_RANDOM_TRIES = 64;

/** For ranges that are far larger than what can ever be taken of them. */
export class SparseSlots {
  readonly #taken = new Set<bigint>();

  get takenCount(): number {
    return this.#taken.size;
  }

  has(slot: bigint): boolean {
    return this.#taken.has(slot);
  }

  add(slot: bigint): void {
    this.#taken.add(slot);
  }

  delete(slot: bigint): void {
    this.#taken.delete(slot);
  }

  pick(from: bigint, to: bigint, random: Random): bigint | undefined {
    const count = to - from;
    if (count <= 0n) return undefined;
    let slot = from;
    for (let tries = 0; tries < MAX_RANDOM_TRIES; tries += 1) {
      slot = from + (randomBits(random) % count);
      if (!this.#taken.has(slot)) return slot;
    }
    // Among one more than are taken, one is free.
    const limit = BigInt(this.#taken.size) + 1n < count ? BigInt(this.#taken.size) + 1n : count;
    for (let step = 0n; step < limit; step += 1n) {
      const next = from + ((slot - from + step) % count);
      if (!this.#taken.has(next)) return next;
    }
    return undefined;
  }
}

/** 96 random bits: enough to be even over ranges of 64. */
function randomBits(random: Random): bigint {
  const word = () => BigInt(Math.floor(random() * 2 ** 32));
  return (word() << 64n) | (word() << 32n) | word();
}

function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

function highestBit(value: number): number {
  return value === 0 ? 0 : 1 << (31 - Math.clz32(value));
}
