// Two values of one schema merged: the second wins, lists merge by element, what neither changes is shared.

import { countValues, equalJson, isObject, type Json, type JsonObject, setKey } from "../../base/json.ts";
import { equalJsonInSteps } from "../../base/json-in-steps.ts";
import { atOnce, everyInSteps, mapInSteps, Pace, type Steps } from "../../base/steps.ts";
import { keysOf, settleKeys } from "../../base/wide-keys.ts";
import { MAX_OWNED_DEPTH } from "../nesting.ts";
import type { PathElement } from "../path-element.ts";
import { type Atom, DEDUCED, type ListAtom, type MapAtom } from "./atom.ts";
import { formOf, treatedAs } from "./form.ts";
import { listElement } from "./list-element.ts";

/** Throws TypedError when elements of a list cannot be told apart. `over` has been validated: it repeats none. */
export function mergeTyped(base: Json, over: Json, atom: Atom, depth = 0): Json {
  if (depth >= MAX_OWNED_DEPTH) return unlessEqual(base, over);
  switch (treatedAs(atom, formOf(atom, over))) {
    case "scalar":
      return unlessEqual(base, over);
    case "list": {
      const left = Array.isArray(base) ? base : [];
      const right = Array.isArray(over) ? over : [];
      if (atom.list!.atomic || (left.length === 0 && right.length === 0)) return unlessEqual(base, over);
      return atOnce(mergeItems(left, right, atom.list!, depth + 1));
    }
    case "map": {
      const left = isObject(base) ? base : {};
      const right = isObject(over) ? over : {};
      // The keys of a large map take long to find, even the first of them: once.
      const keys = Object.keys(right);
      if (atom.map!.atomic || (keys.length === 0 && hasNoKeys(left))) return unlessEqual(base, over);
      return mergeMembers(left, right, keys, atom.map!, depth + 1);
    }
  }
}

/** The same for large values: the members of a map are merged in steps, and so are the elements of a list. */
export function* mergeTypedInSteps(base: Json, over: Json, atom: Atom, depth = 0): Steps<Json> {
  const form = depth >= MAX_OWNED_DEPTH ? "scalar" : treatedAs(atom, formOf(atom, over));
  const isUnit = form === "scalar" || (form === "list" ? atom.list : atom.map)!.atomic;
  if (isUnit) return (yield* equalJsonInSteps(base, over)) ? base : over;
  if (form === "map" && isObject(base) && isObject(over)) return yield* mergeLongMap(base, over, atom.map!, depth + 1);
  if (form === "list" && Array.isArray(base) && Array.isArray(over) && base.length > 0)
    return yield* mergeItems(base, over, atom.list!, depth + 1, true);
  return mergeTyped(base, over, atom, depth);
}

/** One of a large list: it may be large itself. */
function* mergeLargeItem(base: Json, over: Json, atom: Atom, depth: number): Steps<Json> {
  return countValues(over, LONG) > LONG
    ? yield* mergeTypedInSteps(base, over, atom, depth)
    : mergeTyped(base, over, atom, depth);
}

/** So many members or elements are merged in one step. */
const LONG = 250;

/** Keeping what is equal keeps what holds it, and comparing stops there. */
const unlessEqual = (base: Json, over: Json): Json => (equalJson(base, over) ? base : over);

function mergeMembers(
  left: JsonObject,
  right: JsonObject,
  keys: readonly string[],
  map: MapAtom,
  depth: number,
): JsonObject {
  let merged: JsonObject | undefined;
  for (const key of keys) {
    const over = right[key];
    if (over === undefined) continue;
    const base = Object.hasOwn(left, key) ? left[key] : undefined;
    const value =
      base === undefined ? over : mergeTyped(base, over, map.field(key)?.atom ?? map.value ?? DEDUCED, depth);
    if (value === base) continue;
    // A spread copies own members as they are, whatever they are called.
    merged ??= { ...left };
    setKey(merged, key, value);
  }
  return merged ?? left;
}

/** What is merged of each member is kept until all are: a copy of a map that stays as it is would be for nothing. */
function* mergeLongMap(left: JsonObject, right: JsonObject, map: MapAtom, depth: number): Steps<JsonObject> {
  const changed = new Map<string, Json>();
  const keys = keysOf(right);
  if (keys.length > LONG) yield;
  for (const [index, key] of keys.entries()) {
    if (index % LONG === LONG - 1) yield;
    const over = right[key];
    if (over === undefined) continue;
    const base = Object.hasOwn(left, key) ? left[key] : undefined;
    const atom = map.field(key)?.atom ?? map.value ?? DEDUCED;
    const value =
      base === undefined
        ? over
        : typeof over === "object"
          ? yield* mergeTypedInSteps(base, over, atom, depth)
          : mergeTyped(base, over, atom, depth);
    if (value !== base) changed.set(key, value);
  }
  if (changed.size === 0) return left;
  const merged: JsonObject = {};
  const all = [...keysOf(left)];
  if (all.length > LONG) yield;
  for (const [index, key] of all.entries()) {
    if (index % LONG === LONG - 1) yield;
    setKey(merged, key, left[key]);
  }
  let count = 0;
  for (const [key, value] of changed) {
    count += 1;
    if (count % LONG === 0) yield;
    if (!Object.hasOwn(left, key)) all.push(key);
    setKey(merged, key, value);
  }
  // Members of the object itself are added later.
  if (depth > 1) settleKeys(merged, all);
  return merged;
}

