// What the protobuf forms of both versions of OpenAPI have in common: the same keys in the same order, with other numbers.

import { isObject } from "../../base/json.ts";
import {
  any,
  each,
  type FieldWriter,
  flag,
  integer,
  type MessageTable,
  message,
  number,
  text,
  texts,
} from "./gnostic-message.ts";

type Fields = MessageTable["fields"];

/** Numbered one after the other. */
const inOrder = (first: number, writers: Readonly<Record<string, FieldWriter>>): Fields =>
  Object.fromEntries(Object.entries(writers).map(([key, write], index) => [key, [first + index, write]]));

/** What a schema says of values. */
export const schemaLimits = (first: number): Fields =>
  inOrder(first, {
    multipleOf: number,
    maximum: number,
    exclusiveMaximum: flag,
    minimum: number,
    exclusiveMinimum: flag,
    maxLength: integer,
    minLength: integer,
    pattern: text,
    maxItems: integer,
    minItems: integer,
    uniqueItems: flag,
    maxProperties: integer,
    minProperties: integer,
    required: texts,
    enum: each(any),
  });

export const pathMethods = (first: number, operation: FieldWriter): Fields => {
  const methods = ["get", "put", "post", "delete", "options", "head", "patch"];
  return inOrder(first, Object.fromEntries(methods.map((method) => [method, operation])));
};

export const operationWords: Fields = {
  tags: [1, texts],
  summary: [2, text],
  description: [3, text],
  operationId: [5, text],
};

export const orFlag =
  (schema: FieldWriter): FieldWriter =>
  (writer, field, value) =>
    writer.message(field, () => {
      if (typeof value !== "boolean") return schema(writer, 1, value);
      writer.boolean(2, value);
    });

export const orReference =
  (write: FieldWriter, reference: MessageTable): FieldWriter =>
  (writer, field, value) =>
    writer.message(field, () => {
      if (isObject(value) && "$ref" in value) return message(() => reference)(writer, 2, value);
      return write(writer, 1, value);
    });
