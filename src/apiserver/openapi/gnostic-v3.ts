// The messages of the protobuf form of OpenAPI version 3, as far as our documents use them.

import {
  any,
  each,
  type FieldWriter,
  flag,
  inside,
  type MessageTable,
  message,
  pairs,
  text,
} from "./gnostic-message.ts";
import { operationWords, orFlag, orReference, pathMethods, schemaLimits } from "./gnostic-parts.ts";

const REFERENCE: MessageTable = { fields: { $ref: [1, text] } };

const referable = (write: FieldWriter): FieldWriter => orReference(write, REFERENCE);

const schema: FieldWriter = referable(message(() => SCHEMA));

// The message has room for plain values only.
const defaultValue: FieldWriter = (writer, field, value) => {
  if (typeof value === "number") return writer.message(field, () => writer.double(1, value));
  if (typeof value === "boolean") return writer.message(field, () => writer.boolean(2, value));
  return typeof value === "string" ? writer.message(field, () => writer.string(3, value)) : undefined;
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
    ...schemaLimits(10),
    type: [25, text],
    allOf: [26, each(schema)],
    oneOf: [27, each(schema)],
    anyOf: [28, each(schema)],
    not: [29, message(() => SCHEMA)],
    items: [30, inside(1, each(schema))],
    properties: [31, inside(1, pairs(schema))],
    additionalProperties: [32, orFlag(schema)],
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
    ...operationWords,
    parameters: [6, each(referable(message(() => PARAMETER)))],
    requestBody: [7, referable(message(() => BODY))],
    responses: [8, inside(2, pairs(referable(message(() => RESPONSE))))],
    deprecated: [10, flag],
  },
};

const operation: FieldWriter = message(() => OPERATION);

const PATH_ITEM: MessageTable = {
  extensions: 14,
  fields: {
    ...pathMethods(4, operation),
    parameters: [13, each(referable(message(() => PARAMETER)))],
  },
};

const INFO: MessageTable = { extensions: 7, fields: { title: [1, text], description: [2, text], version: [6, text] } };

const SECURITY_SCHEME: MessageTable = {
  extensions: 9,
  fields: { type: [1, text], description: [2, text], name: [3, text], in: [4, text] },
};

/** What stands around paths and schemas. */
export const V3_DOCUMENT: MessageTable = {
  fields: { openapi: [1, text], info: [2, message(() => INFO)] },
};

/** Where the parts stand that are written entry by entry: the fields that lead to them, that of an entry, and how an entry is written. */
export const V3_PARTS = {
  paths: { outer: [4], entry: 1, write: message(() => PATH_ITEM) },
  definitions: { outer: [5, 1], entry: 1, write: schema },
  securitySchemes: { outer: [5, 7], entry: 1, write: referable(message(() => SECURITY_SCHEME)) },
} as const;
