// The messages of the protobuf form of OpenAPI version 2, as far as our documents use them.

import { isObject } from "../../base/json.ts";
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
  texts,
} from "./gnostic-message.ts";
import { operationWords, orFlag, orReference, pathMethods, schemaLimits } from "./gnostic-parts.ts";

const schema: FieldWriter = message(() => SCHEMA);

const SCHEMA: MessageTable = {
  extensions: 31,
  fields: {
    $ref: [1, text],
    format: [2, text],
    title: [3, text],
    description: [4, text],
    default: [5, any],
    ...schemaLimits(6),
    additionalProperties: [21, orFlag(schema)],
    type: [22, inside(1, texts)],
    items: [23, inside(1, each(schema))],
    allOf: [24, each(schema)],
    properties: [25, inside(1, pairs(schema))],
    readOnly: [27, flag],
    example: [30, any],
  },
};

const BODY_PARAMETER: MessageTable = {
  extensions: 6,
  fields: {
    description: [1, text],
    name: [2, text],
    in: [3, text],
    required: [4, flag],
    schema: [5, schema],
  },
};

const PATH_PARAMETER: MessageTable = {
  extensions: 22,
  fields: {
    required: [1, flag],
    in: [2, text],
    description: [3, text],
    name: [4, text],
    type: [5, text],
    format: [6, text],
    uniqueItems: [19, flag],
  },
};

const QUERY_PARAMETER: MessageTable = {
  extensions: 23,
  fields: {
    required: [1, flag],
    in: [2, text],
    description: [3, text],
    name: [4, text],
    type: [6, text],
    format: [7, text],
    uniqueItems: [20, flag],
  },
};

const REFERENCE: MessageTable = { fields: { $ref: [1, text], description: [2, text] } };

const parameter: FieldWriter = (writer, field, value) => {
  if (!isObject(value)) return;
  const place = value["in"];
  return writer.message(field, () => {
    if (place === "body") return message(() => BODY_PARAMETER)(writer, 1, value);
    const [inner, table] = place === "path" ? ([4, PATH_PARAMETER] as const) : ([3, QUERY_PARAMETER] as const);
    return inside(
      inner,
      message(() => table),
    )(writer, 2, value);
  });
};

const parameterOrReference = orReference(parameter, REFERENCE);

const RESPONSE: MessageTable = { extensions: 5, fields: { description: [1, text], schema: [2, inside(1, schema)] } };

const OPERATION: MessageTable = {
  extensions: 13,
  fields: {
    ...operationWords,
    produces: [6, texts],
    consumes: [7, texts],
    parameters: [8, each(parameterOrReference)],
    responses: [
      9,
      inside(
        1,
        pairs(
          inside(
            1,
            message(() => RESPONSE),
          ),
        ),
      ),
    ],
    schemes: [10, texts],
    deprecated: [11, flag],
  },
};

const operation: FieldWriter = message(() => OPERATION);

const PATH_ITEM: MessageTable = {
  extensions: 10,
  fields: {
    ...pathMethods(2, operation),
    parameters: [9, each(parameterOrReference)],
  },
};

const INFO: MessageTable = { extensions: 7, fields: { title: [1, text], version: [2, text], description: [3, text] } };

const SECURITY_SCHEME: MessageTable = {
  fields: { type: [1, text], name: [2, text], in: [3, text], description: [4, text] },
};

/** What stands around paths and definitions. */
export const V2_DOCUMENT: MessageTable = {
  fields: {
    swagger: [1, text],
    info: [2, message(() => INFO)],
    parameters: [10, inside(1, pairs(parameter))],
    security: [12, each(pairsOfTexts())],
    securityDefinitions: [
      13,
      inside(
        1,
        pairs(
          inside(
            2,
            message(() => SECURITY_SCHEME),
          ),
        ),
      ),
    ],
  },
};

/** Where the two long parts stand: the field of the document, that of an entry in it, and how an entry is written. */
export const V2_PARTS = {
  paths: { outer: [8], entry: 2, write: message(() => PATH_ITEM) },
  definitions: { outer: [9], entry: 1, write: schema },
} as const;

function pairsOfTexts(): FieldWriter {
  return (writer, field, value) => writer.message(field, () => pairs(inside(1, texts))(writer, 1, value));
}
