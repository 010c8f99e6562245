// From a schema, the function that writes objects of it as upstream's generated code does, byte for byte: fields in
// ascending order, scalars that are not pointers always, lists unpacked, maps sorted, inlined structs nested.
//
// Everything is written backwards (see writer.ts): within a field first the content, then its length, then its tag; fields
// from the highest number to the lowest.

import { keysInStep } from "../../base/json-in-steps.ts";
import type { Pace, Steps } from "../../base/steps.ts";
import { formatQuantity, parseQuantity } from "../../meta/quantity.ts";
import {
  type AnySchema,
  type Field,
  type Inline,
  isInline,
  type ListSchema,
  type MapSchema,
  type ScalarType,
  type Schema,
  type StructSchema,
} from "../../schema/schema.ts";
import { isSorted, sortedInSteps, sortedKeys } from "../../schema/sorted-keys.ts";
import { encodeJsonPlain, encodeJsonPlainInSteps } from "../json.ts";
import { BYTES, FIXED64, VARINT } from "./reader.ts";
import { writeDuration, writeIntOrString, writeTime } from "./special.ts";
import type { Writer } from "./writer.ts";

type Members = Readonly<Record<string, unknown>>;
/** Writes the content of a message: its fields without length and tag. */
type MessageWriter = (writer: Writer, value: Members) => void;
/** Writes one value with its tag. */
type ValueWriter = (writer: Writer, value: unknown) => void;
type SteppedWriter = (writer: Writer, value: object, pace: Pace) => Steps<void>;

const compiled = new WeakMap<StructSchema, MessageWriter>();

/** Compiled on first use, then kept as long as the schema is. */
export function messageWriterOf(schema: StructSchema): MessageWriter {
  let writer = compiled.get(schema);
  if (writer === undefined) {
    writer = compileStruct(schema);
    compiled.set(schema, writer);
  }
  return writer;
}

/** The same for a large object. */
export function* writeMessageInSteps(writer: Writer, schema: StructSchema, value: Members, pace: Pace): Steps<void> {
  for (const { name, write, inSteps } of plansOf(schema)) {
    const member = name === undefined ? value : value[name];
    if (inSteps === undefined || typeof member !== "object" || member === null) write(writer, member);
    else yield* inSteps(writer, member, pace);
  }
}

interface FieldPlan {
  readonly number: number;
  /** Undefined for an inlined struct, whose fields stand beside the others. */
  readonly name: string | undefined;
  readonly write: ValueWriter;
  /** The same for a value that is there, where it may take long. */
  readonly inSteps: SteppedWriter | undefined;
}

function compileStruct(schema: StructSchema): MessageWriter {
  let plans: readonly FieldPlan[] | undefined;
  return (writer, value) => {
    // Schemas may contain themselves, so that a plan is made when the first value comes along.
    plans ??= plansOf(schema);
    for (let index = 0; index < plans.length; index++) {
      const { name, write } = plans[index]!;
      write(writer, name === undefined ? value : value[name]);
    }
  };
}

const planned = new WeakMap<StructSchema, readonly FieldPlan[]>();

function plansOf(schema: StructSchema): readonly FieldPlan[] {
  const known = planned.get(schema);
  if (known !== undefined) return known;
  const plans: FieldPlan[] = [];
  for (const member of schema.members) {
    if (member.proto === undefined) continue;
    if (isInline(member)) {
      plans.push(inlinePlan(member, member.proto));
    } else {
      const [write, inSteps] = [fieldWriter(member, member.proto), steppedWriter(member.schema, member.proto)];
      plans.push({ number: member.proto, name: member.name, write, inSteps });
    }
  }
  plans.sort((a, b) => b.number - a.number);
  planned.set(schema, plans);
  return plans;
}

function inlinePlan({ inline }: Inline, number: number): FieldPlan {
  const write = messageField(number, messageWriterOf(inline));
  return { number, name: undefined, write, inSteps: messageInSteps(inline, number) };
}

/** For what may hold many values: structs, lists, maps and raw JSON. */
function steppedWriter(schema: Schema, number: number): SteppedWriter | undefined {
  if (schema.type === "struct") return messageInSteps(schema, number);
  if (schema.type === "list" && schema.protoWrapper === undefined) return listInSteps(schema, number);
  if (schema.type === "map") return mapInSteps(schema, number);
  if (schema.type === "any") return isRaw(schema) ? rawInSteps(number) : propsInSteps(schema, number);
  return undefined;
}

function messageInSteps(schema: StructSchema, number: number): SteppedWriter {
  const tag = tagOf(number, BYTES);
  return function* (writer, value, pace) {
    const before = writer.size;
    yield* writeMessageInSteps(writer, schema, value as Members, pace);
    writer.uint32(writer.size - before);
    writer.uint32(tag);
  };
}

