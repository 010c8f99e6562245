// CBOR as upstream writes it: texts and keys as byte strings, keys in the order of their encoded bytes, numbers in their
// shortest form, definite lengths. Bytes of built-in kinds are bytes, with the tag of what JSON would show as base64.

import { append } from "../../base/append.ts";
import { groupBy } from "../../base/index-by.ts";
import type { Steps } from "../../base/steps.ts";
import { compareByBytes, sortedInSteps } from "../../schema/sorted-keys.ts";
import { LongParts } from "../long-parts.ts";
import { type ByteFields, byteFieldsOf } from "./byte-fields.ts";

const UNSIGNED = 0x00;
const NEGATIVE = 0x20;
const BYTE_STRING = 0x40;
const ARRAY = 0x80;
const MAP = 0xa0;
const FALSE = 0xf4;
const TRUE = 0xf5;
const NULL = 0xf6;
/** The tag of bytes that text shows in base64. */
const LATER_BASE64 = 0xd6;

const INITIAL_BYTES = 16 * 1024;
/** The length of a shorter text stands in its first byte. */
const MAX_SHORT_TEXT = 24;

/** One data item. Undefined members are left out; `bytes` says where base64 stands for bytes. */
export function writeCbor(value: unknown, prefix: Uint8Array, bytes: ByteFields | undefined): Uint8Array {
  const output = new Output();
  output.bytes(prefix);
  writeValue(output, value, bytes);
  return output.finish();
}

/** The same for large values; so many of them are written in one step. */
export function* writeCborInSteps(
  value: unknown,
  prefix: Uint8Array,
  bytes: ByteFields | undefined,
  valuesPerStep = VALUES_PER_STEP,
): Steps<Uint8Array> {
  const output = new Output();
  output.bytes(prefix);
  const parts = new LongParts(valuesPerStep);
  if (parts.isLong(value)) yield* writeInSteps(output, value as object, bytes, parts, valuesPerStep);
  else writeValue(output, value, bytes);
  return output.finish();
}

const VALUES_PER_STEP = 500;

class Output {
  #buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  #length = 0;

