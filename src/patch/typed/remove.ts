// A value without the paths of a set, and a set with the struct fields that removal has to reach; both in steps.

import { isObject, type Json, type JsonObject, setKey } from "../../base/json.ts";
import { keysInStep } from "../../base/json-in-steps.ts";
import { Pace, type Steps } from "../../base/steps.ts";
import { settleKeys } from "../../base/wide-keys.ts";
import type { FieldNode, FieldSet } from "../field-set.ts";
import { fieldElement, type PathElement } from "../path-element.ts";
import { type Atom, DEDUCED } from "./atom.ts";
import { formOf, treatedAs } from "./form.ts";
import { listElement } from "./list-element.ts";

/** So many parts are gone through in one step. */
const PARTS_PER_STEP = 500;

/** What lost everything below it is empty, not gone: somebody still owns the place. One unit that lost a part is null. */
export function removePaths(value: Json, set: FieldSet, atom: Atom): Steps<Json> {
  return without(value, set, atom, new Pace(PARTS_PER_STEP));
}

function* without(value: Json, set: FieldSet, atom: Atom, pace: Pace): Steps<Json> {
  if (set.size === 0) return value;
  switch (treatedAs(atom, formOf(atom, value))) {
    case "scalar":
      return value;
    case "list": {
      if (!Array.isArray(value) || atom.list!.atomic) return null;
      const kept: Json[] = [];
      for (const item of value) {
        if (pace.due()) yield;
        const node = set.get(listElement(atom.list!, item));
        if (node?.member) continue;
        kept.push(node?.children ? yield* without(item, node.children, atom.list!.item, pace) : item);
      }
      return kept;
    }
    case "map": {
      if (!isObject(value) || atom.map!.atomic) return null;
      const kept: JsonObject = {};
      const keys: string[] = [];
      for (const key of yield* keysInStep(value)) {
        if (pace.due()) yield;
        const field = atom.map!.field(key);
        const node = set.get(field?.element ?? fieldElement(key));
        if (node?.member) continue;
        const inner = value[key] ?? null;
        const innerAtom = field?.atom ?? atom.map!.value ?? DEDUCED;
        setKey(kept, key, node?.children ? yield* without(inner, node.children, innerAtom, pace) : inner);
        keys.push(key);
      }
      settleKeys(kept, keys);
      return kept;
    }
  }
}

/** Field sets hold struct fields only as leaves; here they are members whenever something below them is. */
export function withNamedFields(set: FieldSet, atom: Atom): Steps<FieldSet> {
  return named(set, atom, new Pace(PARTS_PER_STEP));
}

function* named(set: FieldSet, atom: Atom | undefined, pace: Pace): Steps<FieldSet> {
  const result = new Map<PathElement, FieldNode>();
  for (const [element, node] of set) {
    if (pace.due()) yield;
    if (node.children === undefined) {
      result.set(element, node);
      continue;
    }
    const field = element.startsWith("f:") ? atom?.map?.field(element.slice(2)) : undefined;
    const below = element.startsWith("f:")
      ? (field?.atom ?? atom?.map?.value)
      : element.startsWith("k:")
        ? atom?.list?.item
        : undefined;
    const children = yield* named(node.children, below, pace);
    result.set(element, { member: node.member || field !== undefined, children });
  }
  return result;
}
