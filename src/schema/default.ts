// Static defaults: puts them where nothing was given, in objects that are there. Built-in kinds and custom resources
// alike; what null means differs, see prune.ts.

import { cloneJson, isObject, setKey } from "../base/json.ts";
import { type Field, type Schema, type StructSchema, schemaFor } from "./schema.ts";
import { MAX_DEPTH, ShapeError } from "./walk.ts";

/** Changes `object` in place: fields that are absent, or null and not nullable, get their default. */
export function applyDefaults(object: Record<string, unknown>, schema: StructSchema): void {
  defaultValue(object, schema, 0);
}

/** Whether applyDefaults would change the object. */
export function lacksDefaults(object: object, schema: StructSchema): boolean {
  return lacks(object, schema, 0);
}

function defaultValue(value: unknown, schema: Schema, depth: number): void {
  if (typeof value !== "object" || value === null || !hasDefaults(schema)) return;
  guard(depth);
  switch (schema.type) {
    case "struct":
      if (isObject(value)) defaultFields(value, schema, depth);
      return;
    case "map":
      if (isObject(value)) defaultEntries(value, schema.values, schema.valueDefault, depth);
      return;
    case "list":
      if (Array.isArray(value)) {
        for (let i = 0; i < value.length; i++) {
          if (value[i] === null && !schema.items.nullable) value[i] = cloneJson(schema.itemDefault ?? null);
          defaultValue(value[i], schema.items, depth + 1);
        }
      }
      return;
    case "any": {
      const declared = schemaFor(value, schema);
      if (declared !== undefined) defaultValue(value, declared, depth);
      return;
    }
    default:
  }
}

function defaultFields(object: Record<string, unknown>, schema: StructSchema, depth: number): void {
  for (const field of fieldsWithDefaults(schema)) {
    let value = Object.hasOwn(object, field.name) ? object[field.name] : undefined;
    if (field.default !== undefined && (value === undefined || (value === null && !field.schema.nullable))) {
      value = cloneJson(field.default);
      setKey(object, field.name, value);
    }
    if (typeof value === "object") defaultValue(value, field.schema, depth + 1);
  }
  if (schema.additional === undefined) return;
  for (const key of Object.keys(object)) {
    if (!schema.fields.has(key)) defaultValue(object[key], schema.additional, depth + 1);
  }
}

function defaultEntries(object: Record<string, unknown>, values: Schema, fallback: unknown, depth: number): void {
  for (const key of Object.keys(object)) {
    if (object[key] === null && !values.nullable && fallback !== undefined) setKey(object, key, cloneJson(fallback));
    defaultValue(object[key], values, depth + 1);
  }
}

function lacks(value: unknown, schema: Schema, depth: number): boolean {
  if (typeof value !== "object" || value === null || !hasDefaults(schema)) return false;
  guard(depth);
  if (schema.type === "any") {
    const declared = schemaFor(value, schema);
    return declared !== undefined && lacks(value, declared, depth);
  }
  if (Array.isArray(value)) {
    if (schema.type !== "list") return false;
    const { items, itemDefault } = schema;
    return value.some((item) => isUnset(item, items, itemDefault) || lacks(item, items, depth + 1));
  }
  const object = value as Record<string, unknown>;
  if (schema.type === "map") {
    const { values, valueDefault } = schema;
    return Object.values(object).some((each) => isUnset(each, values, valueDefault) || lacks(each, values, depth + 1));
  }
  if (schema.type !== "struct") return false;
  for (const field of fieldsWithDefaults(schema)) {
    const member = Object.hasOwn(object, field.name) ? object[field.name] : undefined;
    if (field.default !== undefined && member === undefined) return true;
    if (isUnset(member, field.schema, field.default) || lacks(member, field.schema, depth + 1)) return true;
  }
  const { additional } = schema;
  if (additional === undefined) return false;
  return Object.entries(object).some(([key, each]) => !schema.fields.has(key) && lacks(each, additional, depth + 1));
}

/** Null where nothing may be null, and a default says what is meant. */
function isUnset(value: unknown, schema: Schema, fallback: unknown): boolean {
  return value === null && !schema.nullable && fallback !== undefined;
}

/** Whether a default stands anywhere in the schema: most parts of most schemas have none and need no walk. */
function hasDefaults(schema: Schema): boolean {
  let known = WITH_DEFAULTS.get(schema);
  if (known === undefined) {
    known = findsDefault(schema, new Set());
    WITH_DEFAULTS.set(schema, known);
  }
  return known;
}

const WITH_DEFAULTS = new WeakMap<Schema, boolean>();

/** The fields that have a default or hold values that do. */
function fieldsWithDefaults(schema: StructSchema): readonly Field[] {
  let fields = DEFAULTED_FIELDS.get(schema);
  if (fields === undefined) {
    fields = [...schema.fields.values()].filter((field) => field.default !== undefined || hasDefaults(field.schema));
    DEFAULTED_FIELDS.set(schema, fields);
  }
  return fields;
}

const DEFAULTED_FIELDS = new WeakMap<StructSchema, readonly Field[]>();

function findsDefault(schema: Schema, seen: Set<Schema>): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  switch (schema.type) {
    case "struct":
      for (const field of schema.fields.values()) {
        if (field.default !== undefined || findsDefault(field.schema, seen)) return true;
      }
      return schema.additional !== undefined && findsDefault(schema.additional, seen);
    case "map":
      return schema.valueDefault !== undefined || findsDefault(schema.values, seen);
    case "list":
      return schema.itemDefault !== undefined || findsDefault(schema.items, seen);
    case "any":
      return [schema.object, schema.list].some((declared) => declared !== undefined && findsDefault(declared, seen));
    default:
      return false;
  }
}

function guard(depth: number): void {
  if (depth > MAX_DEPTH) throw new ShapeError("exceeded max depth", "");
}
