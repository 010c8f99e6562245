// Addresses of pods on simulated nodes: each is one pod's as long as that lives.

/** 10.128.0.0/9, without its first and last address. */
const FIRST = (10 << 24) | (128 << 16) | 1;
const SIZE = 2 ** 23 - 2;

export class PodAddresses {
  readonly #byPod = new Map<string, number>();
  readonly #taken = new Set<number>();
  #next = 0;

  /** The address of a pod, always the same until release(). */
  of(uid: string): string {
    let offset = this.#byPod.get(uid);
    if (offset === undefined) {
      if (this.#taken.size >= SIZE) throw new Error("no address is left for a pod on a simulated node");
      while (this.#taken.has(this.#next)) this.#next = (this.#next + 1) % SIZE;
      offset = this.#next;
      this.#next = (this.#next + 1) % SIZE;
      this.#keep(uid, offset);
    }
    return textOf(FIRST + offset);
  }

  /** The pod had this address before the process began. */
  restore(uid: string, address: string): void {
    const offset = numberOf(address) - FIRST;
    if (!this.#byPod.has(uid) && offset >= 0 && offset < SIZE && !this.#taken.has(offset)) this.#keep(uid, offset);
  }

  release(uid: string): void {
    const offset = this.#byPod.get(uid);
    if (offset === undefined) return;
    this.#byPod.delete(uid);
    this.#taken.delete(offset);
  }

  #keep(uid: string, offset: number): void {
    this.#byPod.set(uid, offset);
    this.#taken.add(offset);
  }
}

const textOf = (address: number): string => [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join(".");

/** NaN for what is no address of four numbers. */
function numberOf(text: string): number {
  const parts = text.split(".").map(Number);
  return parts.length === 4 ? parts.reduce((sum, part) => sum * 256 + part, 0) : Number.NaN;
}
