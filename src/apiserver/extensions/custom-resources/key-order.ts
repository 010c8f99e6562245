// Custom resources have no field order of their own: keys are sorted, as upstream writes them. Metadata keeps its order, but
// not its maps.

import { setKey } from "../../../base/json.ts";
import { keysInStep } from "../../../base/json-in-steps.ts";
import { Pace, type Steps } from "../../../base/steps.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { compareByBytes, isSorted, sortedInSteps } from "../../../schema/sorted-keys.ts";

const LEADING: ReadonlySet<string> = new Set(["kind", "apiVersion", "metadata"]);

/** Changes the object in place; parts that are sorted already stay as they are. */
export function* sortKeys(object: ApiObject): Steps<void> {
  const pace = new Pace(VALUES_PER_STEP);
  const rest = Object.keys(object).filter((key) => !LEADING.has(key));
  const ordered = isSorted(rest);
  for (const key of ordered ? rest : rest.sort(compareByBytes)) {
    const value = yield* sorted(object[key], pace);
    if (!ordered) delete object[key];
    setKey(object as unknown as Record<string, unknown>, key, value);
  }
  const { labels, annotations } = object.metadata;
  if (labels) object.metadata.labels = (yield* sorted(labels, pace)) as Record<string, string>;
  if (annotations) object.metadata.annotations = (yield* sorted(annotations, pace)) as Record<string, string>;
}

const VALUES_PER_STEP = 4_000;

function* sorted(value: unknown, pace: Pace): Steps<unknown> {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i += 1) {
      if (pace.due()) yield;
      const item: unknown = value[i];
      const kept = typeof item === "object" ? yield* sorted(item, pace) : item;
      if (kept !== item) value[i] = kept;
    }
    return value;
  }
  const source = value as Record<string, unknown>;
  const keys = yield* keysInStep(source);
  const ordered = isSorted(keys);
  const target: Record<string, unknown> = ordered ? source : {};
  for (const key of ordered ? keys : yield* inOrder(keys)) {
    if (pace.due()) yield;
    const member = source[key];
    const kept = typeof member === "object" ? yield* sorted(member, pace) : member;
    // Writing what is there already costs more than looking at it.
    if (kept !== member || !ordered) setKey(target, key, kept);
  }
  return target;
}

function* inOrder(keys: string[]): Steps<readonly string[]> {
  return keys.length > VALUES_PER_STEP ? yield* sortedInSteps(keys) : keys.sort(compareByBytes);
}
