// JSON Merge Patch (RFC 7386).
// Requirements: document 1, "Update mechanisms".

import { getKey, isObject, type Json, type JsonObject, setKey } from "../base/json.ts";
import { badRequest } from "../meta/status-error.ts";
import { kindInGo } from "./go-text.ts";
import { checkNesting } from "./nesting.ts";

/**
 * The object after the patch; neither input changes, unchanged parts are shared. Throws 400 when the patch is not an
 * object.
 */
export function applyMergePatch(target: JsonObject, patch: Json): JsonObject {
  if (patch === null) throw badRequest("Invalid JSON Patch");
  if (!isObject(patch)) {
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${kindInGo(patch)} into Go value of type map[string]interface {}`,
    );
  }
  checkNesting(patch);
  return mergeObjects(target, patch);
}

function mergeObjects(target: JsonObject, patch: JsonObject): JsonObject {
  const merged: JsonObject = {};
  for (const key of Object.keys(target)) {
    if (getKey(patch, key) !== null) setKey(merged, key, target[key]);
  }
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null || value === undefined) continue;
    const current = getKey(target, key);
    setKey(merged, key, isObject(value) ? mergeObjects(isObject(current) ? current : {}, value) : value);
  }
  return merged;
}
