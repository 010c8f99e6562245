// What a create owns, in its wire form: what comparing with the empty object gives, without the sets in between, because
// every create asks for it and nearly all that it holds is new.
// Requirements: document 1, "Field-ownership entry".

import { countValues, equalJson, isObject, type Json, type JsonObject } from "../base/json.ts";
import { keysInStep } from "../base/json-in-steps.ts";
import { Pace, type Steps } from "../base/steps.ts";
import { settleKeys } from "../base/wide-keys.ts";
import { areSorted, compareByBytes, isSorted, sortedInSteps } from "../schema/sorted-keys.ts";
import type { FieldSet } from "./field-set.ts";
import { MAX_OWNED_DEPTH } from "./nesting.ts";
import { fieldElement, type PathElement, sortElements, sortElementsInSteps } from "./path-element.ts";
import { type Atom, DEDUCED, type ListAtom, type MapAtom } from "./typed/atom.ts";
import { byElement } from "./typed/compare.ts";
import { formOf, treatedAs } from "./typed/form.ts";

/** `untracked`: members of this set, and all below them, belong to nobody. Throws TypedError as comparing does. */
export function createdFields(empty: JsonObject, created: JsonObject, atom: Atom, untracked: FieldSet): JsonObject {
  return ownedPart(withMetadata(empty), created, atom, untracked, 0) ?? {};
}

/** The same for large objects. */
export function* createdFieldsInSteps(
  empty: JsonObject,
  created: JsonObject,
  atom: Atom,
  untracked: FieldSet,
): Steps<JsonObject> {
  const pace = new Pace(VALUES_PER_STEP);
  return (yield* ownedPartInSteps(withMetadata(empty), created, atom, untracked, 0, pace)) ?? {};
}

/** Every object has metadata: nobody owns that it is there. */
function withMetadata(empty: JsonObject): JsonObject {
  if (empty["metadata"] !== undefined) return empty;
  return Object.keys(empty).length === 0 ? METADATA_ALONE : { ...empty, metadata: {} };
}

const METADATA_ALONE: JsonObject = { metadata: {} };

/** Undefined where the value is what it was. */
function ownedPart(
  before: Json | undefined,
  after: Json,
  atom: Atom,
  untracked: FieldSet | undefined,
  depth: number,
): Part {
  const form = ownedAs(after, atom, depth);
  if (form === "map") return ownedMembers(before, after as JsonObject, atom, untracked, depth);
  if (form === "list") return ownedItems(before, after as Json[], atom, depth);
  return ownedUnit(before, after);
}

/** The same for a value that may hold much. */
function* ownedPartInSteps(
  before: Json | undefined,
  after: Json,
  atom: Atom,
  untracked: FieldSet | undefined,
  depth: number,
  pace: Pace,
): Steps<Part> {
  // How much a wide map holds takes as long to find out as to go through it.
  const isWide = isObject(after) && (yield* keysInStep(after)).length > FEW;
  const values = isWide ? FEW + 1 : countValues(after, FEW);
  if (pace.due(values)) yield;
  if (values <= FEW) return ownedPart(before, after, atom, untracked, depth);
  const form = ownedAs(after, atom, depth);
  if (form === "map") return yield* ownedMembersInSteps(before, after as JsonObject, atom, untracked, depth, pace);
  if (form === "list") return yield* ownedItemsInSteps(before, after as Json[], atom, depth, pace);
  return ownedUnit(before, after);
}

/** Whether the members of a value are owned, or its items, or all of it as one. */
function ownedAs(value: Json, atom: Atom, depth: number): "map" | "list" | "unit" {
  const form = depth >= MAX_OWNED_DEPTH ? "scalar" : treatedAs(atom, formOf(atom, value));
  if (form === "map" && isObject(value) && !atom.map!.atomic) return "map";
  return form === "list" && Array.isArray(value) && !atom.list!.atomic && value.length > 0 ? "list" : "unit";
}

function ownedUnit(before: Json | undefined, after: Json): JsonObject | undefined {
  return equalJson(before, after) ? undefined : LEAF;
}

/** Parts are shared between objects: nobody may change them. */
const LEAF: JsonObject = Object.freeze({});

function ownedMembers(
  before: Json | undefined,
  after: JsonObject,
  { map }: Atom,
  untracked: FieldSet | undefined,
  depth: number,
): Part {
  const left = isObject(before) ? before : NOTHING;
  const names: string[] = [];
  const parts: Part[] = [];
  for (const key in after) {
    const member = after[key];
    if (member === undefined) continue;
    const field = map!.field(key);
    const hidden = untracked?.get(field?.element ?? fieldElement(key));
    if (hidden?.member === true) continue;
    const was = left !== NOTHING && Object.hasOwn(left, key) ? left[key] : undefined;
    names.push(key);
    parts.push(ownedPart(was, member, field?.atom ?? map!.value ?? DEDUCED, hidden?.children, depth + 1));
  }
  if (names.length === 0 && left === NOTHING) return ownedUnit(before, after);
  return joined(map!, before, names, parts, () => {
    const byName = new Map(names.map((name, index) => [name, parts[index]]));
    const owned = startOf(before);
    let empty = true;
    for (const name of isSorted(names) ? names : names.toSorted(compareByBytes)) {
      const part = byName.get(name);
      if (part === undefined) continue;
      owned[map!.field(name)?.element ?? fieldElement(name)] = part;
      empty = false;
    }
    return empty ? nothingBelow(before) : owned;
  });
}

