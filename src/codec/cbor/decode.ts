// Reads CBOR data items into JSON values: byte strings are text unless a tag says that they are data, keys are text.

import { isAscii, isUtf8 } from "node:buffer";
import { type Json, type JsonObject, setKey } from "../../base/json.ts";
import type { Steps } from "../../base/steps.ts";
import { settleKeys } from "../../base/wide-keys.ts";
import { quoteText } from "../../meta/quoted.ts";
import { CrowdedMap, DecodeError } from "../decode-error.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import { type ByteFields, byteFieldsOf } from "./byte-fields.ts";

/** As upstream has it. */
const MAX_LEVELS = 64;

const TIME_TEXT = 0;
const TIME_EPOCH = 1;
const BASE64URL = 21;
const BASE64 = 22;
const BASE16 = 23;

const BYTE_STRING = 2;
const TEXT_STRING = 3;
const TAG = 6;
/** Lists, maps, and tags of what may be one. */
const CONTAINERS: ReadonlySet<number> = new Set([4, 5, TAG]);
/** The tag of what says that it is CBOR. */
const SELF_DESCRIPTION = 55799;
/** What ends an item of indefinite length. */
const BREAK = 0xff;

/**
 * The first item, and where it ends. Fails with a DecodeError; so does a map with a key twice. Bytes with a tag of how text
 * shows them become that text; where `byteFields` says that bytes are meant it is base64, whatever the tag.
 */
export function readCbor(
  bytes: Uint8Array,
  maxKeys: number,
  byteFields?: ByteFields,
): { readonly value: Json; readonly end: number } {
  const reader = new CborReader(bytes, maxKeys);
  const value = reader.item(0, byteFields);
  return { value, end: reader.at };
}

/** The same for long bytes; so many of them are read in one step. */
export function* readCborInSteps(
  bytes: Uint8Array,
  maxKeys: number,
  bytesPerStep = BYTES_PER_STEP,
  byteFields?: ByteFields,
): Steps<{ readonly value: Json; readonly end: number }> {
  const reader = new CborReader(bytes, maxKeys);
  const value = yield* reader.itemInSteps(0, byteFields, bytesPerStep);
  return { value, end: reader.at };
}

const BYTES_PER_STEP = 8 * 1024;

class CborReader {
  readonly #buffer: Buffer;
  readonly #maxKeys: number;
  at = 0;
  /** Where the present step began. */
  #step = 0;

