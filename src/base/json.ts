// JSON values as the rest of the house sees them: decoded objects are plain, and their keys are user text.

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
  if (Array.isArray(value)) return value.map(cloneJson) as T;
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const key in value) setKey(copy, key, cloneJson(value[key]));
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
    return a.every((item, index) => equalJson(item, b[index]));
  }
  if (Array.isArray(b)) return false;
  const keys = Object.keys(a).filter((key) => (a as JsonObject)[key] !== undefined);
  const otherCount = Object.keys(b).filter((key) => (b as JsonObject)[key] !== undefined).length;
  if (keys.length !== otherCount) return false;
  return keys.every((key) => Object.hasOwn(b, key) && equalJson((a as JsonObject)[key], (b as JsonObject)[key]));
}
