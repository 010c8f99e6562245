// A value without the paths of a set, and a set with the struct fields that removal has to reach.

import { isObject, type Json, type JsonObject, setKey } from "../../base/json.ts";
import { EMPTY_SET, type FieldNode, type FieldSet } from "../field-set.ts";
import { fieldElement, type PathElement } from "../path-element.ts";
import { type Atom, DEDUCED } from "./atom.ts";
import { formOf, treatedAs } from "./form.ts";
import { listElement } from "./list-element.ts";

/** What lost everything below it is empty, not gone: somebody still owns the place. One unit that lost a part is null. */
export function removePaths(value: Json, set: FieldSet, atom: Atom): Json {
  if (set.size === 0) return value;
  switch (treatedAs(atom, formOf(atom, value))) {
    case "scalar":
      return value;
    case "list": {
      if (!Array.isArray(value) || atom.list!.atomic) return null;
      const kept: Json[] = [];
      for (const item of value) {
        const node = set.get(listElement(atom.list!, item));
        if (!node?.member) kept.push(node?.children ? removePaths(item, node.children, atom.list!.item) : item);
      }
      return kept;
    }
    case "map": {
      if (!isObject(value) || atom.map!.atomic) return null;
      const kept: JsonObject = {};
      for (const key of Object.keys(value)) {
        const field = atom.map!.field(key);
        const node = set.get(field?.element ?? fieldElement(key));
        if (node?.member) continue;
        const inner = value[key] ?? null;
        const innerAtom = field?.atom ?? atom.map!.value ?? DEDUCED;
        setKey(kept, key, node?.children ? removePaths(inner, node.children, innerAtom) : inner);
      }
      return kept;
    }
  }
}

/** Field sets hold struct fields only as leaves; here they are members whenever something below them is. */
export function withNamedFields(set: FieldSet, atom: Atom | undefined): FieldSet {
  const result = new Map<PathElement, FieldNode>();
  for (const [element, node] of set) {
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
    result.set(element, {
      member: node.member || field !== undefined,
      children: withNamedFields(node.children ?? EMPTY_SET, below),
    });
  }
  return result;
}
