// What the declaration of a built-in struct asks of the values of its fields (`must`), in upstream's words. Kinds run it
// where upstream does: the order of findings is part of the answer.

import { type FieldError, invalid, notSupported, required } from "../meta/field-error.ts";
import { rangeMessage } from "../meta/name-formats.ts";
import type { Field, StructSchema, ValueCheck } from "./schema.ts";

/** Given, and not empty. */
export const FILLED: ValueCheck = { filled: true };
export const NOT_NEGATIVE: ValueCheck = { least: 0 };
/** Where it is given, one of the values that are published for it. */
export const LISTED: ValueCheck = { listed: true };

/** Adds what is wrong with the fields of `value`, in the order of their declaration; `only` with some of them. */
export function checkFields<T extends object>(
  value: T,
  struct: StructSchema,
  at: string,
  errors: FieldError[],
  only?: readonly (keyof T & string)[],
): void {
  for (const field of checkedFields(struct)) {
    if (only !== undefined && !only.includes(field.name as keyof T & string)) continue;
    checkField((value as Readonly<Record<string, unknown>>)[field.name], field, `${at}.${field.name}`, errors);
  }
}

function checkField(value: unknown, { schema, must = {} }: Field, at: string, errors: FieldError[]): void {
  if (isEmpty(value)) {
    if (must.filled) errors.push(required(at));
    // An empty text is no word, but has no form that could be wrong.
    else if (must.listed && value === "") errors.push(notSupported(at, value, wordsOf(schema)));
    return;
  }
  if (typeof value === "number") {
    const { least = Number.NEGATIVE_INFINITY, most } = must;
    if (value < least || value > (most ?? value)) {
      const detail = most === undefined ? `must be greater than or equal to ${least}` : rangeMessage(least, most);
      errors.push(invalid(at, value, detail));
    }
  } else if (typeof value === "string") {
    if (must.listed && !wordsOf(schema).includes(value)) errors.push(notSupported(at, value, wordsOf(schema)));
    for (const problem of must.form?.(value) ?? []) errors.push(invalid(at, value, problem));
  }
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

function wordsOf(schema: Field["schema"]): readonly string[] {
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
