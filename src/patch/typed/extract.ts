// The field set of a value: every leaf, every element of a list, every key of a map. Fields of structs are only there when
// they are leaves or empty, because a struct without its fields means nothing.

import { isObject, type Json } from "../../base/json.ts";
import { keysInStep } from "../../base/json-in-steps.ts";
import { atOnce, Pace, type Steps } from "../../base/steps.ts";
import { EMPTY_SET, type FieldNode, type FieldSet, LEAF, put } from "../field-set.ts";
import { MAX_OWNED_DEPTH } from "../nesting.ts";
import { fieldElement, type PathElement } from "../path-element.ts";
import { type Atom, DEDUCED, type ListAtom, type MapAtom } from "./atom.ts";
import { formOf, treatedAs } from "./form.ts";
import { listElement } from "./list-element.ts";

export function extractFieldSet(value: Json, atom: Atom): FieldSet {
  return atOnce(extractFieldSetInSteps(value, atom));
}

/** The same for large values. */
export function* extractFieldSetInSteps(value: Json, atom: Atom): Steps<FieldSet> {
  const node = isLeaf(value, atom, 0) ? LEAF : yield* nodeOf(value, atom, 0, new Pace(NODES_PER_STEP));
  return node?.children ?? EMPTY_SET;
}

/** So many fields are gone through in one step. */
const NODES_PER_STEP = 250;

/** Most are, and need no steps of their own. */
function isLeaf(value: Json, atom: Atom, depth: number): boolean {
  if (depth >= MAX_OWNED_DEPTH) return true;
  switch (treatedAs(atom, formOf(atom, value))) {
    case "scalar":
      return true;
    case "list":
      return atom.list!.atomic;
    case "map":
      return atom.map!.atomic;
  }
}

/** Of what is no leaf. */
function* nodeOf(value: Json, atom: Atom, depth: number, pace: Pace): Steps<FieldNode | undefined> {
  if (treatedAs(atom, formOf(atom, value)) === "list")
    return Array.isArray(value)
      ? { member: false, children: yield* itemsOf(value, atom.list!, depth + 1, pace) }
      : undefined;
  return isObject(value) ? { member: false, children: yield* membersOf(value, atom.map!, depth + 1, pace) } : undefined;
}

function* membersOf(value: Record<string, Json | undefined>, map: MapAtom, depth: number, pace: Pace): Steps<FieldSet> {
  const members = new Map<PathElement, FieldNode>();
  for (const key of yield* keysInStep(value)) {
    if (pace.due()) yield;
    const inner = value[key] ?? null;
    const field = map.field(key);
    const atom = field?.atom ?? map.value ?? DEDUCED;
    const node = isLeaf(inner, atom, depth) ? LEAF : yield* nodeOf(inner, atom, depth, pace);
    // What is owned below it shows without another look that there is something.
    const holds = node?.children !== undefined && node.children.size > 0;
    const member = field === undefined || node?.member === true || (!holds && isEmpty(inner));
    put(members, field?.element ?? fieldElement(key), member, node?.children);
  }
  return members;
}

function* itemsOf(value: readonly Json[], list: ListAtom, depth: number, pace: Pace): Steps<FieldSet> {
  const items = new Map<PathElement, FieldNode>();
  for (const item of value) {
    if (pace.due()) yield;
    const element = listElement(list, item);
    // Elements that share their keys cannot be told apart: they are owned together, as one unit.
    if (items.has(element)) items.set(element, LEAF);
    else {
      const node = isLeaf(item, list.item, depth) ? LEAF : yield* nodeOf(item, list.item, depth, pace);
      put(items, element, true, node?.children);
    }
  }
  return items;
}

function isEmpty(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (!isObject(value)) return value === null;
  for (const _key in value) return false;
  return true;
}
