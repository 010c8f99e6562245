// The full JSON parser: everything that JSON.parse does not tell, for the few bodies that need it, and upstream's words
// for malformed ones. Reads bytes, not text, since messages name the offending byte.

import { goQuote } from "../../base/go-quote.ts";
import { type Json, type JsonObject, setKey } from "../../base/json.ts";
import { atOnce, type Steps } from "../../base/steps.ts";
import { cutPath } from "../../meta/quoted.ts";
import { type Decoded, DecodeError, MAX_DUPLICATES, MAX_ODD_NUMBERS, type OddNumber } from "../decode-error.ts";
import { longNumber, MAX_NUMBER_CHARACTERS, readNumber } from "./number.ts";
import { decodeUtf8 } from "./utf8.ts";

/** Fails with a DecodeError. The last of repeated keys wins. */
export function parseJson(bytes: Uint8Array, maxDepth: number): Decoded<Json> {
  return atOnce(parseJsonInSteps(bytes, maxDepth));
}

/** The same for long documents. */
export function* parseJsonInSteps(bytes: Uint8Array, maxDepth: number): Steps<Decoded<Json>> {
  const parser = new Parser(bytes, maxDepth);
  const value = yield* parser.document();
  return { value, duplicates: [...parser.duplicates], oddNumbers: parser.oddNumbers };
}

/** Longer paths are not told one by one: a document can repeat a long beginning at every key. */
const MAX_VISITED_SEGMENTS = 32;
const MAX_VISITED_CHARACTERS = 1024;

/**
 * Where the fields of a document stand in it: calls back for every key in the order of the text, with its path as
 * findings quote it, unless that is very long. Fails with a DecodeError.
 */
export function* visitFields(bytes: Uint8Array, maxDepth: number, onField: (quotedPath: string) => void): Steps<void> {
  yield* new Parser(bytes, maxDepth, onField).document();
}

/** So much is read in one step. */
const BYTES_PER_STEP = 16 * 1024;

type Container = Json[] | JsonObject;

class Parser {
  readonly duplicates = new Set<string>();
  readonly oddNumbers: OddNumber[] = [];
  readonly #bytes: Uint8Array;
  readonly #maxDepth: number;
  /** Keys and indexes that lead to the current value. */
  readonly #path: (string | number)[] = [];
  readonly #onField: ((quotedPath: string) => void) | undefined;
  #at = 0;
  /** What has been read of the current text. */
  #text = "";

  constructor(bytes: Uint8Array, maxDepth: number, onField?: (quotedPath: string) => void) {
    this.#bytes = bytes;
    this.#maxDepth = maxDepth;
    this.#onField = onField;
  }

