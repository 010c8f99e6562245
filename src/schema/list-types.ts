// Lists that are sets or maps hold no element twice (x-kubernetes-list-type).

import { canonicalText, isObject } from "../base/json.ts";
import { atOnce, Pace, type Steps } from "../base/steps.ts";
import { duplicate, type FieldError, invalid } from "../meta/field-error.ts";
import { type ListSchema, type Schema, schemaFor } from "./schema.ts";
import { MAX_DEPTH } from "./walk.ts";

/** Further findings of one object are left out. */
const MAX_FINDINGS = 1000;
const VALUES_PER_STEP = 500;

/** Every element that stands a second time, and every element of a map list that is no object. */
export function validateListTypes(value: unknown, schema: Schema, path = ""): FieldError[] {
  return atOnce(validateListTypesInSteps(value, schema, path));
}

/** The same for large values. */
export function* validateListTypesInSteps(value: unknown, schema: Schema, path = ""): Steps<FieldError[]> {
  const search: Search = { errors: [], pace: new Pace(VALUES_PER_STEP) };
  yield* visit(value, schema, path, 0, search);
  return search.errors.slice(0, MAX_FINDINGS);
}

interface Search {
  readonly errors: FieldError[];
  readonly pace: Pace;
}

function* visit(value: unknown, schema: Schema, path: string, depth: number, search: Search): Steps<void> {
  const { errors, pace } = search;
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH || errors.length >= MAX_FINDINGS) return;
  if (!hasListTypes(schema)) return;
  if (schema.type === "any") {
    const declared = schemaFor(value, schema);
    if (declared !== undefined) yield* visit(value, declared, path, depth, search);
    return;
  }
  if (Array.isArray(value)) {
    if (schema.type !== "list") return;
    yield* checkList(value, schema, path, search);
    if (!hasListTypes(schema.items)) return;
    for (let index = 0; index < value.length; index++) {
      if (pace.due()) yield;
      yield* visit(value[index], schema.items, `${path}[${index}]`, depth + 1, search);
    }
    return;
  }
  const object = value as Record<string, unknown>;
  for (const key of Object.keys(object)) {
    if (pace.due()) yield;
    if (schema.type === "map") yield* visit(object[key], schema.values, `${path}[${key}]`, depth + 1, search);
    else if (schema.type === "struct") {
      const field = schema.fields.get(key);
      const at = path === "" ? key : `${path}.${key}`;
      if (field !== undefined) yield* visit(object[key], field.schema, at, depth + 1, search);
      else if (schema.additional !== undefined) {
        yield* visit(object[key], schema.additional, `${path}[${key}]`, depth + 1, search);
      }
    }
  }
}

/** Most parts of most schemas have plain lists only, and need no walk. */
function hasListTypes(schema: Schema): boolean {
  let known = WITH_LIST_TYPES.get(schema);
  if (known === undefined) {
    known = findsListType(schema);
    WITH_LIST_TYPES.set(schema, known);
  }
  return known;
}

const WITH_LIST_TYPES = new WeakMap<Schema, boolean>();

// Schemas of custom resources are trees: no type contains itself.
function findsListType(schema: Schema): boolean {
  switch (schema.type) {
    case "struct":
      if (schema.additional !== undefined && hasListTypes(schema.additional)) return true;
      return [...schema.fields.values()].some((field) => hasListTypes(field.schema));
    case "map":
      return hasListTypes(schema.values);
    case "list":
      return schema.listType === "set" || schema.listType === "map" || hasListTypes(schema.items);
    case "any":
      return [schema.object, schema.list].some((declared) => declared !== undefined && hasListTypes(declared));
    default:
      return false;
  }
}

function* checkList(list: readonly unknown[], schema: ListSchema, path: string, { errors, pace }: Search): Steps<void> {
  if (schema.listType === "set") {
    for (const index of yield* secondTimes(list, pace)) errors.push(duplicate(`${path}[${index}]`, list[index]));
    return;
  }
  if (schema.listType !== "map") return;
  const stranger = list.findIndex((item) => item !== null && !isObject(item));
  if (stranger !== -1) {
    errors.push(invalid(`${path}[${stranger}]`, list[stranger], "must be an object for an array of list-type map"));
    return;
  }
  const keys = list.map((item) => keyOf(item, schema.mapKeys ?? []));
  for (const index of yield* secondTimes(keys, pace)) errors.push(duplicate(`${path}[${index}]`, keys[index]));
}

function keyOf(item: unknown, mapKeys: readonly string[]): Record<string, unknown> {
  const key: Record<string, unknown> = {};
  if (isObject(item)) for (const name of mapKeys) if (Object.hasOwn(item, name)) key[name] = item[name];
  return key;
}

/** The indexes at which a value stands for the second time; the third and later times are not told. */
function* secondTimes(values: readonly unknown[], pace: Pace): Steps<number[]> {
  const times = new Map<string, number>();
  const found: number[] = [];
  for (let index = 0; index < values.length; index++) {
    if (pace.due()) yield;
    const text = canonicalText(values[index]);
    const seen = times.get(text) ?? 0;
    if (seen === 1) found.push(index);
    times.set(text, seen + 1);
  }
  return found;
}
