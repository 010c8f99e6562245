// Custom resources have no field order of their own: keys are sorted, as upstream writes them. Metadata keeps its order, but
// not its maps.

import { setKey } from "../../../base/json.ts";
import { Pace, type Steps } from "../../../base/steps.ts";
import { keysOf, settleKeys } from "../../../base/wide-keys.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { areSorted, compareByBytes, isSorted, sortedInSteps } from "../../../schema/sorted-keys.ts";

const LEADING: ReadonlySet<string> = new Set(["kind", "apiVersion", "metadata"]);

/** Changes the object in place; parts that are sorted already stay as they are. */
export function* sortKeys(object: ApiObject): Steps<void> {
  const root = object as unknown as Container;
  const rest = Object.keys(root).filter((key) => !LEADING.has(key));
  if (!isSorted(rest)) {
    for (const key of rest.sort(compareByBytes)) {
      const value = root[key];
      delete root[key];
      setKey(root, key, value);
    }
  }
  const places: Place[] = [];
  for (const key of rest) wait(places, root, key);
  for (const key of SORTED_METADATA) wait(places, object.metadata as unknown as Container, key);
  yield* sortAll(places);
}

const SORTED_METADATA = ["labels", "annotations"];

/** An object, or a list by its indexes. */
type Container = Record<string | number, unknown>;

/** A value whose keys are still to be sorted, and where it stands. */
interface Place {
  readonly value: Container;
  readonly around: Container;
  readonly key: string | number;
}

function wait(places: Place[], around: Container, key: string | number): void {
  const value = around[key];
  if (typeof value === "object" && value !== null) places.push({ value: value as Container, around, key });
}

const VALUES_PER_STEP = 500;

/** Walks of their own in steps, one for each value, would take twice as long for small objects, which most are. */
function* sortAll(places: Place[]): Steps<void> {
  const pace = new Pace(VALUES_PER_STEP);
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { value, around, key } = place;
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        if (pace.due()) yield;
        wait(places, value, index);
      }
      continue;
    }
    let keys = keysOf(value);
    const many = keys.length > VALUES_PER_STEP;
    if (many) yield;
    const ordered = many ? yield* areSorted(keys) : isSorted(keys);
    const target: Container = ordered ? value : {};
    if (!ordered) {
      keys = many ? yield* sortedInSteps(keys) : keys.toSorted(compareByBytes);
      setKey(around, String(key), target);
    }
    for (const member of keys) {
      if (pace.due()) yield;
      // Writing what is there already costs more than looking at it.
      if (!ordered) setKey(target, member, value[member]);
      wait(places, target, member);
    }
    if (!ordered) settleKeys(target, keys);
  }
}