function fieldWriter(field: Field, number: number): ValueWriter {
  const { schema } = field;
  if (schema.type === "list" && schema.protoWrapper === undefined) return listWriter(schema, number);
  if (schema.type === "map") return mapWriter(schema, number);
  const write = valueWriter(schema, number);
  const onlyWhenSet = field.pointer === true || (schema.type === "scalar" && schema.scalar === "bytes");
  if (!onlyWhenSet) return write;
  return (writer, value) => {
    if (value !== undefined && value !== null) write(writer, value);
  };
}

/** One value that is there, absent ones as the zero value. */
function valueWriter(schema: Schema, number: number): ValueWriter {
  switch (schema.type) {
    case "struct":
      return messageField(number, messageWriterOf(schema));
    case "any":
      return anyWriter(schema, number);
    case "list": {
      const items = listWriter(schema, 1);
      return messageField(number, items);
    }
    case "map":
      return messageField(number, mapWriter(schema, 1));
    case "scalar":
      return scalarWriter(schema.scalar, number);
  }
}

const NO_MEMBERS: Members = {};

function messageField(number: number, content: (writer: Writer, value: Members) => void): ValueWriter {
  const tag = tagOf(number, BYTES);
  return (writer, value) => {
    const before = writer.size;
    // Conformed objects have structs here; anything else counts as an empty one.
    content(writer, typeof value === "object" && value !== null ? (value as Members) : NO_MEMBERS);
    writer.uint32(writer.size - before);
    writer.uint32(tag);
  };
}

function listWriter(schema: ListSchema, number: number): ValueWriter {
  const write = valueWriter(schema.items, number);
  return (writer, value) => {
    if (!Array.isArray(value)) return;
    for (let index = value.length - 1; index >= 0; index--) write(writer, value[index]);
  };
}

function listInSteps({ items }: ListSchema, number: number): SteppedWriter {
  const write = valueWriter(items, number);
  const inSteps = steppedWriter(items, number);
  return function* (writer, value, pace) {
    if (!Array.isArray(value)) return;
    for (let index = value.length - 1; index >= 0; index--) {
      if (pace.due()) yield;
      const item: unknown = value[index];
      if (inSteps === undefined || typeof item !== "object" || item === null) write(writer, item);
      else yield* inSteps(writer, item, pace);
    }
  };
}

const KEY_TAG = tagOf(1, BYTES);

function mapWriter(schema: MapSchema, number: number): ValueWriter {
  const write = memberWriter(schema, number);
  return (writer, value) => {
    if (typeof value !== "object" || value === null) return;
    const members = value as Members;
    const keys = sortedKeys(members);
    for (let index = keys.length - 1; index >= 0; index--) write(writer, keys[index]!, members[keys[index]!]);
  };
}

function mapInSteps(schema: MapSchema, number: number): SteppedWriter {
  const write = memberWriter(schema, number);
  const inSteps = steppedWriter(schema.values, 2);
  return function* (writer, value, pace) {
    const members = value as Members;
    const all = yield* keysInStep(members);
    const keys = isSorted(all) ? all : yield* sortedInSteps(all);
    for (let index = keys.length - 1; index >= 0; index--) {
      if (pace.due()) yield;
      const key = keys[index]!;
      const member = members[key];
      if (inSteps === undefined || typeof member !== "object" || member === null) {
        write(writer, key, member);
        continue;
      }
      const before = writer.size;
      yield* inSteps(writer, member, pace);
      writeEntryHead(writer, key, before, number);
    }
  };
}

/** Writes one member of a map. */
function memberWriter(schema: MapSchema, number: number): (writer: Writer, key: string, member: unknown) => void {
  const write = valueWriter(schema.values, 2);
  const nullable = schema.values.type === "scalar" && schema.values.scalar === "bytes";
  return (writer, key, member) => {
    const before = writer.size;
    if (!nullable || (member !== null && member !== undefined)) write(writer, member);
    writeEntryHead(writer, key, before, number);
  };
}

/** What stands before the value of a member; `before`: the size before that was written. */
function writeEntryHead(writer: Writer, key: string, before: number, number: number): void {
  writer.string(key);
  writer.uint32(KEY_TAG);
  writer.uint32(writer.size - before);
  writer.uint32(tagOf(number, BYTES));
}

