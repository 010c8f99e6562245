// Parts of OpenAPI documents as protobuf messages: a table says which field of the message takes which key of the JSON form.
//
//   { description: "x", required: ["a"], "x-kubernetes-y": [1] }   with the table of Schema in version 2:
//   4: "x"   19: "a"   31: { 1: "x-kubernetes-y", 2: { 2: "[1]" } }

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { keysInStep } from "../../base/json-in-steps.ts";
import type { Steps } from "../../base/steps.ts";
import type { GnosticWriter } from "./gnostic-writer.ts";

/** In steps what has messages inside. */
export type FieldWriter = (writer: GnosticWriter, field: number, value: Json) => Steps<void> | void;

export interface MessageTable {
  readonly fields: Readonly<Record<string, readonly [field: number, write: FieldWriter]>>;
  /** Takes every key that begins with x-. */
  readonly extensions?: number;
}

/** Keys that the table does not know have no place in the message and are left out. */
export function* writeMessage(writer: GnosticWriter, table: MessageTable, value: JsonObject): Steps<void> {
  for (const [key, part] of Object.entries(value)) {
    if (part === undefined || part === null) continue;
    const known = Object.hasOwn(table.fields, key) ? table.fields[key] : undefined;
    if (known !== undefined) {
      const steps = known[1](writer, known[0], part);
      if (steps !== undefined) yield* steps;
    } else if (table.extensions !== undefined && key.startsWith("x-")) {
      yield* writer.message(table.extensions, () => {
        writer.string(1, key);
        return writer.message(2, () => anyValue(writer, part));
      });
    }
  }
}

export const text: FieldWriter = (writer, field, value) => {
  if (typeof value === "string" && value !== "") writer.string(field, value);
};

export const flag: FieldWriter = (writer, field, value) => {
  if (value === true) writer.boolean(field, true);
};

export const number: FieldWriter = (writer, field, value) => {
  const found = Number(value);
  if (Number.isFinite(found) && found !== 0) writer.double(field, found);
};

export const integer: FieldWriter = (writer, field, value) => {
  const found = Number(value);
  if (Number.isSafeInteger(found) && found !== 0) writer.integer(field, found);
};

export const any: FieldWriter = (writer, field, value) => writer.message(field, () => anyValue(writer, value));

/** An element of a list. */
const element: FieldWriter = (writer, field, value) => writer.string(field, String(value));

export const each = (write: FieldWriter): FieldWriter =>
  function* (writer, field, value) {
    for (const one of Array.isArray(value) ? value : [value]) {
      const steps = write(writer, field, one);
      if (steps !== undefined) yield* steps;
    }
  };

export const texts = each(element);

/** `table` is asked for late: messages contain each other. */
export const message =
  (table: () => MessageTable): FieldWriter =>
  (writer, field, value) =>
    isObject(value) ? writer.message(field, () => writeMessage(writer, table(), value)) : undefined;

/** A value inside a message that has nothing else. */
export const inside =
  (innerField: number, write: FieldWriter): FieldWriter =>
  (writer, field, value) =>
    writer.message(field, () => write(writer, innerField, value));

/** A map: pairs of name and value. */
export const pairs = (write: FieldWriter): FieldWriter =>
  function* (writer, field, value) {
    if (!isObject(value)) return;
    for (const name of yield* keysInStep(value)) {
      const part = value[name];
      if (part !== undefined) yield* writePair(writer, field, name, part, write);
    }
  };

export function writePair(
  writer: GnosticWriter,
  field: number,
  name: string,
  value: Json,
  write: FieldWriter,
): Steps<void> {
  return writer.message(field, () => {
    writer.string(1, name);
    return write(writer, 2, value);
  });
}

// Readers take the text as YAML, of which JSON is a part.
function anyValue(writer: GnosticWriter, value: Json): void {
  writer.string(2, textOf(value));
}

function textOf(value: Json): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? Number(part) : part));
}
