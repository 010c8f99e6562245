// Reads protobuf primitives. Every length is checked against what is there; failures are DecodeErrors in upstream's
// words.

import { DecodeError, MAX_NESTING_DEPTH } from "../decode-error.ts";

export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
const START_GROUP = 3;
const END_GROUP = 4;
const FIXED32 = 5;

export class Reader {
  readonly #buffer: Buffer;
  at = 0;
  /** Where the current message ends. */
  end: number;
  /** So many entries of maps may still come, in the whole message. */
  entriesLeft: number;

  constructor(bytes: Uint8Array, maxEntries = Number.POSITIVE_INFINITY) {
    this.entriesLeft = maxEntries;
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.end = bytes.byteLength;
  }

  /** Field number and wire type. */
  tag(): number {
    const tag = this.uint32();
    if (tag < 8) throw new DecodeError(`proto: illegal tag ${tag >>> 3} (wire type ${tag & 7})`);
    return tag;
  }

  /** The lower 32 bits of a varint. */
  uint32(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    this.at--;
    return this.#varint() >>> 0;
  }

  /** A signed integer: a bigint beyond 2^53. */
  int64(): number | bigint {
    const first = this.#byte();
    if (first < 0x80) return first;
    this.at--;
    const low = this.#varint() >>> 0;
    const value = this.#high * 0x1_0000_0000 + low;
    if (Number.isSafeInteger(value)) return value;
    return BigInt(this.#high) * 0x1_0000_0000n + BigInt(low);
  }

  int32(): number {
    return this.uint32() | 0;
  }

  boolean(): boolean {
    const first = this.#byte();
    if (first < 0x80) return first !== 0;
    this.at--;
    return this.#varint() !== 0 || this.#high !== 0;
  }

  double(): number {
    const start = this.#take(8);
    return this.#buffer.readDoubleLE(start);
  }

  /** Text; what is not UTF-8 becomes replacement characters. */
  string(): string {
    const length = this.length();
    const from = this.#take(length);
    if (length === 0) return "";
    if (length <= SHORT_TEXT) {
      const short = this.#shortText(from, length);
      if (short !== undefined) return short;
    }
    return this.#buffer.toString("utf8", from, from + length);
  }

  /** Bytes with their length in front: a view, not a copy. */
  bytes(): Buffer {
    const length = this.length();
    const start = this.#take(length);
    return this.#buffer.subarray(start, start + length);
  }

  base64(): string {
    const length = this.length();
    const start = this.#take(length);
    return this.#buffer.toString("base64", start, start + length);
  }

  /** A length that stays within the current message. */
  length(): number {
    const length = this.uint32();
    if (length > this.end - this.at) throw new DecodeError("unexpected EOF");
    return length;
  }

  /** The length that comes next, which is not passed over. */
  lengthAhead(): number {
    const { at } = this;
    const length = this.length();
    this.at = at;
    return length;
  }

  /** Narrows to the message that follows, whose length stands in front; returns what `leave` needs. */
  enter(): number {
    const length = this.length();
    if (++this.#depth > MAX_NESTING_DEPTH) throw new DecodeError("exceeded max depth");
    const outer = this.end;
    this.end = this.at + length;
    return outer;
  }

  leave(outer: number): void {
    this.#depth--;
    this.at = this.end;
    this.end = outer;
  }

  /** The same, where `known` says which fields there are, by number: these must not come as something else. */
  skipUnknown(tag: number, known: readonly string[]): void {
    const [name, wireType] = [known[tag >>> 3], tag & 7];
    if (name !== undefined) throw new DecodeError(`proto: wrong wireType = ${wireType} for field ${name}`);
    this.skip(wireType);
  }

  /** Passes over a field that nobody asked for. */
  skip(wireType: number): void {
    let depth = 0;
    let type = wireType;
    for (;;) {
      if (type === VARINT) this.#varint();
      else if (type === FIXED64) this.#take(8);
      else if (type === BYTES) this.#take(this.length());
      else if (type === FIXED32) this.#take(4);
      else if (type === START_GROUP) depth++;
      else if (type === END_GROUP) depth--;
      else throw new DecodeError(`proto: illegal wireType ${type}`);
      if (depth < 0) throw new DecodeError("proto: unexpected end of group");
      if (depth === 0) return;
      type = this.tag() & 7;
    }
  }

  #high = 0;
  #depth = 0;

  /** The lower half; the upper one (signed) is left in #high. */
  #varint(): number {
    let low = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte();
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        this.#high = 0;
        return low;
      }
    }
    let byte = this.#byte();
    low |= (byte & 0x7f) << 28;
    let high = (byte & 0x7f) >> 4;
    for (let shift = 3; byte >= 0x80; shift += 7) {
      if (shift > 31) throw new DecodeError("proto: integer overflow");
      byte = this.#byte();
      high |= (byte & 0x7f) << shift;
    }
    this.#high = high;
    return low;
  }

  #byte(): number {
    if (this.at >= this.end) throw new DecodeError("unexpected EOF");
    return this.#buffer[this.at++]!;
  }

  #take(count: number): number {
    const start = this.at;
    if (count > this.end - start) throw new DecodeError("unexpected EOF");
    this.at = start + count;
    return start;
  }

  /** Short texts repeat (field managers, reasons, label keys): those seen lately are not made anew. */
  #shortText(start: number, length: number): string | undefined {
    const buffer = this.#buffer;
    let hash = length;
    for (let index = 0; index < length; index++) {
      const byte = buffer[start + index]!;
      if (byte > 0x7f) return undefined;
      hash = (hash * 31 + byte) | 0;
    }
    const slot = hash & (TEXT_SLOTS - 1);
    const known = recentTexts[slot]!;
    if (known.length === length && matches(known, buffer, start)) return known;
    const text = buffer.toString("latin1", start, start + length);
    recentTexts[slot] = text;
    return text;
  }
}

const SHORT_TEXT = 32;
const TEXT_SLOTS = 2048;
const recentTexts: string[] = new Array<string>(TEXT_SLOTS).fill("");

function matches(text: string, buffer: Buffer, start: number): boolean {
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) !== buffer[start + index]) return false;
  }
  return true;
}
