// JSON values as the rest of the house sees them: decoded objects are plain, and their keys are user text.

import { isSettled, keysOf } from "./wide-keys.ts";

export type Json = null | boolean | number | string | JsonArray | JsonObject | BigInt64;
type JsonArray = Json[];
export type JsonObject = { [key: string]: Json | undefined };

/**
 * An integer beyond 2^53, kept exact. JavaScript's own bigint: JSON text with such a number decodes to it and encodes
 * from it as plain digits (see codec/json).
 */
type BigInt64 = bigint;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A deep copy of a JSON value. Several times faster than structuredClone. */
export function cloneJson<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const copies: unknown[] = [];
    for (let index = 0; index < value.length; index++) copies.push(cloneJson(value[index]));
    return copies as T;
  }
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    const member = value[key];
    setKey(copy, key, typeof member === "object" ? cloneJson(member) : member);
  }
  return copy as T;
}

/** Sets a key that may be user text: `__proto__` becomes an ordinary own property. */
export function setKey(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

/** Reads an own key that may be user text: never finds what the prototype has. */
export function getKey(source: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(source, key) ? source[key] : undefined;
}

/** How many values there are in a value, itself among them. Stops counting above `most`. */
export function countValues(value: Json | undefined, most: number): number {
  if (typeof value !== "object" || value === null) return 1;
  let values = 1;
  if (Array.isArray(value)) {
    // By index: the keys of a long list take long to make.
    for (let index = 0; index < value.length && values <= most; index += 1)
      values += countValues(value[index], most - values);
    return values;
  }
  // The keys of a wide one take long to find, and are known.
  if (isSettled(value) && keysOf(value).length > most) return most + 1;
  for (const key in value) {
    values += countValues((value as JsonObject)[key], most - values);
    if (values > most) break;
  }
  return values;
}

/** The same text for equal values, whatever the order of their keys: to look values up in a Set or Map. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (!isObject(value)) return typeof value === "bigint" ? String(value) : (JSON.stringify(value) ?? "null");
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return `{${keys
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(value[key])}`)
    .join(",")}}`;
}

/** Deep equality of JSON values; the order of keys does not matter. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index++) if (!equalJson(a[index], b[index])) return false;
    return true;
  }
  return !Array.isArray(b) && equalMembers(a as JsonObject, b as JsonObject);
}

/** The same where it does not matter whether a list is empty, null or absent. */
export function equalButEmptyLists(a: unknown, b: unknown): boolean {
  if (isEmptyList(a) && isEmptyList(b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => equalButEmptyLists(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return equalJson(a, b);
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => equalButEmptyLists(ownMember(a, key), ownMember(b, key)));
}

const isEmptyList = (value: unknown): boolean =>
  (value ?? undefined) === undefined || (Array.isArray(value) && value.length === 0);

const ownMember = (object: JsonObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);

/** The same for the members of two objects but one of them. A member that is undefined is none. */
export function equalMembers(a: JsonObject, b: JsonObject, but?: string): boolean {
  let count = 0;
  const keys = Object.keys(a);
  // From the end: what differs between versions of an object most often is its status.
  for (let index = keys.length - 1; index >= 0; index -= 1) {
    const key = keys[index]!;
    const member = a[key];
    if (member === undefined || key === but) continue;
    if (!Object.hasOwn(b, key) || !equalJson(member, b[key])) return false;
    count++;
  }
  for (const key of Object.keys(b)) if (b[key] !== undefined && key !== but) count--;
  return count === 0;
}
