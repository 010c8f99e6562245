// The checks of a value's type and of enumerations.

import { isInt64 } from "../base/double-text.ts";
import type { Json } from "../base/json.ts";
import { canonicalText, equalJson } from "../base/json.ts";
import { type FieldError, notSupported, typeInvalid } from "../meta/field-error.ts";
import { isKnownFormat } from "../meta/string-formats.ts";
import type { ValueNode } from "./value-node.ts";

/** The finding when `value` is of no type that the node allows. */
export function checkType(value: unknown, node: ValueNode, path: string): FieldError | undefined {
  const { types } = node;
  if (types.length === 0) return undefined;
  if (value === null) return node.nullable ? undefined : mismatch(path, types.join(","), "null");
  const actual = typeOf(value);
  const fits = types.includes(actual) || (actual === "integer" && types.includes("number"));
  if (fits) return undefined;
  const format = formatOf(node);
  if (format !== undefined) {
    // Upstream names the format instead of the type for what is neither text nor list, and leaves the check of texts
    // and lists to the format when the type is not a number's.
    if (actual !== "string" && actual !== "array") return mismatch(path, format, formatOfValue(actual));
    if (!types.includes("integer") && !types.includes("number")) return undefined;
  }
  return mismatch(path, types.join(","), actual);
}

export function checkEnum(value: unknown, allowed: readonly Json[] | undefined, path: string): FieldError | undefined {
  if (allowed === undefined || allowed.length === 0) return undefined;
  if (allowed.some((each) => each !== null && equalJson(each, value))) return undefined;
  const words = allowed.map((each) => (typeof each === "string" ? each : canonicalText(each)));
  return notSupported(path === "" ? "<nil>" : path, value, words);
}

/** The format that counts for the node: those that nobody checks are ignored, as are those of numbers. */
export function formatOf(node: ValueNode): string | undefined {
  const { format } = node.constraints;
  if (format === undefined || format === "") return undefined;
  const type = node.types.length === 1 ? node.types[0] : undefined;
  return (type === undefined || type === "string") && isKnownFormat(format) ? format : undefined;
}

function mismatch(path: string, wanted: string, actual: string): FieldError {
  const detail = `${path} in body must be of type ${wanted}: ${JSON.stringify(actual)}`;
  return typeInvalid(path === "" ? "<nil>" : path, actual, detail);
}

function typeOf(value: unknown): string {
  switch (typeof value) {
    case "number":
    case "bigint":
      return isInt64(value) ? "integer" : "number";
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    default:
      return Array.isArray(value) ? "array" : "object";
  }
}

function formatOfValue(type: string): string {
  if (type === "integer") return "int64";
  return type === "number" ? "float64" : "";
}