  *document(): Steps<Json> {
    /** Lists and objects whose end has not come yet. */
    const around: Container[] = [];
    for (let stepEnd = BYTES_PER_STEP; ; ) {
      if (this.#at > stepEnd) {
        stepEnd = this.#at + BYTES_PER_STEP;
        yield;
      }
      let value = this.#value();
      if (value === undefined) value = yield* this.#restOfText();
      let container: Container | undefined;
      if (typeof value === "object" && value !== null && !this.#isClosedBy(value)) {
        container = value;
        around.push(container);
      } else {
        for (;;) {
          container = around.at(-1);
          if (container === undefined) {
            if (this.#next() !== undefined) throw this.#invalid("after top-level value");
            return value;
          }
          this.#put(container, value);
          if (this.#hasMore(container)) break;
          value = around.pop()!;
        }
      }
      if (!this.#beginMember(container)) this.#name(container as JsonObject, yield* this.#restOfText());
    }
  }

  /** A list or object only begins here. Undefined for a long text: `restOfText` reads on. */
  #value(): Json | undefined {
    const byte = this.#next();
    switch (byte) {
      case 0x7b:
        return this.#enter({});
      case 0x5b:
        return this.#enter([]);
      case 0x22:
        return this.#string();
      case 0x74:
        return this.#literal("true", true);
      case 0x66:
        return this.#literal("false", false);
      case 0x6e:
        return this.#literal("null", null);
      default:
        if (byte === 0x2d || isDigit(byte)) return this.#number();
        throw this.#invalid("looking for beginning of value");
    }
  }

  #enter<T extends Container>(container: T): T {
    this.#at++;
    if (this.#path.length >= this.#maxDepth) throw new DecodeError("exceeded max depth");
    return container;
  }

  #isClosedBy(container: Container): boolean {
    if (this.#next() !== (Array.isArray(container) ? 0x5d : 0x7d)) return false;
    this.#at++;
    return true;
  }

  /** Up to the value of a member, or to an item. False for a long key: it goes on with `name` when that is read. */
  #beginMember(container: Container): boolean {
    if (Array.isArray(container)) {
      this.#path.push(container.length);
      return true;
    }
    if (this.#next() !== 0x22) throw this.#invalid("looking for beginning of object key string");
    const key = this.#string();
    if (key === undefined) return false;
    this.#name(container, key);
    return true;
  }

  #name(container: JsonObject, key: string): void {
    if (this.#next() !== 0x3a) throw this.#invalid("after object key");
    this.#at++;
    this.#path.push(key);
    if (this.#onField !== undefined) this.#visit(this.#onField);
    if (Object.hasOwn(container, key)) this.#duplicate();
  }

  #put(container: Container, value: Json): void {
    const at = this.#path.pop()!;
    if (Array.isArray(container)) container.push(value);
    else setKey(container, at as string, value);
  }

  /** Whether another member follows, up to which it goes; otherwise the container has ended. */
  #hasMore(container: Container): boolean {
    if (this.#isClosedBy(container)) return false;
    if (this.#next() !== 0x2c)
      throw this.#invalid(Array.isArray(container) ? "after array element" : "after object key:value pair");
    this.#at++;
    return true;
  }

  /** Undefined for a long one, of which a part has been read. */
  #string(): string | undefined {
    const bytes = this.#bytes;
    const start = ++this.#at;
    const stop = start + BYTES_PER_STEP;
    let at = start;
    let byte = bytes[at];
    while (byte !== undefined && byte !== 0x22 && byte !== 0x5c && byte >= 0x20 && at < stop) byte = bytes[++at];
    if (byte === 0x22) {
      this.#at = at + 1;
      return decodeUtf8(bytes, start, at);
    }
    this.#text = "";
    return this.#readText() ? this.#text : undefined;
  }

  *#restOfText(): Steps<string> {
    do yield;
    while (!this.#readText());
    return this.#text;
  }

  /** Reads on in a text, for one step at most. Whether it has ended. */
  #readText(): boolean {
    const bytes = this.#bytes;
    const stop = this.#at + BYTES_PER_STEP;
    /** Joined at the end: added one by one they would take several times the room. */
    const parts: string[] = [];
    let from = this.#at;
    for (let at = from; ; ) {
      const byte = bytes[at];
      const ends = byte === 0x22;
      if (ends || byte === 0x5c || (at >= stop && isSplittable(bytes, at, stop))) {
        if (at > from) parts.push(decodeUtf8(bytes, from, at));
        this.#at = ends ? at + 1 : at;
        if (ends || at >= stop) {
          this.#text += parts.join("");
          return ends;
        }
        this.#at++;
        parts.push(this.#escape());
        at = this.#at;
        from = at;
      } else if (byte === undefined || byte < 0x20) {
        this.#at = at;
        throw this.#invalid("in string literal");
      } else {
        at++;
      }
    }
  }

  #escape(): string {
    const byte = this.#bytes[this.#at];
    if (byte === 0x75) {
      const unit = this.#hexUnit();
      if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit);
      // Half a pair becomes the replacement character, and what follows is read on its own.
      if (unit > 0xdbff || this.#bytes[this.#at] !== 0x5c || this.#bytes[this.#at + 1] !== 0x75) return "\ufffd";
      const back = this.#at++;
      const low = this.#hexUnit();
      if (low >= 0xdc00 && low <= 0xdfff) return String.fromCharCode(unit, low);
      this.#at = back;
      return "\ufffd";
    }
    const escaped = byte === undefined ? undefined : ESCAPES.get(byte);
    if (escaped === undefined) throw this.#invalid("in string escape code");
    this.#at++;
    return escaped;
  }

  /** The four digits after `\u`, standing at the `u`. */
  #hexUnit(): number {
    let unit = 0;
    for (let digit = 0; digit < 4; digit++) {
      this.#at++;
      const value = hexValue(this.#bytes[this.#at]);
      if (value < 0) throw this.#invalid("in \\u hexadecimal character escape");
      unit = unit * 16 + value;
    }
    this.#at++;
    return unit;
  }

  #number(): Json {
    const start = this.#at;
    if (this.#bytes[this.#at] === 0x2d) {
      this.#at++;
      if (!isDigit(this.#bytes[this.#at])) throw this.#invalid("in numeric literal");
    }
    if (this.#bytes[this.#at] === 0x30) this.#at++;
    else this.#digits(start);
    if (this.#bytes[this.#at] === 0x2e) {
      this.#at++;
      if (!isDigit(this.#bytes[this.#at])) throw this.#invalid("after decimal point in numeric literal");
      this.#digits(start);
    }
    const exponent = this.#bytes[this.#at];
    if (exponent === 0x65 || exponent === 0x45) {
      this.#at++;
      const sign = this.#bytes[this.#at];
      if (sign === 0x2b || sign === 0x2d) this.#at++;
      if (!isDigit(this.#bytes[this.#at])) throw this.#invalid("in exponent of numeric literal");
      this.#digits(start);
    }
    const text = decodeUtf8(this.#bytes, start, this.#at);
    const { value, odd } = readNumber(text);
    if (odd && this.oddNumbers.length < MAX_ODD_NUMBERS) this.oddNumbers.push({ path: [...this.#path], text });
    return value;
  }

  /** Of the number that begins at `start`. */
  #digits(start: number): void {
    const bytes = this.#bytes;
    const most = start + MAX_NUMBER_CHARACTERS;
    let at = this.#at;
    while (isDigit(bytes[at])) if (++at > most) throw longNumber();
    this.#at = at;
  }

  #literal<T extends Json>(word: string, value: T): T {
    for (let index = 0; index < word.length; index++) {
      const expected = word.charCodeAt(index);
      if (this.#bytes[this.#at] !== expected) {
        throw this.#invalid(`in literal ${word} (expecting '${word[index]}')`);
      }
      this.#at++;
    }
    return value;
  }

  /** The next byte that is not white space, without taking it. */
  #next(): number | undefined {
    const bytes = this.#bytes;
    let at = this.#at;
    let byte = bytes[at];
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++at];
    this.#at = at;
    return byte;
  }

  #visit(onField: (quotedPath: string) => void): void {
    if (this.#path.length > MAX_VISITED_SEGMENTS) return;
    let characters = 0;
    for (const segment of this.#path) characters += typeof segment === "string" ? segment.length : 1;
    if (characters <= MAX_VISITED_CHARACTERS) onField(goQuote(cutPath(this.#path)));
  }

  #duplicate(): void {
    if (this.duplicates.size < MAX_DUPLICATES) {
      this.duplicates.add(`duplicate field ${goQuote(cutPath(this.#path))}`);
    }
  }

  #invalid(context: string): DecodeError {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) return new DecodeError("unexpected end of JSON input");
    return new DecodeError(`invalid character ${quoteByte(byte)} ${context}`);
  }
}

/** Whether no character goes on here. `stop` is the first place where that may be asked: four bytes make one at most. */
function isSplittable(bytes: Uint8Array, at: number, stop: number): boolean {
  return at >= stop + 3 || (bytes[at]! & 0xc0) !== 0x80;
}

const ESCAPES = new Map([
  [0x22, '"'],
  [0x5c, "\\"],
  [0x2f, "/"],
  [0x62, "\b"],
  [0x66, "\f"],
  [0x6e, "\n"],
  [0x72, "\r"],
  [0x74, "\t"],
]);

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1;
}

function quoteByte(byte: number): string {
  if (byte === 0x27) return "'\\''";
  if (byte === 0x22) return "'\"'";
  const quoted = goQuote(String.fromCharCode(byte));
  return `'${quoted.slice(1, -1)}'`;
}
