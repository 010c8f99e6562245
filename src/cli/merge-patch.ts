// Patches that make one object another, as application/merge-patch+json has them: null removes, lists are whole. Pure.

import { equalJson, getKey, isObject, type Json, type JsonObject } from "../base/json.ts";

/** What makes the one object the other. */
export function mergePatch(before: JsonObject, after: JsonObject): JsonObject {
  const members: [string, Json][] = [];
  for (const key of Object.keys(before)) if (getKey(after, key) === undefined) members.push([key, null]);
  for (const [key, value] of Object.entries(after)) {
    if (value === undefined) continue;
    const old = getKey(before, key);
    if (isObject(old) && isObject(value)) {
      if (!equalJson(old, value)) members.push([key, mergePatch(old, value)]);
    } else if (old === undefined || !equalJson(old, value)) members.push([key, value]);
  }
  return Object.fromEntries(members);
}

/** Whether both say something about the same value. */
export function patchesMeet(one: JsonObject, other: JsonObject): boolean {
  return Object.entries(one).some(([key, value]) => {
    const also = getKey(other, key);
    if (also === undefined) return false;
    return isObject(value ?? null) && isObject(also) ? patchesMeet(value as JsonObject, also) : true;
  });
}
