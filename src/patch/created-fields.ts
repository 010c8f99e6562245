// What a create owns, in its wire form: what comparing with the empty object gives, without the sets in between, because
// every create asks for it and nearly all that it holds is new.
// Requirements: document 1, "Field-ownership entry".

import { countValues, equalJson, isObject, type Json, type JsonObject, setKey } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";
import { sortedKeys } from "../schema/sorted-keys.ts";
import type { FieldSet } from "./field-set.ts";
import { MAX_OWNED_DEPTH } from "./nesting.ts";
import { fieldElement, type PathElement, sortElements } from "./path-element.ts";
import { type Atom, DEDUCED, type ListAtom } from "./typed/atom.ts";
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
type KnownParts = Map<Json, JsonObject | undefined>;

/** Every object has metadata: nobody owns that it is there. */
function withMetadata(empty: JsonObject): JsonObject {
  return empty["metadata"] === undefined ? { ...empty, metadata: {} } : empty;
}

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
  return equalJson(before, after) ? undefined : {};
}

function ownedMembers(
  before: Json | undefined,
  after: JsonObject,
  { map }: Atom,
  untracked: FieldSet | undefined,
  depth: number,
  known: KnownParts | undefined,
): JsonObject | undefined {
  const left = isObject(before) ? before : NOTHING;
  const keys = sortedKeys(after);
  if (keys.length === 0 && left === NOTHING) return ownedUnit(before, after);
  const parts: JsonObject = before === undefined ? { ".": {} } : {};
  let empty = true;
  for (const key of keys) {
    const member = after[key];
    if (member === undefined) continue;
    const field = map!.field(key);
    const element = field?.element ?? fieldElement(key);
    const hidden = untracked?.get(element);
    if (hidden?.member === true) continue;
    const was = left !== NOTHING && Object.hasOwn(left, key) ? left[key] : undefined;
    const part = ownedPart(was, member, field?.atom ?? map!.value ?? DEDUCED, hidden?.children, depth + 1, known);
    if (part === undefined) continue;
    parts[element] = part;
    empty = false;
  }
  return empty ? nothingBelow(before) : parts;
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
  const parts: JsonObject = before === undefined ? { ".": {} } : {};
  const groups = byElement(after, list!);
  for (const element of sortElements(groups.keys()))
    parts[element] = ownedElement(groups.get(element)!, list!, depth, known);
  return parts;
}

/** Elements that share their keys are one unit. */
function ownedElement(
  items: readonly Json[],
  list: ListAtom,
  depth: number,
  known: KnownParts | undefined,
): JsonObject {
  return items.length > 1 ? {} : (ownedPart(undefined, items[0]!, list.item, undefined, depth + 1, known) ?? {});
}

const nothingBelow = (before: Json | undefined): JsonObject | undefined => (before === undefined ? {} : undefined);

/** So many members or items are gone through in one step. */
const LONG = 2_000;

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
    for (const item of items)
      if (isLarge(item)) yield* findLongParts(undefined, item, atom.list!.item, undefined, depth + 1, known);
    if (items.length > LONG) known.set(after, yield* ownedOfLongList(before, items, atom.list!, depth, known));
  } else if (form === "map") {
    const members = after as JsonObject;
    const keys = sortedKeys(members);
    if (keys.length > LONG) yield;
    for (const key of keys) {
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
  const parts: JsonObject = before === undefined ? { ".": {} } : {};
  const groups = new Map<PathElement, Json[]>();
  for (let start = 0; start < after.length; start += LONG) {
    for (const [element, items] of byElement(after.slice(start, start + LONG), list)) {
      const before = groups.get(element);
      groups.set(element, before === undefined ? items : before.concat(items));
    }
    yield;
  }
  const elements = sortElements(groups.keys());
  yield;
  for (const [index, element] of elements.entries()) {
    parts[element] = ownedElement(groups.get(element)!, list, depth, known);
    if ((index + 1) % LONG === 0) yield;
  }
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
  const parts: JsonObject = before === undefined ? { ".": {} } : {};
  let empty = true;
  for (let start = 0; start < keys.length; start += LONG) {
    yield;
    const some: JsonObject = {};
    for (const key of keys.slice(start, start + LONG)) setKey(some, key, after[key]);
    const owned = ownedMembers(before, some, atom, untracked, depth, known) ?? NOTHING;
    for (const element in owned) {
      if (element === ".") continue;
      parts[element] = owned[element];
      empty = false;
    }
  }
  return empty ? nothingBelow(before) : parts;
}

/** Whether a value holds more than fits into one step. */
const isLarge = (value: Json): boolean => countValues(value, LONG) > LONG;