  finish(): Uint8Array {
    return Buffer.from(this.#buffer.subarray(0, this.#length));
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#buffer.set(value, this.#length);
    this.#length += value.length;
  }

  /** A major type with its argument in the fewest bytes. */
  head(type: number, argument: number | bigint): void {
    this.#reserve(9);
    if (argument < 24) this.byte(type | Number(argument));
    else if (argument <= 0xff) {
      this.byte(type | 24);
      this.byte(Number(argument));
    } else if (argument <= 0xffff) {
      this.byte(type | 25);
      this.#length = this.#buffer.writeUInt16BE(Number(argument), this.#length);
    } else if (argument <= 0xffffffff) {
      this.byte(type | 26);
      this.#length = this.#buffer.writeUInt32BE(Number(argument), this.#length);
    } else {
      this.byte(type | 27);
      this.#length = this.#buffer.writeBigUInt64BE(BigInt(argument), this.#length);
    }
  }

  text(value: string): void {
    if (value.length < MAX_SHORT_TEXT && this.#shortAscii(value)) return;
    const size = Buffer.byteLength(value);
    this.head(BYTE_STRING, size);
    this.#reserve(size);
    this.#length += this.#buffer.write(value, this.#length, "utf8");
  }

  base64(value: string): void {
    const bytes = Buffer.from(value, "base64");
    this.byte(LATER_BASE64);
    this.head(BYTE_STRING, bytes.length);
    this.bytes(bytes);
  }

  /** Most keys and texts are short: byte by byte they are written several times faster. */
  #shortAscii(value: string): boolean {
    this.#reserve(1 + value.length);
    const start = this.#length + 1;
    for (let index = 0; index < value.length; index += 1) {
      const code = value.charCodeAt(index);
      if (code > 0x7f) return false;
      this.#buffer[start + index] = code;
    }
    this.#buffer[this.#length] = BYTE_STRING | value.length;
    this.#length = start + value.length;
    return true;
  }

  float(value: number): void {
    this.#reserve(9);
    const half = halfOf(value);
    if (half !== undefined) {
      this.byte(0xf9);
      this.#length = this.#buffer.writeUInt16BE(half, this.#length);
    } else if (Math.fround(value) === value) {
      this.byte(0xfa);
      this.#length = this.#buffer.writeFloatBE(value, this.#length);
    } else {
      this.byte(0xfb);
      this.#length = this.#buffer.writeDoubleBE(value, this.#length);
    }
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + count));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

function writeValue(output: Output, value: unknown, bytes: ByteFields | undefined): void {
  if (typeof value === "string") {
    if (bytes === "bytes") output.base64(value);
    else output.text(value);
  } else if (typeof value === "number") writeNumber(output, value);
  else if (typeof value === "bigint") writeInteger(output, value);
  else if (value === true) output.byte(TRUE);
  else if (value === false) output.byte(FALSE);
  else if (value === null || value === undefined) output.byte(NULL);
  else if (Array.isArray(value)) {
    output.head(ARRAY, value.length);
    const inside = byteFieldsOf(bytes, 0);
    for (const item of value) writeValue(output, item, inside);
  } else writeMap(output, value as Record<string, unknown>, bytes);
}

function writeMap(output: Output, object: Record<string, unknown>, bytes: ByteFields | undefined): void {
  for (const key of startMap(output, object)) {
    output.text(key);
    writeValue(output, object[key], byteFieldsOf(bytes, key));
  }
}

/** The keys in the order in which they are to be written. */
function startMap(output: Output, object: Record<string, unknown>): string[] {
  const keys = setKeys(object, Object.keys(object));
  output.head(MAP, keys.length);
  return inOrder(keys);
}

/** Those whose members are there. */
function setKeys(object: Record<string, unknown>, keys: readonly string[]): string[] {
  return keys.filter((key) => object[key] !== undefined);
}

/** The same for very many, of which finding them took a step. */
function* startMapInSteps(
  output: Output,
  object: Record<string, unknown>,
  all: readonly string[],
): Steps<readonly string[]> {
  yield;
  const keys = setKeys(object, all);
  output.head(MAP, keys.length);
  yield;
  const bySize = groupBy(keys, sizeOf);
  const ordered: string[] = [];
  for (const size of [...bySize.keys()].sort((a, b) => a - b)) append(ordered, yield* sortedInSteps(bySize.get(size)!));
  return ordered;
}

/** Of a long list or map. */
function* writeInSteps(
  output: Output,
  value: object,
  bytes: ByteFields | undefined,
  parts: LongParts,
  valuesPerStep: number,
): Steps<void> {
  const isList = Array.isArray(value);
  if (isList) output.head(ARRAY, value.length);
  const members = value as Record<string | number, unknown>;
  const keys: Iterable<string | number> = isList
    ? value.keys()
    : yield* startMapInSteps(output, members, parts.keysOf(value));
  yield;
  let values = 0;
  for (const key of keys) {
    if (!isList) output.text(key as string);
    const member = members[key];
    const size = parts.sizeOf(member);
    values += size;
    if (values > valuesPerStep) {
      yield;
      values = size;
    }
    const inside = byteFieldsOf(bytes, key);
    if (size > valuesPerStep) yield* writeInSteps(output, member as object, inside, parts, valuesPerStep);
    else writeValue(output, member, inside);
  }
}

/** So many keys are compared one with another. */
const FEW = 64;

/** The encoded key starts with its length, so that shorter ones come first. */
function inOrder(keys: string[]): string[] {
  if (keys.length <= FEW) return keys.sort((a, b) => sizeOf(a) - sizeOf(b) || compareByBytes(a, b));
  const bySize = groupBy(keys, sizeOf);
  const sizes = [...bySize.keys()].sort((a, b) => a - b);
  return sizes.flatMap((size) => bySize.get(size)!.sort(compareByBytes));
}

function sizeOf(key: string): number {
  for (let index = 0; index < key.length; index += 1) if (key.charCodeAt(index) > 0x7f) return Buffer.byteLength(key);
  return key.length;
}

function writeNumber(output: Output, value: number): void {
  if (Number.isSafeInteger(value)) writeInteger(output, value);
  else output.float(value);
}

function writeInteger(output: Output, value: number | bigint): void {
  if (value >= 0) output.head(UNSIGNED, value);
  else output.head(NEGATIVE, typeof value === "bigint" ? -1n - value : -1 - value);
}

/** The bits of a half-precision float that says exactly `value`, if there is one. */
function halfOf(value: number): number | undefined {
  const magnitude = Math.abs(value);
  const sign = value < 0 ? 0x8000 : 0;
  if (magnitude > 65504) return undefined;
  const exponent = Math.max(Math.floor(Math.log2(magnitude)), -14);
  const significand = magnitude / 2 ** (exponent - 10);
  if (!Number.isInteger(significand) || significand >= 2048) return undefined;
  return significand < 1024 ? sign | significand : sign | ((exponent + 15) << 10) | (significand - 1024);
}
