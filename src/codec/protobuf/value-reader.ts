// Reads one value of a schema from protobuf: scalars, the messages that stand for them, structs, map entries, free JSON.

import { BoundedCache } from "../../base/bounded-cache.ts";
import type { Steps } from "../../base/steps.ts";
import { formatQuantity, parseQuantity, quantityProblem } from "../../meta/quantity.ts";
import type { AnySchema, MapSchema, ScalarType, Schema, StructSchema } from "../../schema/schema.ts";
import { DecodeError } from "../decode-error.ts";
import { decodeJson, decodeJsonInSteps } from "../json.ts";
import { BYTES, FIXED64, Reader, VARINT } from "./reader.ts";
import { readDuration, readIntOrString, readTime } from "./special.ts";

/** Reads the value after its tag. Of a message that came `before` it goes on with what that said. */
export type ValueReader = (reader: Reader, before?: unknown) => unknown;
export type StructReader = (reader: Reader, schema: StructSchema) => Record<string, unknown>;

interface WireReader {
  readonly wireType: number;
  readonly read: ValueReader;
}

/** A message with its length in front: `read` sees it up to its end. */
function message(read: ValueReader): ValueReader {
  return (reader, before) => {
    const outer = reader.enter();
    const value = read(reader, before);
    reader.leave(outer);
    return value;
  };
}

export function valueReader(schema: Schema, readStruct: StructReader): WireReader {
  switch (schema.type) {
    case "scalar":
      return scalarReader(schema.scalar);
    case "struct":
      return { wireType: BYTES, read: message((reader) => readStruct(reader, schema)) };
    case "map":
      return { wireType: BYTES, read: entryReader(schema, readStruct) };
    case "list": {
      const items = valueReader(schema.items, readStruct);
      return { wireType: BYTES, read: message((reader) => readRepeated(reader, items)) };
    }
    case "any":
      return { wireType: BYTES, read: anyReader(schema, readStruct) };
  }
}

/** For lists of numbers: all of them in one field. */
export function packedReader(schema: Schema): ValueReader | undefined {
  if (schema.type !== "scalar") return undefined;
  const { read, wireType } = scalarReader(schema.scalar);
  if (wireType === BYTES) return undefined;
  return message((reader) => {
    const values: unknown[] = [];
    while (reader.at < reader.end) values.push(read(reader));
    return values;
  });
}

function scalarReader(type: ScalarType): WireReader {
  switch (type) {
    case "string":
      return { wireType: BYTES, read: (reader) => reader.string() };
    case "boolean":
      return { wireType: VARINT, read: (reader) => reader.boolean() };
    case "int32":
      return { wireType: VARINT, read: (reader) => reader.int32() };
    case "int64":
      return { wireType: VARINT, read: (reader) => reader.int64() };
    case "double":
      return { wireType: FIXED64, read: (reader) => reader.double() };
    case "bytes":
      return { wireType: BYTES, read: (reader) => reader.base64() };
    case "quantity":
      return { wireType: BYTES, read: message(readQuantity) };
    case "intOrString":
      return { wireType: BYTES, read: message(readIntOrString) };
    case "time":
      return { wireType: BYTES, read: message((reader) => readTime(reader, "seconds")) };
    case "microTime":
      return { wireType: BYTES, read: message((reader) => readTime(reader, "micros")) };
    case "duration":
      return { wireType: BYTES, read: message(readDuration) };
  }
}

// By number.
const QUANTITY_FIELDS = ["", "string"];
const RAW_FIELDS = ["", "raw"];
const ITEMS_FIELDS = ["", "items"];
export const ENTRY_FIELDS = ["", "key", "value"];
/** Of what may be a schema: first what it is, or the schema, then the schema, or a list in its place. */
export const PROPS_FIELDS = ["", "first", "second"];

export const FIELD1_BYTES = 0x0a;
export const FIELD2_BYTES = 0x12;
export const FIELD1_VARINT = 0x08;

function readQuantity(reader: Reader, before: unknown = "0"): unknown {
  let text: string | undefined;
  while (reader.at < reader.end) {
    const tag = reader.tag();
    if (tag === FIELD1_BYTES) text = reader.string();
    else reader.skipUnknown(tag, QUANTITY_FIELDS);
  }
  // Without a text it is none, as a number would be; a text that is empty is wrong.
  return text === undefined ? before : canonicalQuantity(text);
}

/** Few texts make up most quantities. */
const MAX_KNOWN_QUANTITIES = 1024;
const MAX_KNOWN_BYTES = 128 * 1024;
const knownQuantities = new BoundedCache<string, string>({
  maxEntries: MAX_KNOWN_QUANTITIES,
  maxBytes: MAX_KNOWN_BYTES,
  sizeBytes: (text, canonical) => 2 * (text.length + canonical.length),
  eviction: "segmented",
});

