// What a create owns, in its wire form: what comparing with the empty object gives, without the sets in between, because
// every create asks for it and nearly all that it holds is new.
// Requirements: document 1, "Field-ownership entry".

import { countValues, equalJson, isObject, type Json, type JsonObject, setKey } from "../base/json.ts";
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
  return ownedPart(withMetadata(empty), created, atom, untracked, 0, undefined) ?? {};
}

/** The same for large objects: what is owned of long lists and maps is found first, in steps. */
export function* createdFieldsInSteps(
  empty: JsonObject,
  created: JsonObject,
  atom: Atom,
  untracked: FieldSet,
): Steps<JsonObject> {
  const before = withMetadata(empty);
  const known: KnownParts = new Map();
  yield* findLongParts(before, created, atom, untracked, 0, known);
  return ownedPart(before, created, atom, untracked, 0, known) ?? {};
}

/** What is owned of long lists and maps, by these. */
type KnownParts = Map<Json, Part>;

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
  known: KnownParts | undefined,
): JsonObject | undefined {
  if (known?.has(after) === true) return known.get(after);
  const form = ownedAs(after, atom, depth);
  if (form === "map") return ownedMembers(before, after as JsonObject, atom, untracked, depth, known);
  if (form === "list") return ownedItems(before, after as Json[], atom, depth, known);
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
  known: KnownParts | undefined,
): JsonObject | undefined {
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
    parts.push(ownedPart(was, member, field?.atom ?? map!.value ?? DEDUCED, hidden?.children, depth + 1, known));
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
function ownedItems(
  before: Json | undefined,
  after: readonly Json[],
  { list }: Atom,
  depth: number,
  known: KnownParts | undefined,
): JsonObject {
  const groups = byElement(after, list!);
  const elements = [...groups.keys()];
  const parts = elements.map((element) => ownedElement(groups.get(element)!, list!, depth, known));
  const owned = joined(list!, before, elements, parts, () => {
    const byName = new Map(elements.map((element, index) => [element, parts[index]]));
    const all = startOf(before);
    for (const element of sortElements(elements)) all[element] = byName.get(element);
    return all;
  });
  return owned ?? LEAF;
}

/** Elements that share their keys are one unit. */
function ownedElement(
  items: readonly Json[],
  list: ListAtom,
  depth: number,
  known: KnownParts | undefined,
): JsonObject {
  return items.length > 1 ? LEAF : (ownedPart(undefined, items[0]!, list.item, undefined, depth + 1, known) ?? LEAF);
}

const nothingBelow = (before: Json | undefined): Part => (before === undefined ? LEAF : undefined);

/** So many members or items are gone through in one step. */
const LONG = 250;
/** So many are counted in one. */
const VALUES_PER_STEP = 2_500;

/** Adds what is owned of every long list and map in a value, the inner ones first. */
function* findLongParts(
  before: Json | undefined,
  after: Json,
  atom: Atom,
  untracked: FieldSet | undefined,
  depth: number,
  known: KnownParts,
): Steps<void> {
  const form = ownedAs(after, atom, depth);
  if (form === "list") {
    const items = after as Json[];
    const pace = new Pace(VALUES_PER_STEP);
    for (const item of items) {
      const values = countValues(item, LONG);
      if (pace.due(values)) yield;
      if (values > LONG) yield* findLongParts(undefined, item, atom.list!.item, undefined, depth + 1, known);
    }
    if (items.length > LONG) known.set(after, yield* ownedOfLongList(before, items, atom.list!, depth, known));
  } else if (form === "map") {
    const members = after as JsonObject;
    const all = yield* keysInStep(members);
    const keys = (yield* areSorted(all)) ? all : yield* sortedInSteps(all);
    const pace = new Pace(LONG);
    for (const key of keys) {
      if (pace.due()) yield;
      const member = members[key] ?? null;
      // How much a map holds takes as long to find out as to go through it.
      if (!isObject(member) && !isLarge(member)) continue;
      const field = atom.map!.field(key);
      const was = isObject(before) && Object.hasOwn(before, key) ? before[key] : undefined;
      const hidden = untracked?.get(field?.element ?? fieldElement(key));
      yield* findLongParts(was, member, field?.atom ?? atom.map!.value ?? DEDUCED, hidden?.children, depth + 1, known);
    }
    if (keys.length > LONG)
      known.set(after, yield* ownedOfLongMap(before, members, keys, atom, untracked, depth, known));
  }
}

function* ownedOfLongList(
  before: Json | undefined,
  after: readonly Json[],
  list: ListAtom,
  depth: number,
  known: KnownParts,
): Steps<JsonObject> {
  const parts = startOf(before);
  const start = Object.keys(parts);
  const groups = new Map<PathElement, Json[]>();
  for (let start = 0; start < after.length; start += LONG) {
    for (const [element, items] of byElement(after.slice(start, start + LONG), list)) {
      const before = groups.get(element);
      groups.set(element, before === undefined ? items : before.concat(items));
    }
    yield;
  }
  const elements = yield* sortElementsInSteps(groups.keys());
  yield;
  for (const [index, element] of elements.entries()) {
    parts[element] = ownedElement(groups.get(element)!, list, depth, known);
    if ((index + 1) % LONG === 0) yield;
  }
  settleKeys(parts, [...start, ...elements]);
  return parts;
}

function* ownedOfLongMap(
  before: Json | undefined,
  after: JsonObject,
  keys: readonly string[],
  atom: Atom,
  untracked: FieldSet | undefined,
  depth: number,
  known: KnownParts,
): Steps<JsonObject | undefined> {
  const parts = startOf(before);
  const elements = Object.keys(parts);
  let empty = true;
  for (let start = 0; start < keys.length; start += LONG) {
    yield;
    const some: JsonObject = {};
    for (const key of keys.slice(start, start + LONG)) setKey(some, key, after[key]);
    const owned = ownedMembers(before, some, atom, untracked, depth, known) ?? NOTHING;
    for (const element in owned) {
      if (element === ".") continue;
      parts[element] = owned[element];
      elements.push(element);
      empty = false;
    }
  }
  settleKeys(parts, elements);
  return empty ? nothingBelow(before) : parts;
}

/** Whether a value holds more than fits into one step. */
const isLarge = (value: Json): boolean => countValues(value, LONG) > LONG;
