// What a create owns, in its wire form: what comparing with the empty object gives, without the sets in between, because
// every create asks for it and nearly all that it holds is new.
// Requirements: document 1, "Field-ownership entry".

import { equalJson, isObject, type Json, type JsonObject } from "../base/json.ts";
import { sortedKeys } from "../schema/sorted-keys.ts";
import type { FieldSet } from "./field-set.ts";
import { MAX_OWNED_DEPTH } from "./nesting.ts";
import { fieldElement, sortElements } from "./path-element.ts";
import { type Atom, DEDUCED } from "./typed/atom.ts";
import { byElement } from "./typed/compare.ts";
import { formOf, treatedAs } from "./typed/form.ts";

/** `untracked`: members of this set, and all below them, belong to nobody. Throws TypedError as comparing does. */
export function createdFields(empty: JsonObject, created: JsonObject, atom: Atom, untracked: FieldSet): JsonObject {
  // Every object has metadata: nobody owns that it is there.
  const before = empty["metadata"] === undefined ? { ...empty, metadata: {} } : empty;
  return ownedPart(before, created, atom, untracked, 0) ?? {};
}

/** Undefined where the value is what it was. */
function ownedPart(
  before: Json | undefined,
  after: Json,
  atom: Atom,
  untracked: FieldSet | undefined,
  depth: number,
): JsonObject | undefined {
  const form = depth >= MAX_OWNED_DEPTH ? "scalar" : treatedAs(atom, formOf(atom, after));
  if (form === "map" && isObject(after) && !atom.map!.atomic) {
    return ownedMembers(before, after, atom, untracked, depth);
  }
  if (form === "list" && Array.isArray(after) && !atom.list!.atomic && after.length > 0) {
    return ownedItems(before, after, atom, depth);
  }
  return ownedUnit(before, after);
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
    const part = ownedPart(was, member, field?.atom ?? map!.value ?? DEDUCED, hidden?.children, depth + 1);
    if (part === undefined) continue;
    parts[element] = part;
    empty = false;
  }
  return empty ? nothingBelow(before) : parts;
}

const NOTHING: JsonObject = {};

/** The empty object has no elements. */
function ownedItems(before: Json | undefined, after: readonly Json[], { list }: Atom, depth: number): JsonObject {
  const parts: JsonObject = before === undefined ? { ".": {} } : {};
  const groups = byElement(after, list!);
  for (const element of sortElements(groups.keys())) {
    const items = groups.get(element)!;
    // Elements that share their keys are one unit.
    parts[element] = items.length > 1 ? {} : (ownedPart(undefined, items[0]!, list!.item, undefined, depth + 1) ?? {});
  }
  return parts;
}

const nothingBelow = (before: Json | undefined): JsonObject | undefined => (before === undefined ? {} : undefined);
