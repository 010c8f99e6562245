// Long JSON in steps: what JSON.parse makes of the whole text, put together from what it makes of pieces of it, between which
// others may have their turn. One pass finds where the members of lists and objects end, however deep they stand; those of
// one list or object that have come together to a piece are parsed at once. A long text is put together from pieces of its own.
//
//   {"a":1,"b":[1,2,3,4],"c":5}   with pieces of three bytes:   {"a":1}   "b":   [1,2] [3,4]   {"c":5}

import { type Json, type JsonObject, setKey } from "../../base/json.ts";
import type { Steps } from "../../base/steps.ts";
import { settleKeys } from "../../base/wide-keys.ts";
import { endOfString, goesOnAt, HALF_OF_A_PAIR } from "./scan.ts";

const PIECE_BYTES = 16 * 1024;
/** What is no list or object is left to the full parser when it is longer. */
const MAX_SCALAR_BYTES = 64 * 1024;
/** To go over them takes less than to parse them. */
const STEP_PIECES = 4;

/**
 * The document, whose own members may be added to: not those of wide objects in it. It must be valid UTF-8 and need nothing that JSON.parse does not see. Undefined when it is not JSON: the
 * full parser says why. `encoding` is latin1 for ASCII, which is read faster.
 */
export function* parseInSteps(
  bytes: Uint8Array,
  encoding: "latin1" | "utf8",
  pieceBytes = PIECE_BYTES,
): Steps<{ readonly value: Json } | undefined> {
  try {
    return yield* new Pieces(bytes, encoding, pieceBytes).document();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A list or object whose end has not come yet. */
interface Open {
  readonly isList: boolean;
  /** Where it begins. */
  readonly start: number;
  /** What has been parsed of it; undefined while nothing has: then it may become a part of a piece of what is around it. */
  value: Json[] | JsonObject | undefined;
  /** Where the members begin that have not been parsed. */
  unparsed: number;
  /** Where its current member begins. */
  member: number;
  /** What stood last, where all before has been parsed: a comma wants a member behind it, a member a comma. */
  last: "comma" | "member" | undefined;
  /** Under which its current member will stand. */
  key: string;
  /** Where that key ends, if it is a long one. */
  keyEnd: number | undefined;
  /** Of what has been parsed of an object. */
  readonly keys: string[];
}

class Pieces {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #encoding: "latin1" | "utf8";
  readonly #pieceBytes: number;
  readonly #around: Open[] = [];

  constructor(bytes: Uint8Array, encoding: "latin1" | "utf8", pieceBytes: number) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#encoding = encoding;
    this.#pieceBytes = pieceBytes;
  }

  *document(): Steps<{ readonly value: Json }> {
    const bytes = this.#bytes;
    const around = this.#around;
    let open: Open | undefined;
    let stepEnd = STEP_PIECES * this.#pieceBytes;
    for (let at = 0; at < bytes.length; ) {
      // Long texts, numbers and space, too, have taken their time.
      if (at > stepEnd) {
        stepEnd = at + STEP_PIECES * this.#pieceBytes;
        yield;
      }
      const byte = bytes[at++]!;
      if (byte === 0x22 /* " */) {
        const start = at;
        at = endOfString(this.#view, bytes, at, stepEnd);
        if (at === HALF_OF_A_PAIR) throw new SyntaxError("half of a character");
        if (at < 0) {
          const long = yield* this.#longText(start, goesOnAt(at));
          at = long.end;
          stepEnd = at + STEP_PIECES * this.#pieceBytes;
          if (open !== undefined) this.#put(open, long.text, start - 1, at);
        }
      } else if (byte === 0x2c /* , */) {
        if (open === undefined) throw new SyntaxError("a comma outside");
        if (open.last === "member") this.#expectBlank(open.unparsed, at - 1);
        else if (open.keyEnd !== undefined || at - open.unparsed > this.#pieceBytes) {
          this.#begin(around.length - 1);
          this.#take(open, at - 1);
          yield;
        }
        if (open.last === "member") {
          open.last = "comma";
          open.unparsed = at;
        }
        open.member = at;
        open.keyEnd = undefined;
      } else if (byte === 0x7b /* { */ || byte === 0x5b /* [ */) {
        if (open === undefined) this.#expectBlank(0, at - 1);
        open = newlyOpen(byte === 0x5b, at - 1);
        around.push(open);
      } else if (byte === 0x7d /* } */ || byte === 0x5d /* ] */) {
        if (open?.isList !== (byte === 0x5d)) throw new SyntaxError("the end of something else");
        around.pop();
        const outer = around.at(-1);
        if (open.value !== undefined) {
          this.#close(open, at - 1);
          if (outer === undefined) return this.#end(open.value, at);
          if (!open.isList) settleKeys(open.value, open.keys);
          add(outer, open.value);
          outer.last = "member";
          outer.unparsed = at;
        } else if (outer === undefined) break;
        open = outer;
      }
    }
    // The whole would be read for nothing; and one text or number, however long, at once.
    if (around.length > 0 || (open === undefined && bytes.length > MAX_SCALAR_BYTES)) throw new SyntaxError("no end");
    // Short, or no list or object at all.
    return { value: JSON.parse(bytes.toString(this.#encoding)) as Json };
  }

  /** The text that begins at `start` and goes on at `at`, and where it has ended. */
  *#longText(start: number, at: number): Steps<{ readonly text: string; readonly end: number }> {
    const parts: string[] = [];
    for (let from = start; ; ) {
      // No escape is cut in two there, but a character may be.
      while (at < this.#bytes.length && (this.#bytes[at]! & 0xc0) === 0x80) at += 1;
      parts.push(JSON.parse(`"${this.#text(from, at)}"`) as string);
      yield;
      from = at;
      const end = endOfString(this.#view, this.#bytes, from, from + STEP_PIECES * this.#pieceBytes);
      if (end === HALF_OF_A_PAIR) throw new SyntaxError("half of a character");
      if (end >= 0) {
        parts.push(JSON.parse(`"${this.#text(from, end)}`) as string);
        return { text: parts.join(""), end };
      }
      at = goesOnAt(end);
    }
  }

  /** A long text that stands from `start` to `end` is a key or a value of what is open. */
  #put(open: Open, text: string, start: number, end: number): void {
    if (open.last === "member") throw new SyntaxError("no comma before it");
    this.#begin(this.#around.length - 1);
    if (!open.isList && open.keyEnd === undefined && isBlank(this.#text(open.member, start))) {
      if (open.unparsed < open.member) this.#take(open, open.member - 1);
      open.key = text;
      open.keyEnd = end;
      open.last = "comma";
    } else {
      this.#leadTo(open, start);
      add(open, text);
      open.last = "member";
    }
    open.unparsed = end;
  }

  /** All around the place at `depth` is parsed up to the member that it is in, and so is the place itself. */
  #begin(depth: number): void {
    for (let index = 0; index < depth; index += 1) this.#leadTo(this.#around[index]!, this.#around[index + 1]!.start);
    const open = this.#around[depth]!;
    open.value ??= open.isList ? [] : {};
  }

  /** All before the value that begins at `start` is parsed. */
  #leadTo(open: Open, start: number): void {
    open.value ??= open.isList ? [] : {};
    // The comma before the current member is where those before it end.
    if (open.unparsed < open.member) this.#take(open, open.member - 1);
    open.unparsed = open.member;
    const text = this.#text(open.keyEnd ?? open.member, start);
    if (open.keyEnd !== undefined) keyOf(`""${text}`);
    else if (!open.isList) open.key = keyOf(text);
    else if (!isBlank(text)) throw new SyntaxError("a list before a comma");
  }

  /** Members up to `end` are parsed. */
  #take(open: Open, end: number): void {
    const text = this.#text(open.unparsed, end);
    if (open.isList) {
      const items = JSON.parse(`[${text}]`) as Json[];
      if (items.length === 0) throw new SyntaxError("nothing before a comma");
      for (const item of items) (open.value as Json[]).push(item);
    } else {
      // Behind a long key there is one member.
      const members = JSON.parse(open.keyEnd === undefined ? `{${text}}` : `{""${text}}`) as JsonObject;
      let empty = true;
      for (const key in members) {
        addMember(open, open.keyEnd === undefined ? key : open.key, members[key]!);
        empty = false;
      }
      if (empty) throw new SyntaxError("nothing before a comma");
    }
    open.last = "member";
    open.unparsed = end;
  }

  #close(open: Open, end: number): void {
    if (open.last === "member") this.#expectBlank(open.unparsed, end);
    else this.#take(open, end);
  }

  #end(value: Json, at: number): { readonly value: Json } {
    this.#expectBlank(at, this.#bytes.length);
    return { value };
  }

  #expectBlank(start: number, end: number): void {
    if (!isBlank(this.#text(start, end))) throw new SyntaxError("more than one value");
  }

  #text(start: number, end: number): string {
    return this.#bytes.toString(this.#encoding, start, end);
  }
}

const isBlank = (text: string): boolean => /^[ \t\n\r]*$/.test(text);

const newlyOpen = (isList: boolean, start: number): Open => ({
  isList,
  start,
  value: undefined,
  unparsed: start + 1,
  member: start + 1,
  last: undefined,
  key: "",
  keyEnd: undefined,
  keys: [],
});

function add(open: Open, value: Json): void {
  if (open.isList) (open.value as Json[]).push(value);
  else addMember(open, open.key, value);
}

function addMember({ value: object, keys }: Open, key: string, value: Json): void {
  if (!Object.hasOwn(object as JsonObject, key)) keys.push(key);
  setKey(object as JsonObject, key, value);
}

/** Of `"key":` */
function keyOf(text: string): string {
  const [key, ...more] = Object.keys(JSON.parse(`{${text}0}`) as object);
  if (key === undefined || more.length > 0) throw new SyntaxError("no key");
  return key;
}
