// One finding of validation at one field, in upstream's words; the registry makes one 422 of a list of them.

import type { Steps } from "../base/steps.ts";
import { cutText, limitText, quoteJson, quoteValue } from "./quoted.ts";

export type FieldErrorType =
  | "FieldValueNotFound"
  | "FieldValueRequired"
  | "FieldValueDuplicate"
  | "FieldValueInvalid"
  | "FieldValueTypeInvalid"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "InternalError";

export interface FieldError {
  readonly type: FieldErrorType;
  /** Dotted, with list indexes and quoted map keys as upstream writes them: spec.ports[0].name, metadata.labels[a/b]. */
  readonly field: string;
  /** What stood there; OMIT leaves it out of the message. */
  readonly value: unknown;
  readonly detail: string;
}

/** The field of what is wrong with an object as a whole, as upstream writes a path without a name. */
export const WHOLE_OBJECT = "[]";

/** A value that the message does not show. */
export const OMIT: unique symbol = Symbol("omitted value");

export const notFound = (field: string, value: unknown, detail = ""): FieldError =>
  mistake("FieldValueNotFound", field, value, detail);
export const required = (field: string, detail = ""): FieldError => mistake("FieldValueRequired", field, "", detail);
export const duplicate = (field: string, value: unknown): FieldError =>
  mistake("FieldValueDuplicate", field, value, "");
export const invalid = (field: string, value: unknown, detail: string): FieldError =>
  mistake("FieldValueInvalid", field, value, detail);
export const typeInvalid = (field: string, value: unknown, detail: string): FieldError =>
  mistake("FieldValueTypeInvalid", field, value, detail);
export const forbiddenField = (field: string, detail: string): FieldError =>
  mistake("FieldValueForbidden", field, "", detail);
export const internalFieldError = (field: string, detail: string): FieldError =>
  mistake("InternalError", field, undefined, detail);

/** The supported values are listed in the order given. */
export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError =>
  mistake(
    "FieldValueNotSupported",
    field,
    value,
    supported.length === 0 ? "" : `supported values: ${supported.map((word) => JSON.stringify(word)).join(", ")}`,
  );

export const tooLong = (field: string, maxBytes: number): FieldError =>
  mistake(
    "FieldValueTooLong",
    field,
    "",
    maxBytes < 0 ? "value is too long" : `may not be more than ${maxBytes} ${maxBytes === 1 ? "byte" : "bytes"}`,
  );

export const tooMany = (field: string, actual: number, max: number): FieldError =>
  mistake(
    "FieldValueTooMany",
    field,
    actual,
    max < 0 ? "has too many items" : `must have at most ${max} ${max === 1 ? "item" : "items"}`,
  );

function mistake(type: FieldErrorType, field: string, value: unknown, detail: string): FieldError {
  const error = { type, field, value, detail };
  if (counted !== undefined) {
    counted.push(error);
    if (counted.length >= MAX_MISTAKES) throw ENOUGH;
  }
  return error;
}

/** Twice as many as fit into an answer: a body of short entries can hold a hundred times that, and each takes its time. */
export const MAX_MISTAKES = 1024;
/** What the rules have found that are at work now, if somebody counts. */
let counted: FieldError[] | undefined;
const ENOUGH: unique symbol = Symbol("enough mistakes");

/**
 * What the rules find, or the first MAX_MISTAKES of it: there they stop, wherever they are. What they find and then let pass
 * counts too, so this is not for rules that forgive what was there before.
 */
export function* untilEnough(judge: () => FieldError[] | Steps<FieldError[]>): Steps<FieldError[]> {
  const mistakes: FieldError[] = [];
  let judging: Steps<FieldError[]> | undefined;
  for (;;) {
    // Others have rules at work between two steps, or around these: they count for themselves.
    const outer = counted;
    counted = mistakes;
    try {
      if (judging === undefined) {
        const found = judge();
        if (Array.isArray(found)) return found;
        judging = found;
      }
      const step = judging.next();
      if (step.done === true) return step.value;
    } catch (error) {
      if (error === ENOUGH) return mistakes;
      throw error;
    } finally {
      counted = outer;
    }
    yield;
  }
}

const TYPE_WORDS: Record<FieldErrorType, string> = {
  FieldValueNotFound: "Not found",
  FieldValueRequired: "Required value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueInvalid: "Invalid value",
  FieldValueTypeInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooMany: "Too many",
  InternalError: "Internal error",
};

const WITHOUT_VALUE: ReadonlySet<FieldErrorType> = new Set([
  "FieldValueRequired",
  "FieldValueForbidden",
  "FieldValueTooLong",
  "InternalError",
]);

/** As long as the longest message that a rule of a definition may compute. */
const MAX_DETAIL_CHARS = 5120;

/** The message without the field: `Invalid value: "x": must be ...`. */
export function fieldErrorBody(error: FieldError): string {
  let text = TYPE_WORDS[error.type];
  if (!WITHOUT_VALUE.has(error.type) && error.value !== OMIT) {
    // Upstream has types of their own for the words of which one is expected, and prints those as JSON.
    text += `: ${error.type === "FieldValueNotSupported" ? quoteJson(error.value) : quoteValue(error.value)}`;
  }
  return error.detail === "" ? text : `${text}: ${limitText(error.detail, MAX_DETAIL_CHARS)}`;
}

/** The field as messages name it: a path is as long as the names that the client chose for its members. */
export function fieldErrorPlace(error: FieldError): string {
  return cutText(error.field);
}

export function fieldErrorText(error: FieldError): string {
  return `${fieldErrorPlace(error)}: ${fieldErrorBody(error)}`;
}
