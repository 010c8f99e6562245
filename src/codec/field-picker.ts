// The few fields of a JSON object that somebody wants, cut out of its bytes in one pass: the rest is skipped without being
// decoded. Rows of Tables show a handful of fields of objects that are many times as large.
//
//   fields  metadata.name, spec.containers.name, data.*
//   bytes   {"kind":"X","metadata":{"name":"x","uid":"u"},"spec":{"a":1,"containers":[{"name":"c","image":"i"}]},"data":{"k":"v"}}
//   picked  {"metadata":{"name":"x"},"spec":{"containers":[{"name":"c"}]},"data":{"k":0}}

import { endOfValue, type Skipped, skip } from "./skip-value.ts";

/** Names of fields from the outside inwards. Lists on the way are gone through; a last "*" stands for keys without values. */
export type FieldPath = readonly string[];

interface Picked {
  /** JSON of the object with only the wanted fields. Good until the next one is picked. */
  readonly bytes: Uint8Array;
  /** Where the value of the object's `metadata` stands in the bytes that were picked from. */
  readonly metadataFrom: number;
  readonly metadataTo: number;
}

/** What is wanted below a field. */
interface Wanted {
  readonly name: Uint8Array;
  /** All of it, its keys, or the members below. */
  how: "all" | "keys" | "members";
  readonly members: Wanted[];
  /** The members that were left out last time, in their order. */
  readonly skipped: Skipped[];
}

/** Texts above this have a room of their own, which is not kept. */
const KEPT_ROOM_BYTES = 256 * 1024;

export class FieldPicker {
  readonly #fields: readonly FieldPath[];
  /** Made of them for the first object: many pickers never see one. */
  #root: Wanted | undefined;
  #metadata: Wanted | undefined;
  #in: Uint8Array = NOTHING;
  #out: Uint8Array = NOTHING;
  #room: Uint8Array = NOTHING;
  #end = 0;
  #odd = false;
  #metadataFrom = -1;
  #metadataTo = -1;

  constructor(fields: readonly FieldPath[]) {
    this.#fields = fields;
  }

