// JSON Merge Patch (RFC 7386).
// Requirements: document 1, "Update mechanisms".

import { getKey, isObject, type Json, type JsonObject, setKey } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";
import { keysOf, settleKeys } from "../base/wide-keys.ts";
import { badRequest } from "../meta/status-error.ts";
import { kindInGo } from "./go-text.ts";
import { checkNesting } from "./nesting.ts";

/**
 * The object after the patch, in steps for large ones; neither input changes, unchanged parts are shared. Throws 400 when
 * the patch is not an object.
 */
export function* applyMergePatch(target: JsonObject, patch: Json): Steps<JsonObject> {
  if (patch === null) throw badRequest("Invalid JSON Patch");
  if (!isObject(patch)) {
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${kindInGo(patch)} into Go value of type map[string]interface {}`,
    );
  }
  yield* checkNesting(patch);
  yield;
  return yield* mergeMembers(target, patch, []);
}

/** So many members are merged in one step; to find the keys of more takes one of its own. */
const LONG = 250;

function* mergeObjects(target: JsonObject, patch: JsonObject): Steps<JsonObject> {
  const keys: string[] = [];
  const merged = yield* mergeMembers(target, patch, keys);
  settleKeys(merged, keys);
  return merged;
}

/** Says the keys of what comes of it. */
function* mergeMembers(target: JsonObject, patch: JsonObject, keys: string[]): Steps<JsonObject> {
  const merged: JsonObject = {};
  const kept = keysOf(target);
  if (kept.length > LONG) yield;
  for (const [index, key] of kept.entries()) {
    if (index % LONG === LONG - 1) yield;
    if (getKey(patch, key) === null) continue;
    setKey(merged, key, target[key]);
    keys.push(key);
  }
  const given = keysOf(patch);
  if (given.length > LONG) yield;
  for (const [index, key] of given.entries()) {
    if (index % LONG === LONG - 1) yield;
    const value = patch[key];
    if (value === null || value === undefined) continue;
    const current = getKey(target, key);
    if (!Object.hasOwn(target, key)) keys.push(key);
    setKey(merged, key, isObject(value) ? yield* mergeObjects(isObject(current) ? current : {}, value) : value);
  }
  return merged;
}
