// Sets of paths into an object: who owns what, what changed, what to remove. A set is a tree; a node can be in the set
// itself (member), have nodes below it, or both. Sets are values: every operation returns a new one and shares subtrees.
// Requirements: document 1, "Field-ownership entry".

import type { FieldPath, PathElement } from "./path-element.ts";

export type FieldSet = ReadonlyMap<PathElement, FieldNode>;

/** Never neither: a node that is no member has nodes below it. */
export interface FieldNode {
  readonly member: boolean;
  readonly children: FieldSet | undefined;
}

export const EMPTY_SET: FieldSet = new Map();
/** A member with nothing below it. */
export const LEAF: FieldNode = { member: true, children: undefined };

export function fieldSet(...paths: FieldPath[]): FieldSet {
  return paths.reduce(insertPath, EMPTY_SET);
}

export const isEmptySet = (set: FieldSet): boolean => set.size === 0;

export function hasPath(set: FieldSet, path: FieldPath): boolean {
  let current: FieldSet | undefined = set;
  for (let index = 0; index < path.length; index++) {
    const node: FieldNode | undefined = current?.get(path[index]!);
    if (node === undefined) return false;
    if (index === path.length - 1) return node.member;
    current = node.children;
  }
  return false;
}

/** Paths in a or b. */
export function unionSets(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || b.size === 0) return a;
  if (a.size === 0) return b;
  const result = new Map(a);
  for (const [element, node] of b) {
    const other = a.get(element);
    result.set(element, other === undefined ? node : unionNodes(other, node));
  }
  return result;
}

/** Paths in both. */
export function intersectSets(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const result = new Map<PathElement, FieldNode>();
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  for (const [element, node] of small) {
    const other = large.get(element);
    if (other === undefined) continue;
    put(result, element, node.member && other.member, intersectChildren(node.children, other.children));
  }
  return result;
}

/** Paths in a but not in b. */
export function subtractSets(a: FieldSet, b: FieldSet): FieldSet {
  if (a.size === 0 || b.size === 0) return a;
  const result = new Map<PathElement, FieldNode>();
  for (const [element, node] of a) {
    const other = b.get(element);
    if (other === undefined) result.set(element, node);
    else put(result, element, node.member && !other.member, subtractChildren(node.children, other.children));
  }
  return result;
}

/** Paths in a that are neither in b nor below a member of b. */
export function subtractTrees(a: FieldSet, b: FieldSet): FieldSet {
  if (a.size === 0 || b.size === 0) return a;
  const result = new Map<PathElement, FieldNode>();
  for (const [element, node] of a) {
    const other = b.get(element);
    if (other === undefined) result.set(element, node);
    else if (!other.member) {
      const children = node.children && other.children ? subtractTrees(node.children, other.children) : node.children;
      put(result, element, node.member, children);
    }
  }
  return result;
}

/** Whether every path in a is in b. */
export function isSubset(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  for (const [element, node] of a) {
    const other = b.get(element);
    if (other === undefined || (node.member && !other.member)) return false;
    if (node.children !== undefined && !isSubset(node.children, other.children ?? EMPTY_SET)) return false;
  }
  return true;
}

/** Whether no path is in both. */
export function areDisjoint(a: FieldSet, b: FieldSet): boolean {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  for (const [element, node] of small) {
    const other = large.get(element);
    if (other === undefined) continue;
    if (node.member && other.member) return false;
    if (node.children !== undefined && other.children !== undefined && !areDisjoint(node.children, other.children))
      return false;
  }
  return true;
}

export const equalSets = (a: FieldSet, b: FieldSet): boolean => a === b || (isSubset(a, b) && isSubset(b, a));

/** Adds a node to a set in the making, unless it would be empty. */
export function put(
  target: Map<PathElement, FieldNode>,
  element: PathElement,
  member: boolean,
  children: FieldSet | undefined,
): void {
  const below = children !== undefined && children.size > 0 ? children : undefined;
  if (below !== undefined) target.set(element, { member, children: below });
  else if (member) target.set(element, LEAF);
}

function insertPath(set: FieldSet, path: FieldPath): FieldSet {
  let added: FieldSet | undefined;
  for (let index = path.length - 1; index >= 0; index--) {
    added = new Map([[path[index]!, { member: index === path.length - 1, children: added }]]);
  }
  return added === undefined ? set : unionSets(set, added);
}

function unionNodes(a: FieldNode, b: FieldNode): FieldNode {
  if (a === b) return a;
  const children =
    a.children === undefined ? b.children : b.children === undefined ? a.children : unionSets(a.children, b.children);
  const member = a.member || b.member;
  return children === undefined ? LEAF : { member, children };
}

function intersectChildren(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  return a === undefined || b === undefined ? undefined : intersectSets(a, b);
}

function subtractChildren(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  return a === undefined || b === undefined ? a : subtractSets(a, b);
}
