// Static defaults: puts them where nothing was given, in objects that are there. Built-in kinds and custom resources
// alike; what null means differs, see dropNulls.

import { cloneJson, isObject, setKey } from "../base/json.ts";
import { keysInStep } from "../base/json-in-steps.ts";
import { Pace, type Steps } from "../base/steps.ts";
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

/**
 * Custom resources, before applyDefaults: removes fields that are null, may not be and have no default, so that null is
 * a way to say "nothing". Changes `object` in place.
 */
export function dropNulls(object: Record<string, unknown>, schema: StructSchema): Steps<void> {
  return dropNullsIn(object, schema, 0, new Pace(VALUES_PER_STEP));
}

const VALUES_PER_STEP = 4_000;

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

function* dropNullsIn(value: unknown, schema: Schema | undefined, depth: number, pace: Pace): Steps<void> {
  if (typeof value !== "object" || value === null || schema === undefined) return;
  guard(depth);
  if (schema.type === "any") {
    yield* dropNullsIn(value, schemaFor(value, schema), depth, pace);
    return;
  }
  if (Array.isArray(value)) {
    if (schema.type !== "list") return;
    for (const item of value) {
      if (pace.due()) yield;
      if (typeof item === "object") yield* dropNullsIn(item, schema.items, depth + 1, pace);
    }
    return;
  }
  const object = value as Record<string, unknown>;
  for (const key of yield* keysInStep(object)) {
    if (pace.due()) yield;
    const given = object[key];
    if (typeof given !== "object") continue;
    const { member, fallback } = memberOf(schema, key);
    if (member === undefined) continue;
    if (given !== null) yield* dropNullsIn(given, member, depth + 1, pace);
    else if (!member.nullable && fallback === undefined) delete object[key];
  }
}

function memberOf(schema: Schema, key: string): { member?: Schema; fallback?: unknown } {
  if (schema.type === "map") return { member: schema.values, fallback: schema.valueDefault };
  if (schema.type !== "struct") return {};
  const field = schema.fields.get(key);
  if (field !== undefined) return { member: field.schema, fallback: field.default };
  return schema.additional === undefined ? {} : { member: schema.additional };
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
