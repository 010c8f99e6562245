// Writes a protobuf message from its end to its beginning: the length of a nested message is known once its content
// stands there, so that nothing is measured beforehand.

/** The room to start with; grows as needed. */
const INITIAL_BYTES = 64 * 1024;
/** A larger buffer is not kept for the next message. */
const MAX_KEPT_BYTES = 1024 * 1024;
/** Longer texts are written by the platform. */
const MAX_LOOP_LENGTH = 48;

export class Writer {
  #buffer: Buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  /** Everything from here to the end is written. */
  #start = INITIAL_BYTES;

  /** Empties the writer. */
  reset(): void {
    if (this.#buffer.length > MAX_KEPT_BYTES) this.#buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
    this.#start = this.#buffer.length;
  }

  /** A copy of what was written. */
  finish(): Uint8Array {
    const bytes = Buffer.allocUnsafeSlow(this.size);
    this.#buffer.copy(bytes, 0, this.#start);
    return bytes;
  }

  /** Bytes written so far: the difference of two sizes is the length of what was written in between. */
  get size(): number {
    return this.#buffer.length - this.#start;
  }

  /** An unsigned integer up to 32 bits: a tag or a length. */
  uint32(value: number): void {
    if (value < 0x80) {
      this.#reserve(1);
      this.#buffer[--this.#start] = value;
      return;
    }
    const length = value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5;
    this.#reserve(length);
    this.#start -= length;
    let at = this.#start;
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) this.#buffer[at++] = (rest & 0x7f) | 0x80;
    this.#buffer[at] = rest;
  }

  /** A signed integer of 32 or 64 bits; negative ones take ten bytes. */
  int64(value: number | bigint): void {
    if (typeof value === "number" && value >= 0 && value <= 0xffffffff) this.uint32(value);
    else this.#wide(BigInt.asUintN(64, BigInt(value)));
  }

  #wide(value: bigint): void {
    const groups: number[] = [];
    let rest = value;
    while (rest > 0x7fn) {
      groups.push(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    groups.push(Number(rest));
    this.#reserve(groups.length);
    this.#start -= groups.length;
    this.#buffer.set(groups, this.#start);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#start -= 8;
    this.#buffer.writeDoubleLE(value, this.#start);
  }

  /** Bytes with their length in front. */
  bytes(value: Uint8Array): void {
    this.raw(value);
    this.uint32(value.length);
  }

  /** Bytes as they are. */
  raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#start -= value.length;
    this.#buffer.set(value, this.#start);
  }

  /** Text in UTF-8 with its length in front. */
  string(value: string): void {
    const { length } = value;
    if (length > MAX_LOOP_LENGTH || !this.#ascii(value, length)) this.#utf8(value);
    else this.uint32(length);
  }

  #ascii(value: string, length: number): boolean {
    this.#reserve(length);
    const buffer = this.#buffer;
    let at = this.#start;
    for (let index = length - 1; index >= 0; index--) {
      const code = value.charCodeAt(index);
      if (code > 0x7f) return false;
      buffer[--at] = code;
    }
    this.#start = at;
    return true;
  }

  #utf8(value: string): void {
    const length = Buffer.byteLength(value);
    this.#reserve(length);
    this.#start -= length;
    this.#buffer.write(value, this.#start, length, "utf8");
    this.uint32(length);
  }

  #reserve(count: number): void {
    if (this.#start >= count) return;
    const size = this.size;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, size + count + INITIAL_BYTES));
    this.#buffer.copy(larger, larger.length - size, this.#start);
    this.#buffer = larger;
    this.#start = larger.length - size;
  }
}
