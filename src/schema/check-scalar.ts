// The checks of texts and numbers.

import { doubleText, isInt64 } from "../base/double-text.ts";
import { goQuote } from "../base/go-quote.ts";
import { compileLinear, type LinearRegexp, MAX_SEARCHED_CHARACTERS } from "../base/linear-regexp.ts";
import type { Steps } from "../base/steps.ts";
import { type FieldError, invalid, tooLong, typeInvalid } from "../meta/field-error.ts";
import { matchesFormat } from "../meta/string-formats.ts";
import { formatOf } from "./check-type.ts";
import type { Constraints } from "./schema.ts";
import type { ValueNode } from "./value-node.ts";

/** A longer one is checked in steps. */
const LONG_TEXT = 64 * 1024;

export const isLongText = (value: unknown): value is string => typeof value === "string" && value.length > LONG_TEXT;

/** What is wrong with a long text. */
export function* checkLongString(text: string, node: ValueNode, path: string): Steps<readonly FieldError[]> {
  yield;
  const { pattern } = node.constraints;
  const compiled = pattern && lengthError(text, node, path) === undefined ? compileLinear(pattern) : "";
  const matches = typeof compiled === "string" ? undefined : yield* compiled.testInSteps(text);
  return [...stringErrors(text, node, path, () => matches)];
}

/** What is wrong with a text. */
export function checkString(text: string, node: ValueNode, path: string): readonly FieldError[] {
  const { minLength, maxLength, pattern, format } = node.constraints;
  // Most texts may be anything: nothing is made for them.
  if (maxLength === undefined && minLength === undefined && !pattern && !format) return NONE;
  return [...stringErrors(text, node, path)];
}

const NONE: readonly FieldError[] = [];

function* stringErrors(
  text: string,
  node: ValueNode,
  path: string,
  search = (compiled: LinearRegexp): boolean | undefined => compiled.test(text),
): Generator<FieldError> {
  const field = path === "" ? "<nil>" : path;
  const { pattern } = node.constraints;
  const wrongLength = lengthError(text, node, path);
  // One finding of length and pattern is enough: a text that is too long is not searched.
  if (wrongLength !== undefined) yield wrongLength;
  else if (pattern !== undefined && pattern !== "") {
    const compiled = compileLinear(pattern);
    if (typeof compiled === "string") {
      yield invalid(field, text, `${path} in body should match '${pattern}, but pattern is invalid: ${compiled}'`);
    } else {
      const matches = search(compiled);
      if (matches === undefined)
        yield invalid(
          field,
          text,
          `${path} in body is too long for '${pattern}': more than ${MAX_SEARCHED_CHARACTERS} characters`,
        );
      else if (!matches) yield invalid(field, text, `${path} in body should match '${pattern}'`);
    }
  }
  const format = formatOf(node);
  if (format !== undefined && matchesFormat(format, text) === false) {
    yield typeInvalid(field, text, `${path} in body must be of type ${format}: ${goQuote(text)}`);
  }
}

function lengthError(text: string, { constraints }: ValueNode, path: string): FieldError | undefined {
  const { minLength, maxLength } = constraints;
  const field = path === "" ? "<nil>" : path;
  if (maxLength !== undefined && countCharacters(text) > maxLength) return tooLong(field, maxLength);
  if (minLength !== undefined && countCharacters(text) < minLength)
    return invalid(field, text, `${path} in body should be at least ${minLength} chars long`);
  return undefined;
}

/** What is wrong with a number. */
export function checkNumber(value: number | bigint, constraints: Constraints, path: string): readonly FieldError[] {
  const { multipleOf, minimum, maximum } = constraints;
  if (multipleOf === undefined && minimum === undefined && maximum === undefined) return NONE;
  return [...numberErrors(value, constraints, path)];
}

function* numberErrors(value: number | bigint, constraints: Constraints, path: string): Generator<FieldError> {
  const field = path === "" ? "<nil>" : path;
  const { multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = constraints;
  // Upstream compares integers with the whole part of a bound.
  const integer = isInt64(value);
  const bound = (limit: number) => (integer ? Math.trunc(limit) : limit);
  const boundText = (limit: number) => (integer ? String(Math.trunc(limit)) : doubleText(limit));
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
    yield invalid(field, value, `${path} in body should be a multiple of ${boundText(multipleOf)}`);
  }
  if (minimum !== undefined && (value < bound(minimum) || (exclusiveMinimum && value <= bound(minimum)))) {
    const than = exclusiveMinimum ? "greater than" : "greater than or equal to";
    yield invalid(field, value, `${path} in body should be ${than} ${boundText(minimum)}`);
  }
  if (maximum !== undefined && (value > bound(maximum) || (exclusiveMaximum && value >= bound(maximum)))) {
    const than = exclusiveMaximum ? "less than" : "less than or equal to";
    yield invalid(field, value, `${path} in body should be ${than} ${boundText(maximum)}`);
  }
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === "bigint") return Number.isInteger(factor) && factor > 0 && value % BigInt(factor) === 0n;
  if (Number.isInteger(value) && factor >= 1) return value % Math.trunc(factor) === 0;
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  const distance = Math.abs(quotient - Math.round(quotient));
  return distance <= 1e-9 * Math.max(1, Math.abs(quotient));
}

/** Lengths count characters, not UTF-16 units. */
function countCharacters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) count--;
  }
  return count;
}
