// Static defaults: puts them where nothing was given, in objects that are there. Built-in kinds and custom resources
// alike; what null means differs, see prune.ts.

import { countValues, isObject, type Json, setKey } from "../base/json.ts";
import { cloneJsonInSteps } from "../base/json-in-steps.ts";
import { atOnce, Pace, type Steps } from "../base/steps.ts";
import { type Field, type ListSchema, type Schema, type StructSchema, schemaFor } from "./schema.ts";
import { MAX_DEPTH, ShapeError } from "./walk.ts";

/** Changes `object` in place: fields that are absent, or null and not nullable, get their default. */
export function applyDefaults(object: Record<string, unknown>, schema: StructSchema): void {
  if (hasDefaults(schema)) atOnce(applyDefaultsInSteps(object, schema));
}

/** A short text may have many defaults put into it, which are short texts of a definition. */
export interface DefaultBound {
  readonly values: number;
  /** What to throw where defaults bring more. */
  readonly refuse: () => Error;
}

/** The same where the object, or what it gets, may be large. Answers how many values it got. */
export function* applyDefaultsInSteps(
  object: Record<string, unknown>,
  schema: StructSchema,
  bound?: DefaultBound,
): Steps<number> {
  const walk: DefaultWalk = { waiting: [], pace: new Pace(VALUES_PER_STEP), bound, added: 0 };
  enter(walk, object, schema, 0);
  for (let place = walk.waiting.pop(); place !== undefined; place = walk.waiting.pop()) {
    const { value, schema, depth } = place;
    guard(depth);
    if (schema.type === "struct" && isObject(value)) yield* defaultFields(value, schema, depth, walk);
    else if (schema.type === "map" && isObject(value))
      yield* defaultEntries(value, schema.values, schema.valueDefault, depth, walk);
    else if (schema.type === "list" && Array.isArray(value)) yield* defaultItems(value, schema, depth, walk);
  }
  return walk.added;
}

/** Whether applyDefaults would change the object. */
export function lacksDefaults(object: object, schema: StructSchema): boolean {
  return lacks(object, schema, 0);
}

interface DefaultWalk {
  /** What is still to be gone through: walks of their own, one for each value, would take longer. */
  readonly waiting: Place[];
  readonly pace: Pace;
  readonly bound: DefaultBound | undefined;
  added: number;
}

interface Place {
  readonly value: object;
  readonly schema: Schema;
  readonly depth: number;
}

const VALUES_PER_STEP = 4_000;

function enter({ waiting }: DefaultWalk, value: unknown, schema: Schema, depth: number): void {
  if (typeof value !== "object" || value === null || !hasDefaults(schema)) return;
  const declared = schema.type === "any" ? schemaFor(value, schema) : schema;
  if (declared !== undefined) waiting.push({ value, schema: declared, depth });
}

function* defaultFields(
  object: Record<string, unknown>,
  schema: StructSchema,
  depth: number,
  walk: DefaultWalk,
): Steps<void> {
  for (const field of fieldsWithDefaults(schema)) {
    if (walk.pace.due()) yield;
    let value = Object.hasOwn(object, field.name) ? object[field.name] : undefined;
    if (field.default !== undefined && (value === undefined || (value === null && !field.schema.nullable))) {
      value = typeof field.default === "object" ? yield* copyOf(field.default, walk) : scalarOf(field.default, walk);
      setKey(object, field.name, value);
    }
    enter(walk, value, field.schema, depth + 1);
  }
  const { additional } = schema;
  if (additional === undefined || !hasDefaults(additional)) return;
  for (const key of Object.keys(object)) {
    if (walk.pace.due()) yield;
    if (!schema.fields.has(key)) enter(walk, object[key], additional, depth + 1);
  }
}

function* defaultEntries(
  object: Record<string, unknown>,
  values: Schema,
  fallback: Json | undefined,
  depth: number,
  walk: DefaultWalk,
): Steps<void> {
  for (const key of Object.keys(object)) {
    if (walk.pace.due()) yield;
    if (object[key] === null && !values.nullable && fallback !== undefined)
      setKey(object, key, yield* copyOf(fallback, walk));
    enter(walk, object[key], values, depth + 1);
  }
}

function* defaultItems(
  list: unknown[],
  { items, itemDefault = null }: ListSchema,
  depth: number,
  walk: DefaultWalk,
): Steps<void> {
  for (let index = 0; index < list.length; index++) {
    if (walk.pace.due()) yield;
    if (list[index] === null && !items.nullable) list[index] = yield* copyOf(itemDefault, walk);
    enter(walk, list[index], items, depth + 1);
  }
}

function scalarOf(fallback: Json, walk: DefaultWalk): Json {
  note(walk, 1);
  return fallback;
}

function* copyOf(fallback: Json, walk: DefaultWalk): Steps<Json> {
  if (typeof fallback !== "object" || fallback === null) return scalarOf(fallback, walk);
  const values = sizeOf(fallback);
  note(walk, values);
  if (walk.pace.due(values)) yield;
  return yield* cloneJsonInSteps(fallback);
}

function note(walk: DefaultWalk, values: number): void {
  const { bound } = walk;
  walk.added += values;
  if (bound !== undefined && walk.added > bound.values) throw bound.refuse();
}

function sizeOf(fallback: object & Json): number {
  let size = SIZES.get(fallback);
  if (size === undefined) {
    size = countValues(fallback, Number.POSITIVE_INFINITY);
    SIZES.set(fallback, size);
  }
  return size;
}

/** Of defaults that are no scalars. */
const SIZES = new WeakMap<object, number>();

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
  if (schema.inside !== undefined) return schema.inside.defaults;
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