function* ownedMembersInSteps(
  before: Json | undefined,
  after: JsonObject,
  { map }: Atom,
  untracked: FieldSet | undefined,
  depth: number,
  pace: Pace,
): Steps<Part> {
  const left = isObject(before) ? before : NOTHING;
  const all = yield* keysInStep(after);
  const owned = startOf(before);
  const elements = Object.keys(owned);
  let [isTold, empty] = [false, true];
  for (const key of (yield* areSorted(all)) ? all : yield* sortedInSteps(all)) {
    if (pace.due()) yield;
    const member = after[key];
    if (member === undefined) continue;
    const field = map!.field(key);
    const element = field?.element ?? fieldElement(key);
    const hidden = untracked?.get(element);
    if (hidden?.member === true) continue;
    isTold = true;
    const was = left !== NOTHING && Object.hasOwn(left, key) ? left[key] : undefined;
    const inner = field?.atom ?? map!.value ?? DEDUCED;
    const part = isScalar(member)
      ? ownedPart(was, member, inner, hidden?.children, depth + 1)
      : yield* ownedPartInSteps(was, member, inner, hidden?.children, depth + 1, pace);
    if (part === undefined) continue;
    owned[element] = part;
    elements.push(element);
    empty = false;
  }
  if (!isTold && left === NOTHING) return ownedUnit(before, after);
  settleKeys(owned, elements);
  return empty ? nothingBelow(before) : owned;
}

type Part = JsonObject | undefined;

const startOf = (before: Json | undefined): JsonObject => (before === undefined ? { ".": LEAF } : {});

/** What was found in a place, and of what it was made. */
interface Found {
  readonly before: Json | undefined;
  readonly names: readonly string[];
  readonly parts: readonly Part[];
  readonly owned: Part;
}

/**
 * What was found in each place the last time: most objects that are created have the fields of the one before, and to
 * compare names and parts takes far less time than to make an object of them. Few and short ones, so that it stays small.
 */
const LAST_FOUND = new WeakMap<MapAtom | ListAtom, Found>();
const MAX_REMEMBERED_NAMES = 48;
const MAX_REMEMBERED_LENGTH = 80;

function joined(
  place: MapAtom | ListAtom,
  before: Json | undefined,
  names: readonly string[],
  parts: readonly Part[],
  join: () => Part,
): Part {
  const last = LAST_FOUND.get(place);
  if (last !== undefined && last.before === before && sameItems(last.names, names) && sameItems(last.parts, parts))
    return last.owned;
  const owned = join();
  if (owned !== undefined) Object.freeze(owned);
  if (names.length <= MAX_REMEMBERED_NAMES && names.every((name) => name.length <= MAX_REMEMBERED_LENGTH))
    LAST_FOUND.set(place, { before, names, parts, owned });
  return owned;
}

function sameItems(some: readonly unknown[], others: readonly unknown[]): boolean {
  if (some.length !== others.length) return false;
  for (let index = 0; index < some.length; index++) if (some[index] !== others[index]) return false;
  return true;
}

const NOTHING: JsonObject = {};

/** The empty object has no elements. */
function ownedItems(before: Json | undefined, after: readonly Json[], { list }: Atom, depth: number): JsonObject {
  const groups = byElement(after, list!);
  const elements = [...groups.keys()];
  const parts = elements.map((element) => ownedElement(groups.get(element)!, list!, depth));
  const owned = joined(list!, before, elements, parts, () => {
    const byName = new Map(elements.map((element, index) => [element, parts[index]]));
    const all = startOf(before);
    for (const element of sortElements(elements)) all[element] = byName.get(element);
    return all;
  });
  return owned ?? LEAF;
}

function* ownedItemsInSteps(
  before: Json | undefined,
  after: readonly Json[],
  { list }: Atom,
  depth: number,
  pace: Pace,
): Steps<JsonObject> {
  // No list for each: of very many items the collector would have as much to carry as they hold themselves.
  const groups = new Map<PathElement, Json | typeof SEVERAL>();
  for (let start = 0; start < after.length; start += FEW) {
    for (const [element, items] of byElement(after.slice(start, start + FEW), list!))
      groups.set(element, items.length > 1 || groups.has(element) ? SEVERAL : items[0]!);
    yield;
  }
  const all = startOf(before);
  const start = Object.keys(all);
  const elements = yield* sortElementsInSteps(groups.keys());
  yield;
  for (const element of elements) {
    if (pace.due()) yield;
    const item = groups.get(element)!;
    if (item === SEVERAL) all[element] = LEAF;
    else if (isScalar(item)) all[element] = ownedPart(undefined, item, list!.item, undefined, depth + 1) ?? LEAF;
    else all[element] = (yield* ownedPartInSteps(undefined, item, list!.item, undefined, depth + 1, pace)) ?? LEAF;
  }
  settleKeys(all, [...start, ...elements]);
  return all;
}

/** Elements that share their keys are one unit. */
function ownedElement(items: readonly Json[], list: ListAtom, depth: number): JsonObject {
  return items.length > 1 ? LEAF : (ownedPart(undefined, items[0]!, list.item, undefined, depth + 1) ?? LEAF);
}

/** Items that share their keys. */
const SEVERAL = Symbol();

const isScalar = (value: Json): boolean => typeof value !== "object" || value === null;

const nothingBelow = (before: Json | undefined): Part => (before === undefined ? LEAF : undefined);

/** What holds no more values is gone through at once. */
const FEW = 250;
const VALUES_PER_STEP = 500;
