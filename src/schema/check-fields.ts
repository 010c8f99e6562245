// What the declaration of a built-in struct asks of the values of its fields (`must`), in upstream's words. Kinds run it
// where upstream does: the order of findings is part of the answer.

import { duplicate, type FieldError, invalid, notSupported, required, tooLong, tooMany } from "../meta/field-error.ts";
import { rangeMessage } from "../meta/name-formats.ts";
import type { Field, ListSchema, Schema, StructSchema, ValueCheck } from "./schema.ts";

/** Given, and not empty. */
export const FILLED: ValueCheck = { filled: true };
export const NOT_NEGATIVE: ValueCheck = { least: 0 };
export const POSITIVE: ValueCheck = { amount: (value) => (value > 0 ? [] : ["must be greater than zero"]) };
/** Where it is given, one of the values that are published for it. */
export const LISTED: ValueCheck = { listed: true };
/** A struct, or structs in a list, that are judged by what their own fields are asked. */
export const INSIDE: ValueCheck = { inside: true };

/** Adds what is wrong with the fields of `value`, in the order of their declaration; `only` with some, in that order. */
export function checkFields<T extends object>(
  value: T,
  struct: StructSchema,
  at: string,
  errors: FieldError[],
  only?: readonly (keyof T & string)[],
): void {
  const fields = only === undefined ? checkedFields(struct) : only.map((name) => struct.fields.get(name)!);
  for (const field of fields) {
    const { must } = field;
    if (must === undefined) continue;
    const given = orEmpty((value as Readonly<Record<string, unknown>>)[field.name], field);
    // Most of what is asked is asked of what is given: places of the rest need no name.
    if (given === undefined && !must.filled) continue;
    checkValue(given, must, field.schema, at === "" ? field.name : `${at}.${field.name}`, errors);
  }
}

/** The same as a list of its own. */
export function fieldErrors<T extends object>(...[value, struct, at, only]: FieldsToCheck<T>): FieldError[] {
  const errors: FieldError[] = [];
  checkFields(value, struct, at, errors, only);
  return errors;
}

type FieldsToCheck<T> = [value: T, struct: StructSchema, at: string, only?: readonly (keyof T & string)[]];

/** What stands for an absent value that is judged: only a pointer has nothing there. */
function orEmpty(value: unknown, { schema, must, pointer }: Field): unknown {
  if (!must?.strict || pointer || (value ?? undefined) !== undefined || schema.type !== "scalar") return value;
  return ZERO_NUMBERS.has(schema.scalar) ? 0 : "";
}

const ZERO_NUMBERS: ReadonlySet<string> = new Set(["int32", "int64", "double", "intOrString"]);

function checkValue(value: unknown, must: ValueCheck, schema: Schema, at: string, errors: FieldError[]): void {
  if (isEmpty(value)) {
    if (must.filled) errors.push(required(at, must.filled === true ? "" : must.filled));
    // An empty text is no word, but has no form that could be wrong unless it is asked for one.
    const isJudged = value === "" && (must.strict || (must.listed && !must.filled));
    if (!isJudged) return;
  }
  if (typeof value === "number" || typeof value === "bigint") checkNumber(value, must, at, errors);
  else if (typeof value === "string") checkText(value, must, schema, at, errors);
  else if (Array.isArray(value)) checkList(value, must, schema as ListSchema, at, errors);
  else if (must.inside) checkFields(value as object, schema as StructSchema, at, errors);
  if (must.after) checkValue(value, must.after, schema, at, errors);
}

function checkNumber(
  value: number | bigint,
  { least = Number.NEGATIVE_INFINITY, most, amount }: ValueCheck,
  at: string,
  errors: FieldError[],
): void {
  if (value < least || value > (most ?? value)) {
    const detail = most === undefined ? `must be greater than or equal to ${least}` : rangeMessage(least, most);
    errors.push(invalid(at, value, detail));
  }
  for (const problem of amount?.(value) ?? []) errors.push(invalid(at, value, problem));
}

function checkText(
  text: string,
  { listed, maxBytes, form }: ValueCheck,
  schema: Schema,
  at: string,
  errors: FieldError[],
): void {
  if (listed) {
    const words = listed === true ? wordsOf(schema) : listed;
    if (!words.includes(text)) errors.push(notSupported(at, text, words));
  }
  if (maxBytes !== undefined && Buffer.byteLength(text) > maxBytes) errors.push(tooLong(at, maxBytes));
  for (const problem of form?.(text) ?? []) errors.push(invalid(at, text, problem));
}

function checkList(
  list: readonly unknown[],
  { maxItems = list.length, whole, each, inside, unique }: ValueCheck,
  { items }: ListSchema,
  at: string,
  errors: FieldError[],
): void {
  if (list.length > maxItems) errors.push(tooMany(at, list.length, maxItems));
  for (const problem of whole?.(list) ?? []) errors.push(invalid(at, list, problem));
  const seen = new Set<unknown>();
  list.forEach((item, index) => {
    const place = `${at}[${index}]`;
    if (each) checkValue(item, each, items, place, errors);
    if (inside) checkFields(item as object, items as StructSchema, place, errors);
    if (unique === undefined) return;
    const key = unique === true ? item : (item as Readonly<Record<string, unknown>>)[unique];
    if (seen.has(key)) errors.push(duplicate(unique === true ? place : `${place}.${unique}`, key));
    seen.add(key);
  });
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

function wordsOf(schema: Schema): readonly string[] {
  return schema.type === "scalar" ? (schema.enum ?? []) : [];
}

const checked = new WeakMap<StructSchema, readonly Field[]>();

/** Validation runs on every write, and most fields are asked nothing. */
function checkedFields(struct: StructSchema): readonly Field[] {
  let fields = checked.get(struct);
  if (fields === undefined) {
    fields = [...struct.fields.values()].filter(({ must }) => must !== undefined);
    checked.set(struct, fields);
  }
  return fields;
}
