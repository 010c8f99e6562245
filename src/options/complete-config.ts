// From what files say to the whole configuration: defaults filled in, once as it is shown at /configz and once as the
// program uses it.

import { isObject, type Json, type JsonObject, setKey } from "../base/json.ts";
import { durationMs, formatDuration, parseDuration } from "../meta/duration.ts";
import type { Field, FieldTable } from "./config-fields.ts";

/** Every field that is set or has a default, in the form of a file; durations in their canonical text. */
export function completeStruct(fields: FieldTable, layer: JsonObject): JsonObject {
  const complete: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = completeValue(field, layer[name]);
    if (value !== undefined) complete[name] = value;
  }
  return complete;
}

/** The same for the program: fields without a value are undefined, durations are milliseconds. */
export function usableStruct(fields: FieldTable, complete: JsonObject): Record<string, unknown> {
  const usable: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    usable[field.type === "duration" ? `${name}Ms` : name] = usableValue(field, complete[name]);
  }
  return usable;
}

function completeValue(field: Field, said: Json | undefined): Json | undefined {
  const given = field.emptyIsUnset && isEmpty(field, said) ? undefined : said;
  switch (field.type) {
    case "struct":
      return completeStruct(field.fields, (given ?? {}) as JsonObject);
    case "duration":
      return canonicalDuration((given ?? field.default) as string);
    case "list":
      return ((given ?? field.default) as Json[]).map((each) => completeValue(field.of, each) ?? null);
    case "map":
      return mapped((given ?? field.default) as JsonObject, (each) => completeValue(field.of, each));
    default:
      return given ?? field.default;
  }
}

function usableValue(field: Field, value: Json | undefined): unknown {
  switch (field.type) {
    case "struct":
      return usableStruct(field.fields, value as JsonObject);
    case "duration":
      return durationMs(value as string);
    case "list":
      return (value as Json[]).map((each) => usableValue(field.of, each));
    case "map":
      return isObject(value) ? mapped(value, (each) => usableValue(field.of, each) as Json) : {};
    default:
      return value;
  }
}

function mapped(map: JsonObject, change: (value: Json | undefined) => Json | undefined): JsonObject {
  const result = Object.create(null) as JsonObject;
  for (const [key, value] of Object.entries(map)) setKey(result, key, change(value));
  return result;
}

function isEmpty(field: Field, value: Json | undefined): boolean {
  if (field.type === "duration") return typeof value === "string" && parseDuration(value) === 0n;
  return value === 0 || value === "" || (Array.isArray(value) && value.length === 0);
}

function canonicalDuration(text: string): string {
  const nanos = parseDuration(text);
  return typeof nanos === "string" ? text : formatDuration(nanos);
}
