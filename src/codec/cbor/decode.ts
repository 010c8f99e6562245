// Reads CBOR data items into JSON values: byte strings are text unless a tag says that they are data, keys are text.

import { goQuote } from "../../base/go-quote.ts";
import { type Json, type JsonObject, setKey } from "../../base/json.ts";
import { DecodeError, MAX_DUPLICATES } from "../decode-error.ts";
import { pathText } from "../json/parse.ts";
import { decodeUtf8 } from "../json/utf8.ts";

/** As upstream has it. */
const MAX_LEVELS = 64;

const SELF_DESCRIBED = 55799;
const BASE64URL = 21;
const BASE64 = 22;
const BASE16 = 23;

export interface CborItem {
  readonly value: Json;
  readonly duplicates: readonly string[];
  /** Where the next item starts. */
  readonly end: number;
}

/** The item that starts at `start`. Fails with a DecodeError. */
export function readCbor(bytes: Uint8Array, start: number): CborItem {
  const decoder = new CborReader(bytes, start);
  const value = decoder.item(0);
  return { value, duplicates: [...decoder.duplicates], end: decoder.at };
}

class CborReader {
  readonly duplicates = new Set<string>();
  readonly #buffer: Buffer;
  readonly #path: (string | number)[] = [];
  at: number;

  constructor(bytes: Uint8Array, start: number) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = start;
  }

  item(level: number): Json {
    if (level > MAX_LEVELS) throw new DecodeError(`cbor: exceeded max nested level ${MAX_LEVELS}`);
    const head = this.#byte();
    const type = head >> 5;
    if (type === 7) return this.#simple(head & 0x1f);
    const argument = this.#argument(head & 0x1f);
    switch (type) {
      case 0:
        return typeof argument === "number" ? argument : this.#integer(argument);
      case 1:
        return typeof argument === "number" ? -1 - argument : this.#integer(-1n - argument);
      case 2:
      case 3:
        return this.#text(argument);
      case 4:
        return this.#array(Number(argument), level);
      case 5:
        return this.#map(Number(argument), level);
      default:
        return this.#tagged(Number(argument), level);
    }
  }

  #array(length: number, level: number): Json[] {
    this.#checkRoom(length);
    const items: Json[] = [];
    for (let index = 0; index < length; index++) {
      this.#path.push(index);
      items.push(this.item(level + 1));
      this.#path.pop();
    }
    return items;
  }

  #map(length: number, level: number): JsonObject {
    this.#checkRoom(length * 2);
    const object: JsonObject = {};
    for (let index = 0; index < length; index++) {
      const key = this.item(level + 1);
      if (typeof key !== "string") throw new DecodeError("cbor: map keys must be strings");
      this.#path.push(key);
      if (Object.hasOwn(object, key)) this.#duplicate();
      setKey(object, key, this.item(level + 1));
      this.#path.pop();
    }
    return object;
  }

  #tagged(tag: number, level: number): Json {
    if (tag === SELF_DESCRIBED || tag === 0) return this.item(level + 1);
    const encoding = tag === BASE64 ? "base64" : tag === BASE64URL ? "base64url" : tag === BASE16 ? "hex" : undefined;
    if (encoding === undefined) throw new DecodeError(`cbor: unrecognized tag number ${tag}`);
    const head = this.#byte();
    if (head >> 5 !== 2) throw new DecodeError(`cbor: tag number ${tag} must be followed by a byte string`);
    const length = this.#argument(head & 0x1f);
    const start = this.#take(length);
    return this.#buffer.toString(encoding, start, this.at);
  }

  #simple(info: number): Json {
    switch (info) {
      case 20:
        return false;
      case 21:
        return true;
      case 22:
      case 23:
        return null;
      case 25:
        return this.#float(halfAt(this.#buffer, this.#take(2)));
      case 26:
        return this.#float(this.#buffer.readFloatBE(this.#take(4)));
      case 27:
        return this.#float(this.#buffer.readDoubleBE(this.#take(8)));
      default:
        throw new DecodeError(`cbor: simple value ${info} is not recognized`);
    }
  }

  #float(value: number): number {
    if (!Number.isFinite(value)) throw new DecodeError("cbor: floating-point NaN and infinity are not allowed");
    return value;
  }

  #integer(value: bigint): number | bigint {
    if (value >= 2n ** 63n || value < -(2n ** 63n)) {
      throw new DecodeError(`cbor: cannot unmarshal ${value} into Go value of type int64`);
    }
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }

  #text(length: number | bigint): string {
    const start = this.#take(length);
    const buffer = this.#buffer;
    let at = start;
    while (at < this.at && buffer[at]! < 0x80) at++;
    return at === this.at ? buffer.toString("latin1", start, at) : decodeUtf8(buffer, start, this.at);
  }

  #argument(info: number): number | bigint {
    if (info < 24) return info;
    if (info === 24) return this.#byte();
    if (info === 25) return this.#buffer.readUInt16BE(this.#take(2));
    if (info === 26) return this.#buffer.readUInt32BE(this.#take(4));
    if (info === 27) return this.#buffer.readBigUInt64BE(this.#take(8));
    throw new DecodeError("cbor: indefinite-length items are not allowed");
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

  #duplicate(): void {
    if (this.duplicates.size < MAX_DUPLICATES) {
      this.duplicates.add(`duplicate field ${goQuote(pathText(this.#path))}`);
    }
  }
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