function canonicalQuantity(text: string): string {
  const known = knownQuantities.get(text);
  if (known !== undefined) return known;
  const quantity = parseQuantity(text);
  if (quantity === undefined) throw new DecodeError(quantityProblem(text) ?? "");
  const canonical = formatQuantity(quantity);
  knownQuantities.set(text, canonical);
  return canonical;
}

/** `[key, value]` of one map entry. */
function entryReader(schema: MapSchema, readStruct: StructReader): ValueReader {
  const { read, wireType } = valueReader(schema.values, readStruct);
  const valueTag = 2 * 8 + wireType;
  const readEntry = (reader: Reader): [string, unknown] => {
    let key = "";
    let value: unknown;
    while (reader.at < reader.end) {
      const tag = reader.tag();
      if (tag === FIELD1_BYTES) key = reader.string();
      else if (tag === valueTag) value = read(reader);
      else reader.skipUnknown(tag, ENTRY_FIELDS);
    }
    return [key, value ?? zeroOf(schema.values, readStruct)];
  };
  return message(readEntry);
}

/** Of an entry of a map that has none. */
export function zeroOf(schema: Schema, readStruct: StructReader): unknown {
  if (schema.type === "list") return [];
  if (schema.type === "struct") return readStruct(new Reader(new Uint8Array(0)), schema);
  if (schema.type !== "scalar") return null;
  if (schema.scalar === "boolean") return false;
  if (schema.scalar === "time" || schema.scalar === "microTime") return null;
  if (schema.scalar === "quantity") return "0";
  if (schema.scalar === "duration") return "0s";
  return schema.scalar === "string" || schema.scalar === "bytes" ? "" : 0;
}

/** Messages that hold a list: its items in field 1. */
function readRepeated(reader: Reader, { read, wireType }: WireReader): unknown[] {
  const items: unknown[] = [];
  while (reader.at < reader.end) {
    const tag = reader.tag();
    if (tag === 8 + wireType) items.push(read(reader));
    else reader.skipUnknown(tag, ITEMS_FIELDS);
  }
  return items;
}

function anyReader(schema: AnySchema, readStruct: StructReader): ValueReader {
  const member = schema.member;
  const readMember: ValueReader = message((reader) => readStruct(reader, member!()));
  switch (schema.wire) {
    case "propsOrBool":
      return message((reader) => readPropsOrBool(reader, readMember));
    case "propsOrArray":
      return message((reader) => readPropsOrList(reader, readMember, readMember));
    case "propsOrStringArray":
      return message((reader) => readPropsOrList(reader, readMember, (inner) => inner.string()));
    default:
      return message(readRaw);
  }
}

/** Whether a value is JSON inside of its message. */
export function isRaw(schema: Schema): boolean {
  return schema.type === "any" && !["propsOrBool", "propsOrArray", "propsOrStringArray"].includes(schema.wire);
}

function readRaw(reader: Reader, before: unknown = null): unknown {
  const raw = rawBytes(reader);
  if (raw === undefined) return before;
  return raw.length === 0 ? null : decodeJson(raw).value;
}

/** The same for a long one. */
export function* readRawInSteps(reader: Reader, before: unknown = null): Steps<unknown> {
  const raw = rawBytes(reader);
  if (raw === undefined) return before;
  return raw.length === 0 ? null : (yield* decodeJsonInSteps(raw)).value;
}

function rawBytes(reader: Reader): Uint8Array | undefined {
  let raw: Uint8Array | undefined;
  while (reader.at < reader.end) {
    const tag = reader.tag();
    if (tag === FIELD1_BYTES) raw = reader.bytes();
    else reader.skipUnknown(tag, RAW_FIELDS);
  }
  return raw;
}

function readPropsOrBool(reader: Reader, readMember: ValueReader): unknown {
  let allows = false;
  let props: unknown;
  while (reader.at < reader.end) {
    const tag = reader.tag();
    if (tag === FIELD1_VARINT) allows = reader.boolean();
    else if (tag === FIELD2_BYTES) props = readMember(reader);
    else reader.skipUnknown(tag, PROPS_FIELDS);
  }
  return props ?? allows;
}

function readPropsOrList(reader: Reader, readMember: ValueReader, readItem: ValueReader): unknown {
  const items: unknown[] = [];
  let props: unknown = null;
  while (reader.at < reader.end) {
    const tag = reader.tag();
    if (tag === FIELD1_BYTES) props = readMember(reader);
    else if (tag === FIELD2_BYTES) items.push(readItem(reader));
    else reader.skipUnknown(tag, PROPS_FIELDS);
  }
  return items.length > 0 ? items : props;
}
