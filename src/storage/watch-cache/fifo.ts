// A first-in first-out list with constant-time ends and access by index, for the window of changes.

export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (this.length === 0) return undefined;
    this.#items[this.#head] = undefined;
    this.#head += 1;
    // Half of the array is dead: moving the rest costs no more than what was shifted since the last move.
    if (this.#head > 32 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  at(index: number): T | undefined {
    return index < 0 ? undefined : this.#items[this.#head + index];
  }

  /** The index of the first item for which `test` holds; items before it must all fail it. */
  firstIndex(test: (item: T) => boolean): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (test(this.#items[this.#head + middle] as T)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
  }
}
