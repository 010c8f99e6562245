// The order of members: hooks append what they set, readers expect the schema's order (and sorted keys in maps), so that
// equal objects have equal texts.

import type { Schema, StructSchema } from "./schema.ts";

type JsonObject = Record<string, unknown>;

/** Brings the members below the top level of `object` into order. What is in order already stays as it is. */
export function orderMembers(object: JsonObject, schema: StructSchema): void {
  for (const [name, field] of schema.fields) {
    const value = object[name];
    if (typeof value === "object" && value !== null) object[name] = inOrder(value, field.schema);
  }
}

function inOrder(value: object, schema: Schema): unknown {
  switch (schema.type) {
    case "struct":
      return Array.isArray(value) ? value : structInOrder(value as JsonObject, schema);
    case "list":
      return Array.isArray(value) ? listInOrder(value, schema.items) : value;
    case "map":
      return Array.isArray(value) ? value : mapInOrder(value as JsonObject, schema.values);
    default:
      return value;
  }
}

function structInOrder(value: JsonObject, schema: StructSchema): JsonObject {
  const positions = positionsOf(schema);
  let last = -1;
  let ordered = true;
  for (const key in value) {
    const position = positions.get(key) ?? Number.MAX_SAFE_INTEGER;
    if (position < last) ordered = false;
    last = position;
    const inner = value[key];
    const field = schema.fields.get(key);
    if (field !== undefined && typeof inner === "object" && inner !== null) value[key] = inOrder(inner, field.schema);
  }
  if (ordered) return value;
  const keys = Object.keys(value).sort(
    (a, b) => (positions.get(a) ?? Number.MAX_SAFE_INTEGER) - (positions.get(b) ?? Number.MAX_SAFE_INTEGER),
  );
  return rebuilt(value, keys);
}

function listInOrder(list: unknown[], items: Schema): unknown[] {
  if (items.type === "scalar" || items.type === "any") return list;
  for (let i = 0; i < list.length; i += 1) {
    const item = list[i];
    if (typeof item === "object" && item !== null) list[i] = inOrder(item, items);
  }
  return list;
}

function mapInOrder(value: JsonObject, values: Schema): JsonObject {
  let last = "";
  let ordered = true;
  for (const key in value) {
    if (key < last) ordered = false;
    last = key;
    const inner = value[key];
    if (typeof inner === "object" && inner !== null) value[key] = inOrder(inner, values);
  }
  return ordered ? value : rebuilt(value, Object.keys(value).sort());
}

function rebuilt(value: JsonObject, keys: readonly string[]): JsonObject {
  // fromEntries defines own members, whatever they are called.
  return Object.fromEntries(keys.map((key) => [key, value[key]]));
}

const positionCache = new WeakMap<StructSchema, ReadonlyMap<string, number>>();

function positionsOf(schema: StructSchema): ReadonlyMap<string, number> {
  let positions = positionCache.get(schema);
  if (positions === undefined) {
    positions = new Map([...schema.fields.keys()].map((name, index) => [name, index]));
    positionCache.set(schema, positions);
  }
  return positions;
}
