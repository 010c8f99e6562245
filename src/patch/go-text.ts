// How upstream prints values inside messages that clients see: Go's %v, and encoding/json's names of kinds.

import type { Json } from "../base/json.ts";
import { compareByBytes } from "../schema/sorted-keys.ts";

/** As %v prints a decoded JSON value: map[a:1 b:[x y]]. */
export function goValue(value: Json | undefined): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (typeof value === "object") {
    const keys = Object.keys(value).sort(compareByBytes);
    return `map[${keys.map((key) => `${key}:${goValue(value[key])}`).join(" ")}]`;
  }
  return String(value);
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
      return typeof value === "bigint" || Number.isInteger(value) ? "int64" : "float64";
  }
}

/** A string in JSON as encoding/json writes it: with <, > and & escaped. */
export function goJsonString(text: string): string {
  if (!/[^ !#-%'-;=?-[\]-~]/.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