  constructor(bytes: Uint8Array, maxKeys: number) {
    this.#maxKeys = maxKeys;
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  item(level: number, bytes: ByteFields | undefined): Json {
    if (level > MAX_LEVELS) throw new DecodeError(`cbor: exceeded max nested level ${MAX_LEVELS}`);
    const head = this.#byte();
    const type = head >> 5;
    const info = head & 0x1f;
    switch (type) {
      case 0:
      case 1:
        return this.#integer(type, this.#argument(info));
      case BYTE_STRING:
      case TEXT_STRING:
        return this.#text(type, this.#strings(type, info));
      case 4:
        return this.#array(this.#length(info), level, bytes);
      case 5:
        return this.#map(this.#length(info), level, bytes);
      case 6:
        return this.#tagged(Number(this.#argument(info)), level, bytes);
      default:
        return this.#simple(info);
    }
  }

  /** Steps are made within lists and maps; everything else is short, or one piece. */
  *itemInSteps(level: number, bytes: ByteFields | undefined, bytesPerStep: number, inside = false): Steps<Json> {
    const start = this.at;
    const head = this.#byte();
    if (level > MAX_LEVELS || !CONTAINERS.has(head >> 5)) return this.#again(start, level, bytes);
    if (head >> 5 === TAG) {
      if (this.#argument(head & 0x1f) !== SELF_DESCRIPTION) return this.#again(start, level, bytes);
      return yield* this.itemInSteps(level + 1, bytes, bytesPerStep, inside);
    }
    const length = this.#length(head & 0x1f);
    const isMap = head >> 5 === 5;
    this.#checkRoom((length ?? 0) * (isMap ? 2 : 1));
    const items: Json[] = [];
    const keys: string[] = [];
    const object: JsonObject = {};
    for (let index = 0; !this.#isDone(index, length); index++) {
      const key = isMap ? this.#key(object, index, level) : "";
      const isLong = CONTAINERS.has(this.#buffer[this.at]! >> 5);
      const within = byteFieldsOf(bytes, key);
      const value = isLong
        ? yield* this.itemInSteps(level + 1, within, bytesPerStep, true)
        : this.item(level + 1, within);
      if (isMap) {
        keys.push(key);
        setKey(object, key, value);
      } else items.push(value);
      if (this.at - this.#step < bytesPerStep) continue;
      yield;
      this.#step = this.at;
    }
    // To the whole others add members.
    if (inside) settleKeys(object, keys);
    return isMap ? object : items;
  }

  #again(start: number, level: number, bytes: ByteFields | undefined): Json {
    this.at = start;
    return this.item(level, bytes);
  }

  #array(length: number | undefined, level: number, bytes: ByteFields | undefined): Json[] {
    this.#checkRoom(length ?? 0);
    const within = byteFieldsOf(bytes, 0);
    const items: Json[] = [];
    while (!this.#isDone(items.length, length)) items.push(this.item(level + 1, within));
    return items;
  }

  #map(length: number | undefined, level: number, bytes: ByteFields | undefined): JsonObject {
    this.#checkRoom((length ?? 0) * 2);
    const object: JsonObject = {};
    for (let index = 0; !this.#isDone(index, length); index++) {
      const key = this.#key(object, index, level);
      setKey(object, key, this.item(level + 1, byteFieldsOf(bytes, key)));
    }
    return object;
  }

  #key(object: JsonObject, index: number, level: number): string {
    if (index === this.#maxKeys) throw new CrowdedMap();
    const key = this.item(level + 1, undefined);
    if (typeof key !== "string") throw new DecodeError("cbor: map keys must be strings");
    if (Object.hasOwn(object, key))
      throw new DecodeError(`cbor: found duplicate map key ${quoteText(key)} at map element index ${index}`);
    return key;
  }

  /** Whether all elements were read; takes the mark that ends an indefinite length. */
  #isDone(count: number, length: number | undefined): boolean {
    if (length !== undefined) return count >= length;
    if (this.#buffer[this.at] !== BREAK) return false;
    this.at++;
    return true;
  }

  /** Tags that are not known stand for what is in them, as upstream has it. */
  #tagged(tag: number, level: number, bytes: ByteFields | undefined): Json {
    const encoding = ENCODINGS.get(tag);
    // Of what is no string of bytes it says nothing.
    if (encoding !== undefined && (this.#buffer[this.at] ?? 0) >> 5 === BYTE_STRING) {
      return this.#strings(BYTE_STRING, this.#byte() & 0x1f).toString(bytes === "bytes" ? "base64" : encoding);
    }
    if (tag === 2 || tag === 3) throw unacceptable("tag", "bignum");
    const value = this.item(level + 1, bytes);
    if (tag === TIME_TEXT && typeof value !== "string") {
      throw new DecodeError("cbor: tag number 0 must be followed by text string");
    }
    if (tag !== TIME_EPOCH) return value;
    if (typeof value !== "number") {
      throw new DecodeError("cbor: tag number 1 must be followed by integer or floating-point number");
    }
    const time = new Date(value * 1000);
    if (Number.isNaN(time.getTime())) throw new DecodeError("cbor: time out of range");
    return time.toISOString().replace(/\.?0*Z$/, "Z");
  }

  #simple(info: number): Json {
    switch (info) {
      case 20:
        return false;
      case 21:
        return true;
      case 22:
        return null;
      case 24:
        throw unacceptable("primitives", `simple value ${this.#byte()} is not recognized`);
      case 25:
        return this.#float(halfAt(this.#buffer, this.#take(2)));
      case 26:
        return this.#float(this.#buffer.readFloatBE(this.#take(4)));
      case 27:
        return this.#float(this.#buffer.readDoubleBE(this.#take(8)));
      case 31:
        throw new DecodeError('cbor: unexpected "break" code');
      default:
        throw unacceptable("primitives", `simple value ${info} is not recognized`);
    }
  }

  #float(value: number): number {
    if (Number.isNaN(value)) throw unacceptable("primitives", "floating-point NaN");
    if (!Number.isFinite(value)) throw unacceptable("primitives", "floating-point infinity");
    return value;
  }

