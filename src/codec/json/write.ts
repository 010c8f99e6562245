// JSON text as upstream writes it: compact, characters that HTML could misread escaped, 64-bit integers as digits.

import { escapeForHtml } from "../../base/html-escapes.ts";

/** JSON.stringify in upstream's spelling. Keys stay in their order; undefined members are left out. */
export function jsonText(value: unknown, indent = ""): string {
  return escapeForHtml(plainText(value, indent));
}

/** The same without the escapes. */
export function plainText(value: unknown, indent: string): string {
  try {
    return JSON.stringify(value, undefined, indent) ?? "null";
  } catch (error) {
    // A bigint somewhere. Rare, so that the common case does not look for one.
    if (!(error instanceof TypeError)) throw error;
    return textWithBigInts(value, indent, "");
  }
}

function textWithBigInts(value: unknown, indent: string, margin: string): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const inner = margin + indent;
  if (Array.isArray(value)) {
    const items = value.map((item) => textWithBigInts(item, indent, inner));
    return enclose("[", items, "]", indent, margin);
  }
  const members: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const colon = indent === "" ? ":" : ": ";
    members.push(JSON.stringify(key) + colon + textWithBigInts(member, indent, inner));
  }
  return enclose("{", members, "}", indent, margin);
}

function enclose(open: string, parts: readonly string[], close: string, indent: string, margin: string): string {
  if (parts.length === 0) return open + close;
  if (indent === "") return open + parts.join(",") + close;
  const separator = `\n${margin}${indent}`;
  return open + separator + parts.join(`,${separator}`) + `\n${margin}` + close;
}
