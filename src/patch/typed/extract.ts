// The field set of a value: every leaf, every element of a list, every key of a map. Fields of structs are only there when
// they are leaves or empty, because a struct without its fields means nothing.

import { isObject, type Json } from "../../base/json.ts";
import { EMPTY_SET, type FieldNode, type FieldSet, LEAF, put } from "../field-set.ts";
import { MAX_OWNED_DEPTH } from "../nesting.ts";
import { fieldElement, type PathElement } from "../path-element.ts";
import { type Atom, DEDUCED, type ListAtom, type MapAtom } from "./atom.ts";
import { formOf, treatedAs } from "./form.ts";
import { listElement } from "./list-element.ts";

export function extractFieldSet(value: Json, atom: Atom): FieldSet {
  return nodeOf(value, atom, 0)?.children ?? EMPTY_SET;
}

function nodeOf(value: Json, atom: Atom, depth: number): FieldNode | undefined {
  if (depth >= MAX_OWNED_DEPTH) return LEAF;
  switch (treatedAs(atom, formOf(atom, value))) {
    case "scalar":
      return LEAF;
    case "list":
      if (atom.list!.atomic) return LEAF;
      return Array.isArray(value) ? { member: false, children: itemsOf(value, atom.list!, depth + 1) } : undefined;
    case "map":
      if (atom.map!.atomic) return LEAF;
      return isObject(value) ? { member: false, children: membersOf(value, atom.map!, depth + 1) } : undefined;
  }
}

function membersOf(value: Record<string, Json | undefined>, map: MapAtom, depth: number): FieldSet {
  const members = new Map<PathElement, FieldNode>();
  for (const key of Object.keys(value)) {
    const inner = value[key] ?? null;
    const field = map.field(key);
    const node = nodeOf(inner, field?.atom ?? map.value ?? DEDUCED, depth);
    // What is owned below it shows without another look that there is something.
    const holds = node?.children !== undefined && node.children.size > 0;
    const member = field === undefined || node?.member === true || (!holds && isEmpty(inner));
    put(members, field?.element ?? fieldElement(key), member, node?.children);
  }
  return members;
}

function itemsOf(value: readonly Json[], list: ListAtom, depth: number): FieldSet {
  const items = new Map<PathElement, FieldNode>();
  for (const item of value) {
    const element = listElement(list, item);
    // Elements that share their keys cannot be told apart: they are owned together, as one unit.
    if (items.has(element)) items.set(element, LEAF);
    else put(items, element, true, nodeOf(item, list.item, depth)?.children);
  }
  return items;
}

function isEmpty(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (!isObject(value)) return value === null;
  for (const _key in value) return false;
  return true;
}
