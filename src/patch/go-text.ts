// How upstream prints values inside messages that clients see: Go's %v, and encoding/json's names of kinds.

import { isInt64, numberText } from "../base/double-text.ts";
import { escapeForHtml } from "../base/html-escapes.ts";
import type { Json } from "../base/json.ts";
import { keysOf } from "../base/wide-keys.ts";
import { cutText } from "../meta/quoted.ts";
import { compareByBytes } from "../schema/sorted-keys.ts";

/** As %v prints a decoded JSON value, cut where it is long: map[a:1 b:[x y]]. */
export function goValue(value: Json | undefined): string {
  const parts: string[] = [];
  writeValue(value, parts, { left: MAX_PARTS });
  return cutText(parts.join(""));
}

/** More of them are longer than anything that is shown. */
const MAX_PARTS = 2_000;

function writeValue(value: Json | undefined, parts: string[], budget: { left: number }): void {
  if (budget.left-- <= 0) return;
  if (value === null || value === undefined) parts.push("<nil>");
  else if (Array.isArray(value)) {
    parts.push("[");
    for (let index = 0; index < value.length && budget.left > 0; index++) {
      if (index > 0) parts.push(" ");
      writeValue(value[index], parts, budget);
    }
    parts.push("]");
  } else if (typeof value === "object") {
    parts.push("map[");
    const keys = keysOf(value).toSorted(compareByBytes);
    for (let index = 0; index < keys.length && budget.left > 0; index++) {
      parts.push(`${index > 0 ? " " : ""}${keys[index]}:`);
      writeValue(value[keys[index]!], parts, budget);
    }
    parts.push("]");
  } else if (typeof value === "number") parts.push(numberText(value));
  else parts.push(String(value));
}

/** As encoding/json names what stands in the text. */
export function kindInGo(value: Json | undefined): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "number" : typeof value;
}

/** The Go type of a decoded JSON value, as %T prints it. */
export function goType(value: Json | undefined): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "object":
      return "map[string]interface {}";
    default:
      return isInt64(value) ? "int64" : "float64";
  }
}

/** A string in JSON as encoding/json writes it: with <, > and & escaped. */
export function goJsonString(text: string): string {
  if (!/[^ !#-%'-;=?-[\]-~]/.test(text)) return `"${text}"`;
  return escapeForHtml(JSON.stringify(text));
}
