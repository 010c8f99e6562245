// Which parts of a value are so long that they are written in steps. Each part is looked at once, however deep it stands: the
// keys of a large map alone take long to find.

import { keysOf } from "../base/wide-keys.ts";

export class LongParts {
  /** Beyond so many values a part is long. */
  readonly #most: number;
  /** A text of more characters counts as several values. */
  readonly #charsPerValue: number;
  readonly #keys = new Map<object, readonly string[]>();

  constructor(most: number, charsPerValue = Number.POSITIVE_INFINITY) {
    this.#most = most;
    this.#charsPerValue = charsPerValue;
  }

  /** How many values there are, itself among them; not counted on where it is long. */
  sizeOf(value: unknown): number {
    if (typeof value === "string") return 1 + Math.floor(value.length / this.#charsPerValue);
    if (typeof value !== "object" || value === null) return 1;
    let size = 1;
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length && size <= this.#most; index += 1) size += this.sizeOf(value[index]);
      return size;
    }
    if (this.#keys.has(value)) return this.#most + 1;
    const keys = keysOf(value);
    size += keys.length;
    for (let index = 0; index < keys.length && size <= this.#most; index += 1) {
      const key = keys[index]!;
      if (key.length >= this.#charsPerValue) size += Math.floor(key.length / this.#charsPerValue);
      size += this.sizeOf((value as Record<string, unknown>)[key]) - 1;
    }
    if (size > this.#most) this.#keys.set(value, keys);
    return size;
  }

  isLong(value: unknown): boolean {
    return this.sizeOf(value) > this.#most;
  }

  /** Of a long object. */
  keysOf(object: object): readonly string[] {
    return this.#keys.get(object) ?? keysOf(object);
  }
}
