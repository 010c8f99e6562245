// The wire form of a field set, fieldsV1: the tree as nested objects, a leaf is {}, a member with nodes below has ".".
// Requirements: document 1, "Field-ownership entry".
//
//   {"f:data":{".":{},"f:k":{}}}   holds data and data.k
//   {"f:data":{"f:k":{}}}          holds data.k only

import { isObject, type JsonObject } from "../base/json.ts";
import { keysInStep } from "../base/json-in-steps.ts";
import type { Steps } from "../base/steps.ts";
import { keysOf, settleKeys } from "../base/wide-keys.ts";
import { EMPTY_SET, type FieldNode, type FieldSet, LEAF, unionSets } from "./field-set.ts";
import { MAX_OWNED_DEPTH } from "./nesting.ts";
import { canonicalElement, type PathElement, sortElements, sortElementsInSteps } from "./path-element.ts";

/** Keys are in upstream's order. Nobody may change the tree. */
export function encodeFieldSet(set: FieldSet): JsonObject {
  const fields = encodeChildren({}, set);
  KNOWN_SETS.set(fields, set);
  return fields;
}

/**
 * Throws when a key is broken or the tree is no tree of objects. Keys of unknown kinds are skipped. Nobody may change the
 * tree afterwards.
 */
export function decodeFieldSet(fields: JsonObject | null | undefined): FieldSet {
  if (fields === null || fields === undefined) return EMPTY_SET;
  const known = KNOWN_SETS.get(fields);
  if (known !== undefined) return known;
  const set = decodeNode(fields, 0).children ?? EMPTY_SET;
  KNOWN_SETS.set(fields, set);
  return set;
}

/** By the tree: an update begins with the object that the last one has left, and new objects of one form share theirs. */
const KNOWN_SETS = new WeakMap<JsonObject, FieldSet>();

/** The same for large sets, which are not remembered. */
export function* encodeFieldSetInSteps(set: FieldSet): Steps<JsonObject> {
  return yield* new StepwiseForm().encode({}, set);
}

/** The same for large trees. */
export function* decodeFieldSetInSteps(fields: JsonObject | null | undefined): Steps<FieldSet> {
  if (fields === null || fields === undefined) return EMPTY_SET;
  checkTree(fields, 0);
  return (yield* new StepwiseForm().decode(fields, yield* keysInStep(fields), 0)).children ?? EMPTY_SET;
}

/** So many nodes are gone through in one step. */
const NODES_PER_STEP = 500;

/** Leaves, of which there are most, are gone through as they are at once. */
class StepwiseForm {
  #nodes = 0;

  *encode(target: JsonObject, set: FieldSet): Steps<JsonObject> {
    const elements = yield* sortElementsInSteps(set.keys());
    if (elements.length > NODES_PER_STEP) yield;
    for (const element of elements) {
      const { member, children } = set.get(element)!;
      target[element] = children === undefined ? {} : yield* this.encode(member ? { ".": {} } : {}, children);
      if (this.#isStep()) yield;
    }
    settleKeys(target, "." in target ? [".", ...elements] : elements);
    return target;
  }

  /** Of a tree with these keys, which take long to find where they are many. */
  *decode(fields: JsonObject, keys: readonly string[], depth: number): Steps<FieldNode> {
    let member = false;
    let children: Map<PathElement, FieldNode> | undefined;
    for (const key of keys) {
      if (key === ".") member = true;
      const element = key === "." ? undefined : canonicalElement(key);
      if (element === undefined) continue;
      const below = fields[key];
      checkTree(below, depth + 1);
      const inner = keysOf(below);
      if (inner.length > NODES_PER_STEP) yield;
      const node = inner.length === 0 ? LEAF : yield* this.decode(below, inner, depth + 1);
      children = withNode(children, element, node);
      if (this.#isStep()) yield;
    }
    return children === undefined ? LEAF : { member, children };
  }

  #isStep(): boolean {
    this.#nodes += 1;
    return this.#nodes % NODES_PER_STEP === 0;
  }
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
  checkTree(fields, depth);
  let member = false;
  let children: Map<PathElement, FieldNode> | undefined;
  for (const key of Object.keys(fields)) {
    if (key === ".") member = true;
    const element = key === "." ? undefined : canonicalElement(key);
    if (element !== undefined) children = withNode(children, element, decodeNode(fields[key], depth + 1));
  }
  return children === undefined ? LEAF : { member, children };
}

function checkTree(fields: unknown, depth: number): asserts fields is JsonObject {
  if (depth > MAX_OWNED_DEPTH) throw new Error("fieldsV1 nests too deeply");
  if (!isObject(fields)) throw new Error("fieldsV1 must be a tree of objects");
}

/** Adds to a set in the making; another spelling of the same element may stand there. */
function withNode(
  children: Map<PathElement, FieldNode> | undefined,
  element: PathElement,
  node: FieldNode,
): Map<PathElement, FieldNode> {
  if (children === undefined) return new Map([[element, node]]);
  if (children.has(element)) return new Map(unionSets(children, new Map([[element, node]])));
  return children.set(element, node);
}
