// What an object is before it is created: the owner of a field is who made it differ from this.

import type { JsonObject } from "../base/json.ts";
import { conform } from "../schema/conform.ts";
import type { StructSchema } from "../schema/schema.ts";

/** Shared: must not be changed. */
export function emptyObject(schema: StructSchema): JsonObject {
  let empty = EMPTY.get(schema);
  if (empty === undefined) {
    // Custom resources start from nothing; built-in types always have their structs and zero values.
    empty = schema.name === undefined ? {} : (conform({}, schema, { unknownFields: "drop" }).value as JsonObject);
    EMPTY.set(schema, empty);
  }
  return empty;
}

const EMPTY = new WeakMap<StructSchema, JsonObject>();
