// A set of keys in the order of their UTF-8 bytes, for ranges below a prefix.

export class OrderedKeys {
  readonly #keys: string[] = [];

  add(key: string): void {
    // Who fills a store mostly comes in this order.
    if (this.#isLast(key)) {
      this.#keys.push(key);
      return;
    }
    const index = this.#firstNotBefore(key);
    if (this.#keys[index] !== key) this.#keys.splice(index, 0, key);
  }

  remove(key: string): void {
    const index = this.#firstNotBefore(key);
    if (this.#keys[index] === key) this.#keys.splice(index, 1);
  }

  /** The keys that start with `prefix` and come strictly after `after`, in order. */
  *below(prefix: string, after?: string): Generator<string> {
    let index = this.#firstNotBefore(prefix);
    if (after !== undefined && compareBytes(after, prefix) >= 0) {
      index = this.#firstNotBefore(after);
      if (this.#keys[index] === after) index++;
    }
    for (let key = this.#keys[index]; key?.startsWith(prefix) === true; key = this.#keys[++index]) yield key;
  }

  #isLast(key: string): boolean {
    const last = this.#keys.at(-1);
    return last === undefined || compareBytes(last, key) < 0;
  }

  #firstNotBefore(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareBytes(this.#keys[middle] ?? "", key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Compares as the UTF-8 encodings would: JavaScript's own order puts characters beyond U+FFFF before U+E000. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left === right) continue;
    const leftIsSurrogate = left >= 0xd800 && left <= 0xdfff;
    const rightIsSurrogate = right >= 0xd800 && right <= 0xdfff;
    if (leftIsSurrogate !== rightIsSurrogate) return leftIsSurrogate ? 1 : -1;
    return left - right;
  }
  return a.length - b.length;
}
