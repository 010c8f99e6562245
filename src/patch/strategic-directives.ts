// The words of strategic merge patches that are not fields, and what is taken of a value that has nothing to merge with.

import { isObject, type Json, type JsonObject, setKey } from "../base/json.ts";

export const PATCH_DIRECTIVE = "$patch";
export const RETAIN_DIRECTIVE = "$retainKeys";
export const DELETE_PREFIX = "$deleteFromPrimitiveList";
export const ORDER_PREFIX = "$setElementOrder";

/**
 * The value without the objects in it that $patch is about, and without nulls unless they are kept; undefined when it is
 * such an object itself. Other directives stay: there is nothing that they could order or retain, and they are judged as
 * the unknown fields they are.
 */
export function withoutPatched(value: Json, keepNulls = false): Json | undefined {
  if (Array.isArray(value)) {
    const list: Json[] = [];
    for (const item of value) {
      const kept = withoutPatched(item, keepNulls);
      if (kept !== undefined) list.push(kept);
    }
    return list;
  }
  if (!isObject(value)) return value;
  const object: JsonObject = {};
  for (const key of Object.keys(value)) {
    const inner = value[key] ?? null;
    if (inner === null && !keepNulls) continue;
    if (key === PATCH_DIRECTIVE) return undefined;
    const kept = withoutPatched(inner, keepNulls);
    if (kept !== undefined) setKey(object, key, kept);
  }
  return object;
}