  #integer(type: number, argument: number | bigint): number | bigint {
    if (typeof argument === "number") return type === 0 ? argument : -1 - argument;
    const value = type === 0 ? argument : -1n - argument;
    if (value >= 2n ** 63n || value < -(2n ** 63n)) {
      throw new DecodeError(`cbor: cannot unmarshal ${value} into Go value of type int64`);
    }
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }

  #text(type: number, bytes: Buffer): string {
    if (isAscii(bytes)) return bytes.toString("latin1");
    // Text must be text; bytes that stand for text are read as JSON's would be.
    if (type === TEXT_STRING && !isUtf8(bytes)) throw new DecodeError("cbor: invalid UTF-8 string");
    return decodeUtf8(bytes);
  }

  /** The content of a string: of one piece, or of several of its own type up to a mark. */
  #strings(type: number, info: number): Buffer {
    if (info !== 31) return this.#string(info);
    const pieces: Buffer[] = [];
    for (;;) {
      const head = this.#byte();
      if (head === BREAK) return Buffer.concat(pieces);
      if (head >> 5 !== type || (head & 0x1f) === 31) {
        throw new DecodeError(
          `cbor: wrong element type ${TYPE_NAMES[head >> 5]} for indefinite-length ${TYPE_NAMES[type]}`,
        );
      }
      const piece = this.#string(head & 0x1f);
      if (type === TEXT_STRING && !isUtf8(piece)) throw new DecodeError("cbor: invalid UTF-8 string");
      pieces.push(piece);
    }
  }

  #string(info: number): Buffer {
    const start = this.#take(this.#argument(info));
    return this.#buffer.subarray(start, this.at);
  }

  /** Undefined: up to a mark. */
  #length(info: number): number | undefined {
    return info === 31 ? undefined : Number(this.#argument(info));
  }

  #argument(info: number): number | bigint {
    if (info < 24) return info;
    if (info === 24) return this.#byte();
    if (info === 25) return this.#buffer.readUInt16BE(this.#take(2));
    if (info === 26) return this.#buffer.readUInt32BE(this.#take(4));
    if (info === 27) return this.#buffer.readBigUInt64BE(this.#take(8));
    throw new DecodeError(`cbor: invalid additional information ${info}`);
  }

  /** Every element takes a byte at least: no room is made for more than there are. */
  #checkRoom(elements: number): void {
    if (elements > this.#buffer.length - this.at) throw new DecodeError("unexpected EOF");
  }

  #byte(): number {
    return this.#buffer[this.#take(1)]!;
  }

  #take(count: number | bigint): number {
    const start = this.at;
    if (count > this.#buffer.length - start) throw new DecodeError("unexpected EOF");
    this.at = start + Number(count);
    return start;
  }
}

const ENCODINGS: ReadonlyMap<number, BufferEncoding> = new Map([
  [BASE64URL, "base64url"],
  [BASE64, "base64"],
  [BASE16, "hex"],
]);

const TYPE_NAMES = [
  "positive integer",
  "negative integer",
  "byte string",
  "UTF-8 text string",
  "array",
  "map",
  "tag",
  "primitives",
];

function unacceptable(type: string, why: string): DecodeError {
  return new DecodeError(`cbor: data item of cbor type ${type} is not accepted by protocol: ${why}`);
}

function halfAt(buffer: Buffer, at: number): number {
  const bits = buffer.readUInt16BE(at);
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