/**
 * Elements of the right list keep its order. Elements that only the left one has stay where they are: behind what
 * precedes them there, as far as the right order allows.
 */
function* mergeItems(
  left: Json[],
  right: readonly Json[],
  list: ListAtom,
  depth: number,
  large = false,
): Steps<Json[]> {
  const pace = new Pace(LONG);
  const elementOf = (item: Json) => listElement(list, item);
  const leftElements = yield* mapInSteps(left, pace, elementOf);
  const rightElements = yield* mapInSteps(right, pace, elementOf);
  if (yield* areSame(leftElements, rightElements, pace)) return yield* mergePairs(left, right, list, depth, large);
  const inLeft = yield* singleItems(left, leftElements, pace);
  const inRight = new Set<PathElement>();
  const shared: PathElement[] = [];
  for (const element of rightElements) {
    if (pace.due()) yield;
    inRight.add(element);
    if (inLeft.has(element)) shared.push(element);
  }

  const merged: Json[] = [];
  let next = 0;
  function* takeRight(): Steps<PathElement> {
    if (pace.due()) yield;
    const element = rightElements[next]!;
    const base = inLeft.get(element);
    const over = right[next]!;
    if (base === undefined) merged.push(over);
    else if (large) merged.push(yield* mergeLargeItem(base, over, list.item, depth));
    else merged.push(mergeTyped(base, over, list.item, depth));
    next++;
    return element;
  }

  const taken = new Set<PathElement>();
  const nextShared = firstLeft(shared);
  for (const [index, element] of leftElements.entries()) {
    if (pace.due()) yield;
    if (!inRight.has(element)) {
      merged.push(left[index]!);
      continue;
    }
    // A shared element is due when it is the next shared one on the right; out of order, it comes with the right list.
    if (taken.has(element) || element !== nextShared(taken)) continue;
    while (!taken.has(element)) taken.add(yield* takeRight());
  }
  while (next < right.length) yield* takeRight();
  const isLeft = (item: Json, index: number) => item === left[index];
  return merged.length === left.length && (yield* everyInSteps(merged, pace, isLeft)) ? left : merged;
}

/**
 * Whether both lists have the same elements in the same order, as what is applied again mostly has. Each once: the right one
 * repeats none.
 */
function* areSame(left: readonly PathElement[], right: readonly PathElement[], pace: Pace): Steps<boolean> {
  return (
    left.length === right.length && (yield* everyInSteps(left, pace, (element, index) => element === right[index]))
  );
}

function* mergePairs(
  left: Json[],
  right: readonly Json[],
  list: ListAtom,
  depth: number,
  large: boolean,
): Steps<Json[]> {
  let merged: Json[] | undefined;
  for (let index = 0; index < left.length; index++) {
    if (index % LONG === LONG - 1) yield;
    const pair = [left[index]!, right[index]!, list.item, depth] as const;
    const item = large ? yield* mergeLargeItem(...pair) : mergeTyped(...pair);
    if (item === left[index]) continue;
    merged ??= [...left];
    merged[index] = item;
  }
  return merged ?? left;
}

/** By element; undefined for elements that share theirs with others: a new one replaces them all. */
function* singleItems(
  items: readonly Json[],
  elements: readonly PathElement[],
  pace: Pace,
): Steps<Map<PathElement, Json | undefined>> {
  const single = new Map<PathElement, Json | undefined>();
  for (let index = 0; index < elements.length; index++) {
    if (pace.due()) yield;
    const element = elements[index]!;
    single.set(element, single.has(element) ? undefined : items[index]!);
  }
  return single;
}

/** Says which of them is the first that was not taken. */
function firstLeft(shared: readonly PathElement[]): (taken: ReadonlySet<PathElement>) => PathElement | undefined {
  let position = 0;
  return (taken) => {
    while (position < shared.length && taken.has(shared[position]!)) position++;
    return shared[position];
  };
}

function hasNoKeys(value: object): boolean {
  for (const _key in value) return false;
  return true;
}
