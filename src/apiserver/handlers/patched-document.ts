// A patched document as a refusal shows it. Custom resources by name; of others the members that the patch reached by name,
// the rest as it stood. It may be large, and the patch small: in steps.

import { isObject, type Json, type JsonObject, setKey } from "../../base/json.ts";
import { equalJsonInSteps, keysInStep } from "../../base/json-in-steps.ts";
import { Pace, type Steps } from "../../base/steps.ts";
import { settleKeys } from "../../base/wide-keys.ts";
import { decodeJsonInSteps, encodeJsonPlainInSteps } from "../../codec/json.ts";
import type { ApiObject } from "../../meta/object.ts";
import { encodeObjectInSteps } from "../../registry/object-bytes.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { sortedInSteps } from "../../schema/sorted-keys.ts";

export function* patchedDocument({ custom }: ServedResource, patched: JsonObject, current: ApiObject): Steps<string> {
  const before = custom ? undefined : (yield* decodeJsonInSteps(yield* encodeObjectInSteps(current))).value;
  const bytes = yield* encodeJsonPlainInSteps(yield* inOrder(patched, before, new Pace(VALUES_PER_STEP)));
  return Buffer.from(bytes).toString("utf8");
}

/** So many values are put in order in one step. */
const VALUES_PER_STEP = 1_000;

/** Whatever is equal to what was `before` stands in its order; without that all of it by name. */
function* inOrder(value: Json | undefined, before: Json | undefined, pace: Pace): Steps<Json | undefined> {
  if (pace.due()) yield;
  if (typeof value !== "object" || value === null) return value;
  if (before !== undefined && (yield* equalJsonInSteps(value, before))) return before;
  if (Array.isArray(value)) {
    if (before !== undefined) return value;
    const items: Json[] = [];
    for (const item of value) items.push((yield* inOrder(item, undefined, pace))!);
    return items;
  }
  const was = isObject(before) ? before : {};
  const ordered: JsonObject = {};
  const keys = yield* sortedInSteps(yield* keysInStep(value));
  for (const key of keys)
    setKey(ordered, key, yield* inOrder(value[key], before === undefined ? undefined : (was[key] ?? null), pace));
  settleKeys(ordered, keys);
  return ordered;
}
