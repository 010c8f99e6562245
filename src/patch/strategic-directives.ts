// The words of strategic merge patches that are not fields, and how to take a value without them.

import { isObject, type Json, type JsonObject, setKey } from "../base/json.ts";

export const PATCH_DIRECTIVE = "$patch";
export const RETAIN_DIRECTIVE = "$retainKeys";
export const DELETE_PREFIX = "$deleteFromPrimitiveList";
export const ORDER_PREFIX = "$setElementOrder";

/**
 * The value as it is stored when there is nothing to merge it with: without directives, so that none is ever stored,
 * and without nulls when asked. Undefined when the value itself is a directive.
 */
export function withoutDirectives(value: Json, dropNulls: boolean): Json | undefined {
  if (Array.isArray(value)) {
    const list: Json[] = [];
    for (const item of value) {
      const kept = withoutDirectives(item, dropNulls);
      if (kept !== undefined) list.push(kept);
    }
    return list;
  }
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, PATCH_DIRECTIVE)) return undefined;
  const object: JsonObject = {};
  for (const key of Object.keys(value)) {
    const inner = value[key] ?? null;
    if (isDirective(key) || (dropNulls && inner === null)) continue;
    const kept = withoutDirectives(inner, dropNulls);
    if (kept !== undefined) setKey(object, key, kept);
  }
  return object;
}

function isDirective(key: string): boolean {
  return key === RETAIN_DIRECTIVE || key.startsWith(`${DELETE_PREFIX}/`) || key.startsWith(`${ORDER_PREFIX}/`);
}