function scalarWriter(type: ScalarType, number: number): ValueWriter {
  switch (type) {
    case "string": {
      const tag = tagOf(number, BYTES);
      return (writer, value) => {
        writer.string(typeof value === "string" ? value : "");
        writer.uint32(tag);
      };
    }
    case "boolean": {
      const tag = tagOf(number, VARINT);
      return (writer, value) => {
        writer.uint32(value === true ? 1 : 0);
        writer.uint32(tag);
      };
    }
    case "int32":
    case "int64": {
      const tag = tagOf(number, VARINT);
      return (writer, value) => {
        writer.int64(typeof value === "number" || typeof value === "bigint" ? value : 0);
        writer.uint32(tag);
      };
    }
    case "double": {
      const tag = tagOf(number, FIXED64);
      return (writer, value) => {
        writer.double(typeof value === "number" || typeof value === "bigint" ? Number(value) : 0);
        writer.uint32(tag);
      };
    }
    case "bytes": {
      const tag = tagOf(number, BYTES);
      return (writer, value) => {
        writer.bytes(Buffer.from(typeof value === "string" ? value : "", "base64"));
        writer.uint32(tag);
      };
    }
    case "quantity":
      return leafMessage(number, writeQuantity);
    case "intOrString":
      return leafMessage(number, writeIntOrString);
    case "time":
      return leafMessage(number, (writer, value) => writeTime(writer, value, "seconds"));
    case "microTime":
      return leafMessage(number, (writer, value) => writeTime(writer, value, "micros"));
    case "duration":
      return leafMessage(number, writeDuration);
  }
}

/** A message that JSON does not write as an object. */
function leafMessage(number: number, content: ValueWriter): ValueWriter {
  const tag = tagOf(number, BYTES);
  return (writer, value) => {
    const before = writer.size;
    content(writer, value);
    writer.uint32(writer.size - before);
    writer.uint32(tag);
  };
}

const FIELD1_BYTES = tagOf(1, BYTES);

function writeQuantity(writer: Writer, value: unknown): void {
  writer.string(quantityText(value));
  writer.uint32(FIELD1_BYTES);
}

/** Objects carry the canonical text already; only numbers need work. */
function quantityText(value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  if (typeof value !== "number" && typeof value !== "bigint") return "0";
  const quantity = parseQuantity(String(value));
  return quantity === undefined ? "0" : formatQuantity(quantity);
}

function anyWriter(schema: AnySchema, number: number): ValueWriter {
  const member = schema.member;
  switch (schema.wire) {
    case "propsOrBool": {
      const write = (writer: Writer, value: unknown): void => {
        if (isStruct(value)) messageField(2, messageWriterOf(member!()))(writer, value);
        writer.uint32(value === true || isStruct(value) ? 1 : 0);
        writer.uint32(tagOf(1, VARINT));
      };
      return leafMessage(number, write);
    }
    case "propsOrArray":
    case "propsOrStringArray": {
      const items: Schema | undefined = schema.wire === "propsOrStringArray" ? STRING : undefined;
      const write = (writer: Writer, value: unknown): void => {
        if (Array.isArray(value)) listWriter({ type: "list", items: items ?? member!() }, 2)(writer, value);
        else if (isStruct(value)) messageField(1, messageWriterOf(member!()))(writer, value);
      };
      return leafMessage(number, write);
    }
    default:
      return leafMessage(number, writeRaw);
  }
}

const STRING: Schema = { type: "scalar", scalar: "string" };

/** JSON bytes in field 1; null is no bytes at all. */
function writeRaw(writer: Writer, value: unknown): void {
  if (value === undefined || value === null) return;
  writer.bytes(encodeJsonPlain(value));
  writer.uint32(FIELD1_BYTES);
}

/** Whether it is written as JSON text. */
const isRaw = ({ wire }: AnySchema): boolean =>
  wire !== "propsOrBool" && wire !== "propsOrArray" && wire !== "propsOrStringArray";

function rawInSteps(number: number): SteppedWriter {
  const tag = tagOf(number, BYTES);
  return function* (writer, value) {
    const text = yield* encodeJsonPlainInSteps(value);
    const before = writer.size;
    writer.bytes(text);
    writer.uint32(FIELD1_BYTES);
    writer.uint32(writer.size - before);
    writer.uint32(tag);
  };
}

/** A schema beside a boolean or a list: what `anyWriter` writes of an object or a list. */
function propsInSteps({ wire, member }: AnySchema, number: number): SteppedWriter {
  const isBool = wire === "propsOrBool";
  return function* (writer, value, pace) {
    const before = writer.size;
    if (isStruct(value)) yield* messageInSteps(member!(), isBool ? 2 : 1)(writer, value, pace);
    else if (!isBool) {
      const items = wire === "propsOrStringArray" ? STRING : member!();
      yield* listInSteps({ type: "list", items }, 2)(writer, value, pace);
    }
    if (isBool) {
      writer.uint32(isStruct(value) ? 1 : 0);
      writer.uint32(tagOf(1, VARINT));
    }
    writer.uint32(writer.size - before);
    writer.uint32(tagOf(number, BYTES));
  };
}

function isStruct(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function tagOf(number: number, wireType: number): number {
  return number * 8 + wireType;
}