  /**
   * Undefined for bytes whose fields cannot be told apart without decoding them: a key is written with escapes, or
   * something stands where none is expected.
   */
  pick(bytes: Uint8Array): Picked | undefined {
    if (this.#room.length < bytes.length) {
      this.#room = Buffer.allocUnsafe(Math.max(4096, Math.min(2 * bytes.length, KEPT_ROOM_BYTES)));
    }
    this.#in = bytes;
    this.#out = this.#room.length < bytes.length ? Buffer.allocUnsafe(bytes.length) : this.#room;
    this.#end = 0;
    this.#odd = false;
    this.#metadataFrom = -1;
    this.#root ??= this.#wanted();
    const end = this.#object(this.#root, afterSpace(bytes, 0));
    const picked = this.#out.subarray(0, this.#end);
    this.#in = NOTHING;
    this.#out = NOTHING;
    if (this.#odd || this.#metadataFrom < 0 || afterSpace(bytes, end) < bytes.length) return undefined;
    return { bytes: picked, metadataFrom: this.#metadataFrom, metadataTo: this.#metadataTo };
  }

  /** Lets go of the bytes that it remembers: when a list is over. */
  forget(): void {
    if (this.#root !== undefined) forgetSkipped(this.#root);
  }

  #wanted(): Wanted {
    const root: Wanted = { name: NOTHING, how: "members", members: [], skipped: [] };
    this.#metadata = memberOf(root, "metadata");
    for (const path of this.#fields) want(root, path);
    return root;
  }

  /** What is wanted of the object that begins at `start`; answers where it has ended. */
  #object(wanted: Wanted, start: number): number {
    const bytes = this.#in;
    const { length } = bytes;
    if (bytes[start] !== 0x7b /* { */) this.#odd = true;
    this.#put(0x7b);
    let first = true;
    let skips = 0;
    let at = start + 1;
    while (at < length && !this.#odd) {
      const byte = bytes[at]!;
      if (byte === 0x7d /* } */) {
        this.#put(0x7d);
        return at + 1;
      }
      if (byte === 0x2c /* , */ || byte <= 0x20) {
        at += 1;
        continue;
      }
      const keyEnd = this.#keyEnd(at);
      const colon = afterSpace(bytes, keyEnd);
      const valueAt = afterSpace(bytes, colon + 1);
      if (byte !== 0x22 /* " */ || bytes[colon] !== 0x3a /* : */) break;
      const member = wanted.how === "keys" ? KEY_ALONE : memberAt(wanted.members, bytes, at + 1, keyEnd - 1);
      if (member === undefined) {
        at = skip(bytes, valueAt, wanted.skipped, skips, 0);
        skips += 1;
        continue;
      }
      if (!first) this.#put(0x2c);
      first = false;
      this.#copy(at, keyEnd);
      this.#put(0x3a);
      at = this.#value(member, valueAt);
      if (member === this.#metadata) {
        this.#metadataFrom = valueAt;
        this.#metadataTo = at;
      }
    }
    this.#odd = true;
    return length;
  }

  #value(wanted: Wanted, start: number): number {
    const byte = this.#in[start];
    if (wanted === KEY_ALONE) {
      this.#put(0x30 /* 0 */);
      return endOfValue(this.#in, start);
    }
    if (wanted.how !== "all" && byte === 0x7b /* { */) return this.#object(wanted, start);
    if (wanted.how !== "all" && byte === 0x5b /* [ */) return this.#list(wanted, start);
    const end = endOfValue(this.#in, start);
    this.#copy(start, end);
    return end;
  }

  #list(wanted: Wanted, start: number): number {
    const bytes = this.#in;
    this.#put(0x5b);
    let at = start + 1;
    while (at < bytes.length && !this.#odd) {
      const byte = bytes[at]!;
      if (byte === 0x5d /* ] */) {
        this.#put(0x5d);
        return at + 1;
      }
      if (byte <= 0x20) at += 1;
      else if (byte === 0x2c /* , */) {
        this.#put(0x2c);
        at += 1;
      } else at = this.#value(wanted, at);
    }
    this.#odd = true;
    return bytes.length;
  }

  /** Behind the closing quote of the key at `start`. */
  #keyEnd(start: number): number {
    const bytes = this.#in;
    for (let at = start + 1; at < bytes.length; at += 1) {
      if (bytes[at] === 0x22) return at + 1;
      if (bytes[at] === 0x5c /* \ */) this.#odd = true;
    }
    this.#odd = true;
    return bytes.length;
  }

  #put(byte: number): void {
    this.#out[this.#end] = byte;
    this.#end += 1;
  }

  #copy(from: number, to: number): void {
    const bytes = this.#in;
    const out = this.#out;
    let end = this.#end;
    if (to - from > 64) {
      out.set(bytes.subarray(from, to), end);
      end += to - from;
    } else for (let at = from; at < to; at += 1) out[end++] = bytes[at]!;
    this.#end = end;
  }
}

const NOTHING = new Uint8Array(0);

/** A key whose value does not matter. */
const KEY_ALONE: Wanted = { name: NOTHING, how: "all", members: [], skipped: [] };

function want(root: Wanted, path: FieldPath): void {
  let wanted = root;
  for (const [index, name] of path.entries()) {
    if (name === "*" && index === path.length - 1) {
      if (wanted.how === "members") wanted.how = "keys";
      return;
    }
    wanted = memberOf(wanted, name);
  }
  wanted.how = "all";
}

function memberOf(wanted: Wanted, name: string): Wanted {
  // Keys are compared as they are written: compact, without escapes.
  const bytes = Buffer.from(name);
  const known = wanted.members.find((member) => bytes.equals(member.name));
  if (known !== undefined) return known;
  const member: Wanted = { name: bytes, how: "members", members: [], skipped: [] };
  wanted.members.push(member);
  return member;
}

function memberAt(members: readonly Wanted[], bytes: Uint8Array, from: number, to: number): Wanted | undefined {
  for (let index = 0; index < members.length; index += 1) {
    const { name } = members[index]!;
    if (name.length !== to - from || name[0] !== bytes[from]) continue;
    let same = 1;
    while (same < name.length && name[same] === bytes[from + same]) same += 1;
    if (same >= name.length) return members[index];
  }
  return undefined;
}

function afterSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at]! <= 0x20) at += 1;
  return at;
}

function forgetSkipped(wanted: Wanted): void {
  wanted.skipped.length = 0;
  for (const member of wanted.members) forgetSkipped(member);
}
