// Writes protobuf messages, as far as the protobuf form of OpenAPI documents needs them.

import { Pace, type Steps } from "../../base/steps.ts";

const INITIAL_BYTES = 64 * 1024;
/** So many are written in one step. */
const MESSAGES_PER_STEP = 500;
const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;

export class GnosticWriter {
  #bytes = Buffer.allocUnsafe(INITIAL_BYTES);
  #end = 0;
  readonly #pace = new Pace(MESSAGES_PER_STEP);

  /** What was written since the last call. */
  take(): Uint8Array {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#end));
    this.#end = 0;
    return taken;
  }

  string(field: number, value: string): void {
    this.#tag(field, LENGTH_DELIMITED);
    const length = Buffer.byteLength(value);
    this.#varint(length);
    this.#reserve(length);
    this.#end += this.#bytes.write(value, this.#end, "utf8");
  }

  boolean(field: number, value: boolean): void {
    this.#tag(field, VARINT);
    this.#varint(value ? 1 : 0);
  }

  integer(field: number, value: number): void {
    this.#tag(field, VARINT);
    this.#varint(value);
  }

  double(field: number, value: number): void {
    this.#tag(field, FIXED_64);
    this.#reserve(8);
    this.#end = this.#bytes.writeDoubleLE(value, this.#end);
  }

  /** A message inside the present one. Its length is known only afterwards: most are short enough for one byte. */
  *message(field: number, write: () => Steps<void> | void): Steps<void> {
    if (this.#pace.due()) yield;
    this.#tag(field, LENGTH_DELIMITED);
    this.#reserve(1);
    const lengthAt = this.#end;
    this.#end += 1;
    const steps = write();
    if (steps !== undefined) yield* steps;
    const length = this.#end - lengthAt - 1;
    const extra = varintSize(length) - 1;
    if (extra > 0) {
      this.#reserve(extra);
      this.#bytes.copyWithin(lengthAt + 1 + extra, lengthAt + 1, this.#end);
    }
    const end = this.#end + extra;
    this.#end = lengthAt;
    this.#varint(length);
    this.#end = end;
  }

  #tag(field: number, wireType: number): void {
    this.#varint(field * 8 + wireType);
  }

  /** Whole numbers up to 2^53; negative ones as 64-bit two's complement. */
  #varint(value: number): void {
    this.#reserve(10);
    if (value < 0) {
      let rest = BigInt.asUintN(64, BigInt(value));
      for (; rest > 0x7fn; rest >>= 7n) this.#bytes[this.#end++] = Number(rest & 0x7fn) | 0x80;
      this.#bytes[this.#end++] = Number(rest);
      return;
    }
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes[this.#end++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#end++] = rest;
  }

  #reserve(count: number): void {
    if (this.#end + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#end + count));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}

/** The tag and length with which a message of this size begins. */
export function messageHead(field: number, sizeBytes: number): Uint8Array {
  const head: number[] = [];
  for (const number of [field * 8 + LENGTH_DELIMITED, sizeBytes]) {
    let rest = number;
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) head.push((rest % 0x80) | 0x80);
    head.push(rest);
  }
  return Uint8Array.from(head);
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) size += 1;
  return size;
}
