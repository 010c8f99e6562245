// The messages of the protobuf form of OpenAPI version 3, as far as our documents use them.

import { isObject } from "../../base/json.ts";
import {
  any,
  each,
  type FieldWriter,
  flag,
  inside,
  integer,
  type MessageTable,
  message,
  number,
  pairs,
  text,
  texts,
} from "./gnostic-message.ts";

const REFERENCE: MessageTable = { fields: { $ref: [1, text] } };

const orReference =
  (write: FieldWriter): FieldWriter =>
  (writer, field, value) =>
    writer.message(field, () => {
      if (isObject(value) && "$ref" in value) message(() => REFERENCE)(writer, 2, value);
      else write(writer, 1, value);
    });

const schema: FieldWriter = orReference(message(() => SCHEMA));

const schemaOrFlag: FieldWriter = (writer, field, value) =>
  writer.message(field, () => {
    if (typeof value === "boolean") writer.boolean(2, value);
    else schema(writer, 1, value);
  });

// The message has room for plain values only.
const defaultValue: FieldWriter = (writer, field, value) => {
  if (typeof value === "number") writer.message(field, () => writer.double(1, value));
  else if (typeof value === "boolean") writer.message(field, () => writer.boolean(2, value));
  else if (typeof value === "string") writer.message(field, () => writer.string(3, value));
};

const SCHEMA: MessageTable = {
  extensions: 36,
  fields: {
    nullable: [1, flag],
    readOnly: [3, flag],
    writeOnly: [4, flag],
    example: [7, any],
    deprecated: [8, flag],
    title: [9, text],
    multipleOf: [10, number],
    maximum: [11, number],
    exclusiveMaximum: [12, flag],
    minimum: [13, number],
    exclusiveMinimum: [14, flag],
    maxLength: [15, integer],
    minLength: [16, integer],
    pattern: [17, text],
    maxItems: [18, integer],
    minItems: [19, integer],
    uniqueItems: [20, flag],
    maxProperties: [21, integer],
    minProperties: [22, integer],
    required: [23, texts],
    enum: [24, each(any)],
    type: [25, text],
    allOf: [26, each(schema)],
    oneOf: [27, each(schema)],
    anyOf: [28, each(schema)],
    not: [29, message(() => SCHEMA)],
    items: [30, inside(1, each(schema))],
    properties: [31, inside(1, pairs(schema))],
    additionalProperties: [32, schemaOrFlag],
    default: [33, defaultValue],
    description: [34, text],
    format: [35, text],
  },
};

const PARAMETER: MessageTable = {
  extensions: 14,
  fields: {
    name: [1, text],
    in: [2, text],
    description: [3, text],
    required: [4, flag],
    schema: [10, schema],
  },
};

const MEDIA_TYPE: MessageTable = { extensions: 5, fields: { schema: [1, schema] } };

const mediaTypes: FieldWriter = inside(1, pairs(message(() => MEDIA_TYPE)));

const BODY: MessageTable = {
  extensions: 4,
  fields: { description: [1, text], content: [2, mediaTypes], required: [3, flag] },
};

const RESPONSE: MessageTable = { extensions: 5, fields: { description: [1, text], content: [3, mediaTypes] } };

const OPERATION: MessageTable = {
  extensions: 13,
  fields: {
    tags: [1, texts],
    summary: [2, text],
    description: [3, text],
    operationId: [5, text],
    parameters: [6, each(orReference(message(() => PARAMETER)))],
    requestBody: [7, orReference(message(() => BODY))],
    responses: [8, inside(2, pairs(orReference(message(() => RESPONSE))))],
    deprecated: [10, flag],
  },
};

const operation: FieldWriter = message(() => OPERATION);

const PATH_ITEM: MessageTable = {
  extensions: 14,
  fields: {
    get: [4, operation],
    put: [5, operation],
    post: [6, operation],
    delete: [7, operation],
    options: [8, operation],
    head: [9, operation],
    patch: [10, operation],
    parameters: [13, each(orReference(message(() => PARAMETER)))],
  },
};

const INFO: MessageTable = { extensions: 7, fields: { title: [1, text], description: [2, text], version: [6, text] } };

/** What stands around paths and schemas. */
export const V3_DOCUMENT: MessageTable = {
  fields: { openapi: [1, text], info: [2, message(() => INFO)] },
};

/** Where the two long parts stand: the fields that lead to them, that of an entry, and how an entry is written. */
export const V3_PARTS = {
  paths: { outer: [4], entry: 1, write: message(() => PATH_ITEM) },
  definitions: { outer: [5, 1], entry: 1, write: schema },
} as const;
