// What tells the elements of a list apart: their key fields, or their value.

import { isObject, type Json } from "../../base/json.ts";
import { keyElement, type PathElement, valueElement } from "../path-element.ts";
import type { ListAtom } from "./atom.ts";
import { TypedError } from "./typed-error.ts";

/** The path element of an element. Throws TypedError when it has none. */
export function listElement(list: ListAtom, item: Json): PathElement {
  return list.keys.length === 0 ? setElement(item) : keyedElement(list, item);
}

function keyedElement(list: ListAtom, item: Json): PathElement {
  if (item === null) throw unidentified("associative list with keys may not have a null element");
  if (!isObject(item)) throw unidentified("associative list with keys may not have non-map elements");
  const names: string[] = [];
  const values: Json[] = [];
  for (let index = 0; index < list.keys.length; index++) {
    const key = list.keys[index]!;
    // An element that omits a key without default is another one than any that has it.
    const value = (Object.hasOwn(item, key) ? item[key] : undefined) ?? list.keyDefaults[index];
    if (value === undefined || value === null) continue;
    checkLength(value);
    names.push(key);
    values.push(value);
  }
  if (names.length === 0) {
    const quoted = list.keys.map((key) => JSON.stringify(key)).join(" ");
    throw unidentified(
      `associative list with keys has an element that omits all key fields [${quoted}] (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(names, values);
}

function setElement(item: Json): PathElement {
  if (item === null) throw unidentified("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw unidentified("not supported: associative list with lists as elements");
  if (typeof item === "object") throw unidentified("associative list without keys has an element that's a map type");
  checkLength(item);
  return valueElement(item);
}

/** So many characters that JSON escapes may tell an element apart: its path is written and read several times. */
const MAX_ESCAPES = 512;

function checkLength(value: Json): void {
  if (typeof value !== "string" || value.length <= MAX_ESCAPES) return;
  let escapes = 0;
  for (let at = 0; at < value.length; at += 1) {
    if (!isEscaped(value.charCodeAt(at))) continue;
    escapes += 1;
    if (escapes > MAX_ESCAPES) throw unidentified("associative list has an element whose key or value is too long");
  }
}

/** Control characters, the quotation mark, the backslash, and what HTML could misread. */
const isEscaped = (code: number): boolean =>
  code < 0x20 ||
  code === 0x22 ||
  code === 0x5c ||
  code === 0x3c ||
  code === 0x3e ||
  code === 0x26 ||
  code === 0x2028 ||
  code === 0x2029;

const unidentified = (message: string): TypedError => new TypedError([{ path: "", message }]);
