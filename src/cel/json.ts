// Between JSON and the values of the language. Objects are not copied: lists and maps adapt what is asked for.

import { isObject, type Json, setKey } from "../base/json.ts";
import { keysOf as keysHandedOn } from "../base/wide-keys.ts";
import { Boxed } from "./boxed.ts";
import { CelError } from "./errors.ts";
import { formatDuration, formatTimestamp } from "./operations/time.ts";
import { countWork } from "./operations/work.ts";
import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  CelTimestamp,
  CelUint,
  type CelValue,
  isList,
  listToArray,
} from "./values.ts";

export type Adapter = (raw: unknown) => CelValue;

/** Adapts JSON of no known schema: whole numbers are ints, others doubles. Values of the language stay as they are. */
export function fromJson(raw: unknown): CelValue {
  switch (typeof raw) {
    case "string":
    case "boolean":
    case "bigint":
      return raw;
    case "number":
      return Number.isSafeInteger(raw) ? raw + 0 : new CelDouble(raw);
    case "object":
      if (raw === null) return null;
      if (Array.isArray(raw)) return new JsonList(raw, fromJson);
      return isValue(raw) ? raw : new JsonMap(raw as Record<string, unknown>, fromJson);
    default:
      return new CelError("a value that is not JSON cannot be used in an expression");
  }
}

export class JsonList extends CelList {
  readonly raw: readonly unknown[];
  readonly adapt: Adapter;

  constructor(raw: readonly unknown[], adapt: Adapter) {
    super();
    this.raw = raw;
    this.adapt = adapt;
  }

  get size(): number {
    return this.raw.length;
  }

  at(index: number): CelValue {
    return this.adapt(this.raw[index]);
  }
}

export class JsonMap extends CelMap {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly #adapt: Adapter;
  #keys: readonly string[] | undefined;

  constructor(raw: Readonly<Record<string, unknown>>, adapt: Adapter) {
    super();
    this.raw = raw;
    this.#adapt = adapt;
  }

  get size(): number {
    return this.#allKeys().length;
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== "string") return undefined;
    const found = ownValue(this.raw, key);
    return found === undefined ? undefined : this.#adapt(found);
  }

  keys(): Iterable<CelValue> {
    return this.#allKeys().filter((key) => this.raw[key] !== undefined);
  }

  /** Counted as if each look went through them, as it does where a new value is made for it. */
  #allKeys(): readonly string[] {
    if (this.#keys === undefined) this.#keys = keysOf(this.raw);
    else countWork(this.#keys.length);
    return this.#keys;
  }
}

/** Every look at how many there are goes through all of them. */
export function keysOf(raw: Readonly<Record<string, unknown>>): readonly string[] {
  const keys = keysHandedOn(raw);
  countWork(keys.length);
  return keys;
}

/** An own property of decoded JSON. Its values are never functions, so what the prototype has shows itself. */
export function ownValue(raw: Readonly<Record<string, unknown>>, key: string): unknown {
  const found = raw[key];
  if (typeof found === "function") return undefined;
  return key === "__proto__" && !Object.hasOwn(raw, key) ? undefined : found;
}

/** An object of JSON, which is no value of the language yet. */
export function isJsonObject(raw: unknown): raw is Readonly<Record<string, unknown>> {
  return typeof raw === "object" && raw !== null && !Array.isArray(raw) && !isValue(raw);
}

/** The JSON that a value is; an error for values that have none. */
export function toJson(value: CelValue): Json | CelError {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "number":
    case "bigint":
      return value;
  }
  if (value === null || value instanceof CelError) return value;
  if (value instanceof CelDouble) return doubleToJson(value.value);
  if (value instanceof CelUint) return value.value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof JsonMap && isObject(value.raw)) return value.raw as Json;
  if (isList(value)) return listToJson(value);
  if (value instanceof CelMap) return writtenItself(value) ?? mapToJson(value);
  if (value instanceof CelOptional) return value.value === undefined ? null : toJson(value.value);
  const own = value instanceof CelObject ? writtenItself(value) : undefined;
  return own ?? new CelError("this value has no JSON form");
}

function doubleToJson(value: number): Json | CelError {
  return Number.isFinite(value) ? value : new CelError("a number that is not finite has no JSON form");
}

function listToJson(list: readonly CelValue[] | CelList): Json | CelError {
  const items: Json[] = [];
  for (const item of listToArray(list)) {
    const json = toJson(item);
    if (json instanceof CelError) return json;
    items.push(json);
  }
  return items;
}

function mapToJson(map: CelMap): Json | CelError {
  const result: Record<string, Json> = {};
  for (const key of map.keys()) {
    if (typeof key !== "string") return new CelError("only maps with string keys have a JSON form");
    const json = toJson(map.get(key) ?? null);
    if (json instanceof CelError) return json;
    setKey(result, key, json);
  }
  return result;
}

/** Objects that can be written as JSON say so themselves. */
interface JsonObjectValue {
  toJson(): Json | CelError;
}

function writtenItself(value: (CelMap | CelObject) & Partial<JsonObjectValue>): Json | CelError | undefined {
  return value.toJson?.();
}

/** Whether it is no value of the language that JSON cannot be. */
export function isJson(raw: unknown): boolean {
  return typeof raw !== "object" || raw === null || !isValue(raw);
}

function isValue(raw: object): raw is BoxedValue {
  return raw instanceof Boxed || raw instanceof Uint8Array;
}

type BoxedValue = Exclude<CelValue, null | boolean | number | bigint | string | readonly CelValue[]>;
