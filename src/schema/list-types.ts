// Lists that are sets or maps hold no element twice (x-kubernetes-list-type).

import { isObject } from "../base/json.ts";
import { duplicate, type FieldError, invalid } from "../meta/field-error.ts";
import { type ListSchema, type Schema, schemaFor } from "./schema.ts";
import { sortedKeys } from "./sorted-keys.ts";
import { MAX_DEPTH } from "./walk.ts";

/** Further findings of one object are left out. */
const MAX_FINDINGS = 1000;

/** Every element that stands a second time, and every element of a map list that is no object. */
export function validateListTypes(value: unknown, schema: Schema, path = ""): FieldError[] {
  const errors: FieldError[] = [];
  visit(value, schema, path, 0, errors);
  return errors.slice(0, MAX_FINDINGS);
}

function visit(value: unknown, schema: Schema, path: string, depth: number, errors: FieldError[]): void {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH || errors.length >= MAX_FINDINGS) return;
  if (schema.type === "any") {
    const declared = schemaFor(value, schema);
    if (declared !== undefined) visit(value, declared, path, depth, errors);
    return;
  }
  if (Array.isArray(value)) {
    if (schema.type !== "list") return;
    checkList(value, schema, path, errors);
    value.forEach((item, index) => {
      visit(item, schema.items, `${path}[${index}]`, depth + 1, errors);
    });
    return;
  }
  const object = value as Record<string, unknown>;
  for (const key of Object.keys(object)) {
    if (schema.type === "map") visit(object[key], schema.values, `${path}[${key}]`, depth + 1, errors);
    else if (schema.type === "struct") {
      const field = schema.fields.get(key);
      const at = path === "" ? key : `${path}.${key}`;
      if (field !== undefined) visit(object[key], field.schema, at, depth + 1, errors);
      else if (schema.additional !== undefined) {
        visit(object[key], schema.additional, `${path}[${key}]`, depth + 1, errors);
      }
    }
  }
}

function checkList(list: readonly unknown[], schema: ListSchema, path: string, errors: FieldError[]): void {
  if (schema.listType === "set") {
    for (const index of secondTimes(list)) errors.push(duplicate(`${path}[${index}]`, list[index]));
    return;
  }
  if (schema.listType !== "map") return;
  const stranger = list.findIndex((item) => item !== null && !isObject(item));
  if (stranger !== -1) {
    errors.push(invalid(`${path}[${stranger}]`, list[stranger], "must be an object for an array of list-type map"));
    return;
  }
  const keys = list.map((item) => keyOf(item, schema.mapKeys ?? []));
  for (const index of secondTimes(keys)) errors.push(duplicate(`${path}[${index}]`, keys[index]));
}

function keyOf(item: unknown, mapKeys: readonly string[]): Record<string, unknown> {
  const key: Record<string, unknown> = {};
  if (isObject(item)) for (const name of mapKeys) if (Object.hasOwn(item, name)) key[name] = item[name];
  return key;
}

/** The indexes at which a value stands for the second time; the third and later times are not told. */
function secondTimes(values: readonly unknown[]): number[] {
  const times = new Map<string, number>();
  const found: number[] = [];
  values.forEach((value, index) => {
    const text = textOf(value);
    const seen = times.get(text) ?? 0;
    if (seen === 1) found.push(index);
    times.set(text, seen + 1);
  });
  return found;
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === "bigint") return { int64: String(inner) };
    return isObject(inner) ? Object.fromEntries(sortedKeys(inner).map((key) => [key, inner[key]])) : inner;
  });
}
