// The state of one conforming walk: where it is, what it found, scratch space. And the errors that end it, in the words
// of upstream's decoder.

import { goQuote } from "../base/go-quote.ts";
import type { Steps } from "../base/steps.ts";
import { cutPath } from "../meta/quoted.ts";
import type { Schema, StructSchema } from "./schema.ts";

/** Values nested deeper are refused; the decoder's own bound may be lower. */
export const MAX_DEPTH = 1000;
/**
 * Entries of lists and keys of maps in one object. What fits into a body and means something has fewer; a body of empty
 * texts has a million, and every one may be wrong in several ways.
 */
const MAX_ENTRIES = 250_000;
/** Further unknown fields are dropped without a word. */
const MAX_UNKNOWN_REPORTED = 100;
/** Nobody means an object with more of them; they are gone through at once, since those of a struct are few. */
const MAX_UNKNOWN_FIELDS = 10_000;

/** A value that the schema's type cannot take. The message is upstream's, without the words about the object around it. */
export class ShapeError extends Error {
  /** Dotted, list indexes in brackets: spec.containers[0].name. A long one is cut. */
  readonly path: string;
  /** What stood there, and what should; absent where the value was of the right type but could not be read. */
  readonly mismatch: Mismatch | undefined;

  constructor(message: string, path: string, mismatch?: Mismatch) {
    super(message);
    this.name = "ShapeError";
    this.path = path;
    this.mismatch = mismatch;
  }
}

interface Mismatch {
  readonly value: unknown;
  readonly schema: Schema;
}

export interface ConformOptions {
  /** collect: dropped and reported; drop: dropped silently; keep: kept as they are. */
  readonly unknownFields: "collect" | "drop" | "keep";
  /** Whether a feature gate is on. What is always written is not where it stands behind one that is off. Default: all are on. */
  readonly gate?: (name: string) => boolean;
  /**
   * The caller lets go of the input: parts of it that need no change become parts of the result, changed in place.
   * Saves most of the time for a value that was just decoded and is nobody else's.
   */
  readonly reuse?: boolean;
  /** Where the value stands in the object it is a part of; by default it is the object. */
  readonly at?: string;
}

export interface Shaper {
  /** The value in shape. Never called with null: null is the absence of a value. */
  readonly shape: (value: unknown, walk: Walk) => unknown;
  /** A fresh value for a place that cannot stay empty. */
  readonly zero: () => unknown;
  /** Whether a shaped value counts as empty; absent where none does (structs, times, quantities). */
  readonly isEmpty?: (shaped: unknown, walk: Walk) => boolean;
}

export interface FieldShaper {
  readonly name: string;
  /** Position in JSON order. */
  readonly index: number;
  readonly gate: string | undefined;
  /** The type of plain scalars, which are checked in place: a call for each costs more than the check. */
  readonly plain: "string" | "boolean" | "int32" | undefined;
  readonly shape: (value: unknown, walk: Walk) => unknown;
  readonly omits: Omission;
  /** Whether a shaped value is dropped, for omits "test". */
  readonly isOmitted: (shaped: unknown, walk: Walk) => boolean;
  /** What is written when nothing was given; undefined: nothing. */
  readonly absent: (() => unknown) | undefined;
  /** Whether a field without a value is there as null. */
  readonly writtenAsNull: boolean;
  /** The field that came after this one the last time: most objects of a kind have the same fields in the same order. */
  follower: FieldShaper | undefined;
}

/** When a given field is dropped: never, when it is "", 0 or false, or when isOmitted says so. */
type Omission = "never" | "falsy" | "test";

interface PutOff {
  readonly entries: () => Steps<void>;
  /** Of the list or map. */
  readonly path: readonly (string | number)[];
  readonly silent: number;
  /** How many unknown fields were found before it. */
  readonly unknownBefore: number;
}

export class Walk {
  readonly root: StructSchema;
  readonly unknownFields: "collect" | "drop" | "keep";
  readonly gate: ((name: string) => boolean) | undefined;
  /** Whether parts of the input may become parts of the result. */
  readonly reuse: boolean;
  unknown: string[] = [];
  readonly #at: string;
  /** Long lists and maps whose entries are still to be shaped, in the order of the text; none without steps. */
  readonly #putOff: PutOff[] | undefined;
  readonly #visitsPerStep: number;
  /** How many keys and items have been seen when the step is over. */
  #stepEnd: number;

  /** Field names, map keys and list indexes from the root; valid up to depth. */
  readonly path: (string | number)[] = [];
  depth = 0;
  /** The keys seen so far, in all objects of the input. */
  keys = 0;
  /** The items of lists seen so far. */
  items = 0;
  /** The map that was shaped last: whether a large one is empty takes long to find out again. */
  lastMap: unknown = undefined;
  lastMapIsEmpty = false;
  #entries = 0;
  #unknownFields = 0;
  /** Above zero inside a value whose unknown fields upstream's decoder does not see. */
  silent = 0;

  // The fields of the structs that are being shaped, innermost on top; shared by all of them to save allocations.
  readonly slotFields: FieldShaper[] = [];
  readonly slotValues: unknown[] = [];
  slots = 0;

  /** With `visitsPerStep`, long lists and maps are put off. */
  constructor(root: StructSchema, options: ConformOptions, visitsPerStep?: number) {
    this.root = root;
    this.#putOff = visitsPerStep === undefined ? undefined : [];
    this.#visitsPerStep = visitsPerStep ?? 0;
    this.#stepEnd = this.#visitsPerStep;
    this.unknownFields = options.unknownFields;
    this.gate = options.gate;
    this.reuse = options.reuse === true;
    this.#at = options.at ?? "";
  }

