// Static defaults: puts them where nothing was given, in objects that are there. Built-in kinds and custom resources
// alike; what null means differs, see prune.ts.

import { cloneJson, countValues, getKey, isObject, type Json, setKey } from "../base/json.ts";
import { cloneJsonInSteps, extensible } from "../base/json-in-steps.ts";
import { atOnce, type Steps } from "../base/steps.ts";
import { isSettled, keysOf } from "../base/wide-keys.ts";
import { type Field, type ListSchema, type MapSchema, type Schema, type StructSchema, schemaFor } from "./schema.ts";
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
  const walk: DefaultWalk = { waiting: [], large: [], settled: [], bound, added: 0, seen: 0 };
  enter(walk, object, schema, 0, NOWHERE, "");
  while (walk.waiting.length + walk.large.length + walk.settled.length > 0) {
    walk.seen = 0;
    yield;
    const settled = walk.settled.pop();
    if (settled !== undefined) {
      const { holder, key, schema, depth } = settled;
      const copy = yield* extensible(settled.value);
      setKey(holder, String(key), copy);
      enter(walk, copy, schema, depth, holder, key);
    }
    const large = walk.large.pop();
    if (large !== undefined) {
      const copy = yield* cloneJsonInSteps(large.fallback);
      setKey(large.holder, large.key, copy);
      enter(walk, copy, large.schema, large.depth, large.holder, large.key);
    }
    while (walk.seen < VALUES_PER_STEP) {
      const place = walk.waiting.pop();
      if (place === undefined) break;
      visit(walk, place.value, place.schema, place.depth, place.holder, place.key, place.from);
    }
  }
  return walk.added;
}

/** Whether applyDefaults would change the object. */
export function lacksDefaults(object: object, schema: StructSchema): boolean {
  return lacks(object, schema, 0);
}

interface DefaultWalk {
  /** What is left for the next step. */
  readonly waiting: Place[];
  /** Defaults that take long to copy. */
  readonly large: LargeCopy[];
  /** Wide objects that lack a default and take no further key. */
  readonly settled: Place<Record<string, unknown>>[];
  readonly bound: DefaultBound | undefined;
  added: number;
  /** Values that were looked at in this step. */
  seen: number;
}

interface Place<T extends object = object> {
  readonly value: T;
  readonly schema: Schema;
  readonly depth: number;
  /** A list or an object, where it stands. */
  readonly holder: Record<string, unknown>;
  readonly key: string | number;
  /** The items of a list before it have been seen. */
  readonly from?: number;
}

interface LargeCopy {
  readonly fallback: Json;
  readonly schema: Schema;
  /** A list or an object, where it is put. */
  readonly holder: Record<string, unknown>;
  readonly key: string;
  readonly depth: number;
}

const VALUES_PER_STEP = 500;

/** Around the object itself. */
const NOWHERE: Record<string, unknown> = Object.freeze({});

/** At once while the step is short, which is all that most objects need. */
function enter(
  walk: DefaultWalk,
  value: unknown,
  schema: Schema,
  depth: number,
  holder: Record<string, unknown>,
  key: string | number,
): void {
  if (typeof value !== "object" || value === null || !hasDefaults(schema)) return;
  const declared = schema.type === "any" ? schemaFor(value, schema) : schema;
  if (declared === undefined) return;
  if (walk.seen < VALUES_PER_STEP) visit(walk, value, declared, depth, holder, key);
  else walk.waiting.push({ value, schema: declared, depth, holder, key });
}

function visit(
  walk: DefaultWalk,
  value: object,
  schema: Schema,
  depth: number,
  holder: Record<string, unknown>,
  key: string | number,
  from = 0,
): void {
  guard(depth);
  if (schema.type === "struct") {
    if (!isObject(value)) return;
    if (isSettled(value) && fieldsWithDefaults(schema).some((field) => isLacking(value, field)))
      walk.settled.push({ value, schema, depth, holder, key });
    else defaultFields(value, schema, depth, walk);
  } else if (schema.type === "map") {
    if (isObject(value)) defaultEntries(value, schema, depth, walk);
  } else if (schema.type === "list" && Array.isArray(value)) defaultItems(value, schema, depth, from, walk);
}

function defaultFields(object: Record<string, unknown>, schema: StructSchema, depth: number, walk: DefaultWalk): void {
  const fields = fieldsWithDefaults(schema);
  walk.seen += fields.length;
  for (const field of fields) {
    const { name, schema: inner } = field;
    const value = isLacking(object, field)
      ? putDefault(object, name, field.default!, inner, depth + 1, walk)
      : getKey(object, name);
    enter(walk, value, inner, depth + 1, object, name);
  }
  const { additional } = schema;
  if (additional === undefined || !hasDefaults(additional)) return;
  const keys = keysOf(object);
  walk.seen += keys.length;
  for (const key of keys) if (!schema.fields.has(key)) enter(walk, object[key], additional, depth + 1, object, key);
}

/** Whether it is to get the default of a field. */
function isLacking(object: Record<string, unknown>, { name, schema, default: fallback }: Field): boolean {
  if (fallback === undefined) return false;
  const value = getKey(object, name);
  return value === undefined || (value === null && !schema.nullable);
}

function defaultEntries(
  object: Record<string, unknown>,
  { values, valueDefault }: MapSchema,
  depth: number,
  walk: DefaultWalk,
): void {
  const keys = keysOf(object);
  walk.seen += keys.length;
  for (const key of keys) {
    if (object[key] === null && !values.nullable && valueDefault !== undefined) {
      putDefault(object, key, valueDefault, values, depth + 1, walk);
    }
    enter(walk, object[key], values, depth + 1, object, key);
  }
}

function defaultItems(list: unknown[], schema: ListSchema, depth: number, from: number, walk: DefaultWalk): void {
  const { items, itemDefault = null } = schema;
  const members = list as unknown as Record<string, unknown>;
  for (let index = from; index < list.length; index++) {
    // The rest is one place that waits, however long it is.
    if (walk.seen >= VALUES_PER_STEP) {
      walk.waiting.push({ value: list, schema, depth, holder: NOWHERE, key: "", from: index });
      return;
    }
    walk.seen += 1;
    if (list[index] === null && !items.nullable)
      putDefault(members, String(index), itemDefault, items, depth + 1, walk);
    enter(walk, list[index], items, depth + 1, members, index);
  }
}

/** What was put there; what takes long to copy comes later. */
function putDefault(
  holder: Record<string, unknown>,
  key: string,
  fallback: Json,
  schema: Schema,
  depth: number,
  walk: DefaultWalk,
): unknown {
  if (typeof fallback !== "object" || fallback === null) {
    note(walk, 1);
    setKey(holder, key, fallback);
    return fallback;
  }
  const values = sizeOf(fallback);
  note(walk, values);
  if (values >= VALUES_PER_STEP) {
    walk.large.push({ fallback, schema, holder, key, depth });
    return undefined;
  }
  walk.seen += values;
  const copy = cloneJson(fallback);
  setKey(holder, key, copy);
  return copy;
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
