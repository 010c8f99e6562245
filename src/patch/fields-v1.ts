// The wire form of a field set, fieldsV1: the tree as nested objects, a leaf is {}, a member with nodes below has ".".
// Requirements: document 1, "Field-ownership entry".
//
//   {"f:data":{".":{},"f:k":{}}}   holds data and data.k
//   {"f:data":{"f:k":{}}}          holds data.k only

import { isObject, type JsonObject } from "../base/json.ts";
import { EMPTY_SET, type FieldNode, type FieldSet, LEAF, unionSets } from "./field-set.ts";
import { MAX_OWNED_DEPTH } from "./nesting.ts";
import { canonicalElement, type PathElement, sortElements } from "./path-element.ts";

/** Keys are in upstream's order. */
export function encodeFieldSet(set: FieldSet): JsonObject {
  return encodeChildren({}, set);
}

/** Throws when a key is broken or the tree is no tree of objects. Keys of unknown kinds are skipped. */
export function decodeFieldSet(fields: JsonObject | null | undefined): FieldSet {
  if (fields === null || fields === undefined) return EMPTY_SET;
  return decodeNode(fields, 0).children ?? EMPTY_SET;
}

function encodeChildren(target: JsonObject, set: FieldSet): JsonObject {
  for (const element of sortElements(set.keys())) {
    const node = set.get(element)!;
    // Elements start with a letter and a colon: no name here can be special to JavaScript.
    target[element] = node.children === undefined ? {} : encodeChildren(node.member ? { ".": {} } : {}, node.children);
  }
  return target;
}

function decodeNode(fields: unknown, depth: number): FieldNode {
  if (depth > MAX_OWNED_DEPTH) throw new Error("fieldsV1 nests too deeply");
  if (!isObject(fields)) throw new Error("fieldsV1 must be a tree of objects");
  let member = false;
  let children: Map<PathElement, FieldNode> | undefined;
  for (const key of Object.keys(fields)) {
    if (key === ".") {
      member = true;
      continue;
    }
    const element = canonicalElement(key);
    if (element === undefined) continue;
    const node = decodeNode(fields[key], depth + 1);
    children ??= new Map();
    const twice = children.get(element);
    if (twice === undefined) children.set(element, node);
    else children = new Map(unionSets(children, new Map([[element, node]])));
  }
  return children === undefined ? LEAF : { member, children };
}