  enter(): void {
    if (++this.depth > MAX_DEPTH) throw new ShapeError("exceeded max depth", "");
  }

  /** So many more entries of a list or map. */
  count(entries: number): void {
    this.#entries += entries;
    if (this.#entries > MAX_ENTRIES)
      throw this.unreadable(`the object has more than ${MAX_ENTRIES} entries in its lists and maps`);
  }

  /** Whether anything may be put off. */
  get inSteps(): boolean {
    return this.#putOff !== undefined;
  }

  /** Whether a list or map of so many entries is to be put off: with them the step would be too long. */
  isLong(entries: number): boolean {
    return this.#putOff !== undefined && this.keys + this.items + entries > this.#stepEnd;
  }

  /** Inside a long list or map, or a value of any shape: has its entries shaped later. */
  putOff(entries: () => Steps<void>): void {
    const path = this.path.slice(0, this.depth - 1);
    this.#putOff?.push({ entries, path, silent: this.silent, unknownBefore: this.unknown.length });
  }

  /** To be asked before each entry of what was put off: whether others are to have their turn first. */
  isDue(): boolean {
    if (this.keys + this.items < this.#stepEnd) return false;
    this.#stepEnd = this.keys + this.items + this.#visitsPerStep;
    return true;
  }

  /** Whether anything is put off. */
  isBehind(): boolean {
    return this.#putOff !== undefined && this.#putOff.length > 0;
  }

  /** Shapes what was put off. What is unknown there is told in its place, between what was found before and after it. */
  *catchUp(): Steps<void> {
    const { depth, silent, unknown } = this;
    let inserted = 0;
    for (const each of this.#putOff?.splice(0) ?? []) {
      for (const [index, step] of each.path.entries()) this.path[index] = step;
      this.depth = each.path.length + 1;
      this.silent = each.silent;
      this.slots = 0;
      this.unknown = [];
      yield* each.entries();
      unknown.splice(each.unknownBefore + inserted, 0, ...this.unknown);
      inserted += this.unknown.length;
    }
    this.unknown = [...new Set(unknown)].slice(0, MAX_UNKNOWN_REPORTED);
    this.depth = depth;
    this.silent = silent;
  }

  /** A field of the struct at the current depth that its schema does not have. */
  reportUnknown(name: string): void {
    if (this.unknownFields === "keep") return;
    this.#unknownFields += 1;
    if (this.#unknownFields > MAX_UNKNOWN_FIELDS)
      throw this.unreadable(`the object has more than ${MAX_UNKNOWN_FIELDS} unknown fields`);
    if (this.unknownFields !== "collect" || this.silent > 0 || this.unknown.length >= MAX_UNKNOWN_REPORTED) return;
    const text = `unknown field ${goQuote(cutPath([...this.path.slice(0, this.depth), name], this.#at))}`;
    if (!this.unknown.includes(text)) this.unknown.push(text);
  }

  /** The value at the current path is of another JSON type than `schema` takes. */
  mismatch(value: unknown, schema: Schema): ShapeError {
    const { field, version } = this.#place();
    const type = typeName(schema, version);
    const into = field === "" ? `Go value of type ${type}` : `Go struct field ${field} of type ${type}`;
    return new ShapeError(`json: cannot unmarshal ${valueWord(value, schema)} into ${into}`, this.#pathText(), {
      value,
      schema,
    });
  }

  /** The text at the current path cannot be read, for the reason given. */
  unreadable(reason: string): ShapeError {
    return new ShapeError(reason, this.#pathText());
  }

  // Upstream names the innermost struct and the names of the fields on the way to it, without keys and indexes. The way
  // is walked again here, so that the good case need not keep track of it.
  #place(): { field: string; version: string } {
    let schema: Schema = this.root;
    let struct: StructSchema = this.root;
    const names: string[] = [];
    for (let i = 0; i < this.depth; i++) {
      if (schema.type === "struct") {
        const name = String(this.path[i]);
        const next = schema.fields.get(name);
        if (next === undefined) break;
        struct = schema;
        names.push(name);
        schema = next.schema;
      } else if (schema.type === "map") schema = schema.values;
      else if (schema.type === "list") schema = schema.items;
      else break;
    }
    const [, version = "", name = ""] = /([^.]*)\.([^.]*)$/.exec(struct.name ?? "") ?? [];
    return { field: names.length === 0 ? "" : [name, ...names].join("."), version };
  }

  #pathText(): string {
    return cutPath(this.path.slice(0, this.depth), this.#at);
  }
}

function valueWord(value: unknown, schema: Schema): string {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "number":
    case "bigint": {
      const integer = schema.type === "scalar" && /^int/.test(schema.scalar);
      return integer ? `number ${value}` : "number";
    }
    default:
      return Array.isArray(value) ? "array" : "object";
  }
}

function typeName(schema: Schema, version: string): string {
  if (schema.alias !== undefined) return schema.alias.includes(".") ? schema.alias : `${version}.${schema.alias}`;
  switch (schema.type) {
    case "struct":
      return /[^.]*\.[^.]*$/.exec(schema.name ?? "")?.[0] ?? schema.name ?? "struct {}";
    case "map":
      return `map[string]${typeName(schema.values, version)}`;
    case "list":
      return `[]${typeName(schema.items, version)}`;
    case "any":
      return "interface {}";
    case "scalar":
      return SCALAR_NAMES[schema.scalar] ?? schema.scalar;
  }
}

const SCALAR_NAMES: Readonly<Record<string, string>> = {
  boolean: "bool",
  double: "float64",
  bytes: "[]uint8",
  quantity: "resource.Quantity",
  intOrString: "int32",
  time: "string",
  microTime: "string",
  duration: "string",
};
