// Reads what may be long of a protobuf message in steps: structs, entries of maps, free JSON, and what may be a schema.

import type { Steps } from "../../base/steps.ts";
import type { AnySchema, MapSchema, Schema, StructSchema } from "../../schema/schema.ts";
import type { Reader } from "./reader.ts";
import {
  ENTRY_FIELDS,
  FIELD1_BYTES,
  FIELD1_VARINT,
  FIELD2_BYTES,
  isRaw,
  PROPS_FIELDS,
  readRawInSteps,
  type StructReader,
  valueReader,
  zeroOf,
} from "./value-reader.ts";

/** Reads what the reader has entered, up to its end. */
export type SteppedReader = (reader: Reader, bytesPerStep: number, before?: unknown) => Steps<unknown>;

export interface StructReaders {
  readonly atOnce: StructReader;
  inSteps(
    reader: Reader,
    schema: StructSchema,
    target: Record<string, unknown>,
    bytesPerStep: number,
  ): Steps<Record<string, unknown>>;
}

/** Of a map it reads an entry, `[key, value]`. Undefined for values that are never long, or have no parts. */
export function steppedReader(schema: Schema, structs: StructReaders): SteppedReader | undefined {
  switch (schema.type) {
    case "struct":
      return (reader, bytesPerStep) => structs.inSteps(reader, schema, {}, bytesPerStep);
    case "map":
      return entryReader(schema, structs);
    case "any":
      return isRaw(schema) ? (reader, _, before) => readRawInSteps(reader, before) : propsReader(schema, structs);
    default:
      return undefined;
  }
}

export function* enteredInSteps(
  reader: Reader,
  read: SteppedReader,
  bytesPerStep: number,
  before?: unknown,
): Steps<unknown> {
  const outer = reader.enter();
  const value = yield* read(reader, bytesPerStep, before);
  reader.leave(outer);
  return value;
}

function entryReader({ values }: MapSchema, structs: StructReaders): SteppedReader | undefined {
  if (values.type === "map") return undefined;
  const inSteps = steppedReader(values, structs);
  if (inSteps === undefined) return undefined;
  const { read } = valueReader(values, structs.atOnce);
  return function* (reader, bytesPerStep) {
    let key = "";
    let value: unknown;
    while (reader.at < reader.end) {
      const tag = reader.tag();
      if (tag === FIELD1_BYTES) key = reader.string();
      else if (tag !== FIELD2_BYTES) reader.skipUnknown(tag, ENTRY_FIELDS);
      else if (reader.lengthAhead() > bytesPerStep) value = yield* enteredInSteps(reader, inSteps, bytesPerStep);
      else value = read(reader);
    }
    return [key, value ?? zeroOf(values, structs.atOnce)];
  };
}

/** A schema, or a boolean or list in its place. */
function propsReader({ wire, member }: AnySchema, structs: StructReaders): SteppedReader {
  const isBool = wire === "propsOrBool";
  const propsTag = isBool ? FIELD2_BYTES : FIELD1_BYTES;
  return function* (reader, bytesPerStep) {
    const asProps: SteppedReader = (inner) => structs.inSteps(inner, member!(), {}, bytesPerStep);
    const items: unknown[] = [];
    let allows: boolean | null = isBool ? false : null;
    let props: unknown;
    let stepEnd = reader.at + bytesPerStep;
    while (reader.at < reader.end) {
      if (reader.at > stepEnd) {
        stepEnd = reader.at + bytesPerStep;
        yield;
      }
      const tag = reader.tag();
      if (tag === propsTag) props = yield* enteredInSteps(reader, asProps, bytesPerStep);
      else if (isBool && tag === FIELD1_VARINT) allows = reader.boolean();
      else if (isBool || tag !== FIELD2_BYTES) reader.skipUnknown(tag, PROPS_FIELDS);
      else if (wire === "propsOrStringArray") items.push(reader.string());
      else items.push(yield* enteredInSteps(reader, asProps, bytesPerStep));
    }
    return items.length > 0 ? items : (props ?? allows);
  };
}
