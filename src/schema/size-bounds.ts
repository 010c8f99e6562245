// How large values can get, for the cost estimates of expressions: what the schema says, or else what fits into one
// request. Requirements: document 1, "Expression language (CEL) in API fields".

import type { Constraints, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from "./schema.ts";

/** The largest request that is accepted; nothing in it can be larger. */
export const MAX_REQUEST_SIZE_BYTES = 3 * 1024 * 1024;

/** The most characters of a text, items of a list or entries of a map; undefined for what has no size. */
export function maxSizeOf(schema: Schema): number | undefined {
  switch (schema.type) {
    case "scalar":
      return maxTextLength(schema);
    case "list":
      return schema.constraints?.maxItems ?? itemsThatFit(schema);
    case "map":
      return schema.constraints?.maxProperties ?? entriesThatFit(schema);
    default:
      return undefined;
  }
}

const QUOTES = 2;
const BRACKETS = 2;
const LONGEST_TEXT = MAX_REQUEST_SIZE_BYTES - QUOTES;
const DATE_SIZE = 12;
const DATE_TIME_SIZE = 21;
const MAX_DURATION_SIZE = 32;
const MIN_DURATION_SIZE = 3;

function maxTextLength(schema: ScalarSchema): number | undefined {
  switch (schema.scalar) {
    case "string":
    case "bytes":
    case "quantity":
      return maxStringLength(schema.constraints, schema.format, schema.enum);
    case "intOrString":
      return LONGEST_TEXT;
    case "time":
    case "microTime":
      return DATE_TIME_SIZE;
    case "duration":
      return MAX_DURATION_SIZE;
    default:
      return undefined;
  }
}

function maxStringLength(
  constraints: Constraints | undefined,
  format: string | undefined,
  published: readonly string[] | undefined,
): number {
  // A duration or a date has the length of one, whatever the schema says.
  if (format === "duration") return MAX_DURATION_SIZE;
  if (format === "date") return DATE_SIZE;
  if (format === "date-time") return DATE_TIME_SIZE;
  if (constraints?.maxLength !== undefined) return constraints.maxLength;
  const allowed = constraints?.enum ?? published;
  if (allowed === undefined || allowed.length === 0) return LONGEST_TEXT;
  return Math.max(...allowed.map((value) => (typeof value === "string" ? value.length : 0)));
}

function itemsThatFit(schema: ListSchema): number {
  const comma = 1;
  return Math.floor((MAX_REQUEST_SIZE_BYTES - BRACKETS) / (minTextOf(schema.items) + comma));
}

function entriesThatFit(schema: MapSchema): number {
  // A key of one character, its quotes, colon and comma, and one to spare.
  const around = 6;
  return Math.floor((MAX_REQUEST_SIZE_BYTES - BRACKETS) / (minTextOf(schema.values) + around));
}

/** The fewest bytes that a value of the schema takes as text. Kept: it is asked for at every level above. */
function minTextOf(schema: Schema): number {
  let known = MIN_TEXTS.get(schema);
  if (known === undefined) {
    // A struct that contains itself takes at least its braces.
    MIN_TEXTS.set(schema, BRACKETS);
    known = schema.type === "struct" ? minStructText(schema) : minLeafText(schema);
    MIN_TEXTS.set(schema, known);
  }
  return known;
}

const MIN_TEXTS = new WeakMap<Schema, number>();

function minStructText(schema: StructSchema): number {
  let size = BRACKETS;
  for (const field of schema.fields.values()) {
    // Fields with defaults may be left out of the request. Quotes, colon and comma stand around the name.
    if (field.required && field.default === undefined) size += field.name.length + minTextOf(field.schema) + 4;
  }
  return size;
}

function minLeafText(schema: Schema): number {
  if (schema.type !== "scalar") return BRACKETS;
  switch (schema.scalar) {
    case "boolean":
      return 4;
    case "int32":
    case "int64":
    case "double":
    case "intOrString":
      return 1;
    case "time":
    case "microTime":
      return DATE_TIME_SIZE;
    case "duration":
      return MIN_DURATION_SIZE;
    default:
      if (schema.format === "duration") return MIN_DURATION_SIZE;
      if (schema.format === "date") return DATE_SIZE;
      return schema.format === "date-time" ? DATE_TIME_SIZE : QUOTES;
  }
}
