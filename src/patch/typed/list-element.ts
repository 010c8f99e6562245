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
  return valueElement(item);
}

const unidentified = (message: string): TypedError => new TypedError([{ path: "", message }]);
