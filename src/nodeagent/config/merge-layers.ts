// The merge rules of drop-in files. Requirements: document 3, "Configuration merge with --config-dir": scalars are
// overridden, structures merged field by field, lists replaced, maps merged key by key (whole lists where values are lists).

import { getKey, type Json, type JsonObject, setKey } from "../../base/json.ts";
import type { Field, FieldTable } from "../../options/config-fields.ts";

/** What two files say together; the upper one wins. Neither is changed. */
export function mergeLayers(fields: FieldTable, lower: JsonObject, upper: JsonObject): JsonObject {
  const merged: JsonObject = { ...lower };
  for (const [name, value] of Object.entries(upper)) {
    if (value !== undefined) merged[name] = mergeValue(fields[name]!, lower[name], value);
  }
  return merged;
}

function mergeValue(field: Field, lower: Json | undefined, upper: Json): Json {
  if (lower === undefined) return upper;
  if (field.type === "struct") return mergeLayers(field.fields, lower as JsonObject, upper as JsonObject);
  if (field.type === "map") return mergeMaps(field.of, lower as JsonObject, upper as JsonObject);
  return upper;
}

function mergeMaps(of: Field, lower: JsonObject, upper: JsonObject): JsonObject {
  const merged: JsonObject = {};
  for (const [key, value] of Object.entries(lower)) setKey(merged, key, value);
  for (const [key, value] of Object.entries(upper)) {
    if (value === undefined) continue;
    setKey(merged, key, mergeValue(of, getKey(lower, key) as Json | undefined, value));
  }
  return merged;
}
