// Keys with the time at which they are due: a heap, in which a key stands for its earliest time only.

interface Entry {
  readonly key: string;
  readonly dueMs: number;
}

/** Entries that are passed over may be so many more than half of the heap. */
const MAX_STALE = 64;

export class DelayedKeys {
  /** Smallest first. Entries that #due no longer confirms are passed over when they come up. */
  #heap: Entry[] = [];
  readonly #due = new Map<string, number>();

  add(key: string, dueMs: number): void {
    const known = this.#due.get(key);
    if (known !== undefined && known <= dueMs) return;
    this.#due.set(key, dueMs);
    this.#push({ key, dueMs });
    if (this.#heap.length > MAX_STALE + 2 * this.#due.size) this.#rebuild();
  }

  firstDueMs(): number | undefined {
    this.#dropStale();
    return this.#heap[0]?.dueMs;
  }

  takeDue(nowMs: number): string[] {
    const keys: string[] = [];
    for (this.#dropStale(); this.#heap.length > 0 && this.#heap[0]!.dueMs <= nowMs; this.#dropStale()) {
      const { key } = this.#pop();
      this.#due.delete(key);
      keys.push(key);
    }
    return keys;
  }

  #dropStale(): void {
    while (this.#heap.length > 0 && this.#due.get(this.#heap[0]!.key) !== this.#heap[0]!.dueMs) this.#pop();
  }

  #rebuild(): void {
    this.#heap = [];
    for (const [key, dueMs] of this.#due) this.#push({ key, dueMs });
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent]!.dueMs <= entry.dueMs) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = entry;
  }

  #pop(): Entry {
    const heap = this.#heap;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.dueMs < heap[child]!.dueMs) child += 1;
      if (heap[child]!.dueMs >= last.dueMs) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}
