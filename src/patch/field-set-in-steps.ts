// Operations on large field sets, with a turn for others after so many nodes. They come to the same as those in field-set.ts.

import { Pace, type Steps } from "../base/steps.ts";
import { EMPTY_SET, equalSets, type FieldNode, type FieldSet, put, unionSets } from "./field-set.ts";
import { type FieldPath, type PathElement, sortElementsInSteps } from "./path-element.ts";

/** So many nodes are gone through in one step. */
const NODES_PER_STEP = 500;

/** Paths in both. */
export function intersectInSteps(a: FieldSet, b: FieldSet): Steps<FieldSet> {
  return intersect(a, b, new Pace(NODES_PER_STEP));
}

function* intersect(a: FieldSet, b: FieldSet, pace: Pace): Steps<FieldSet> {
  if (a === b) return a;
  const result = new Map<PathElement, FieldNode>();
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  for (const [element, node] of small) {
    if (pace.due()) yield;
    const other = large.get(element);
    if (other === undefined) continue;
    const below =
      node.children === undefined || other.children === undefined
        ? undefined
        : yield* intersect(node.children, other.children, pace);
    put(result, element, node.member && other.member, below);
  }
  return result;
}

/** Paths in either; without steps for what is not `large`. */
export function* unionOf(a: FieldSet, b: FieldSet, large: boolean): Steps<FieldSet> {
  return large ? yield* union(a, b, new Pace(NODES_PER_STEP)) : unionSets(a, b);
}

function* union(a: FieldSet, b: FieldSet, pace: Pace): Steps<FieldSet> {
  if (a === b || b.size === 0) return a;
  if (a.size === 0) return b;
  const result = new Map<PathElement, FieldNode>();
  for (const [element, node] of a) {
    if (pace.due()) yield;
    const other = b.get(element);
    if (other === undefined || other === node) result.set(element, node);
    else {
      const below = yield* union(node.children ?? EMPTY_SET, other.children ?? EMPTY_SET, pace);
      put(result, element, node.member || other.member, below);
    }
  }
  for (const [element, node] of b) {
    if (pace.due()) yield;
    if (!a.has(element)) result.set(element, node);
  }
  return result;
}

/** The same paths in both; without steps for what is not `large`. */
export function* areEqualSets(a: FieldSet, b: FieldSet, large: boolean): Steps<boolean> {
  if (!large) return equalSets(a, b);
  const pace = new Pace(NODES_PER_STEP);
  return a === b || ((yield* isSubset(a, b, pace)) && (yield* isSubset(b, a, pace)));
}

function* isSubset(a: FieldSet, b: FieldSet, pace: Pace): Steps<boolean> {
  if (a === b) return true;
  for (const [element, node] of a) {
    if (pace.due()) yield;
    const other = b.get(element);
    if (other === undefined || (node.member && !other.member)) return false;
    if (node.children !== undefined && !(yield* isSubset(node.children, other.children ?? EMPTY_SET, pace)))
      return false;
  }
  return true;
}

/** Paths in a but not in b. */
export function subtractInSteps(a: FieldSet, b: FieldSet): Steps<FieldSet> {
  return subtract(a, b, new Pace(NODES_PER_STEP));
}

function* subtract(a: FieldSet, b: FieldSet, pace: Pace): Steps<FieldSet> {
  if (a.size === 0 || b.size === 0) return a;
  const result = new Map<PathElement, FieldNode>();
  for (const [element, node] of a) {
    if (pace.due()) yield;
    const other = b.get(element);
    if (other === undefined) {
      result.set(element, node);
      continue;
    }
    const below =
      node.children === undefined || other.children === undefined
        ? node.children
        : yield* subtract(node.children, other.children, pace);
    put(result, element, node.member && !other.member, below);
  }
  return result;
}

/** Whether every path in a is in b. */
export function isSubsetInSteps(a: FieldSet, b: FieldSet): Steps<boolean> {
  return isWithin(a, b, new Pace(NODES_PER_STEP));
}

function* isWithin(a: FieldSet, b: FieldSet, pace: Pace): Steps<boolean> {
  if (a === b) return true;
  for (const [element, node] of a) {
    if (pace.due()) yield;
    const other = b.get(element);
    if (other === undefined || (node.member && !other.member)) return false;
    if (node.children !== undefined && !(yield* isWithin(node.children, other.children ?? EMPTY_SET, pace)))
      return false;
  }
  return true;
}

/** Every path, in the order in which conflicts are reported: at each node its members, then what is below its nodes. */
export function* listPathsInSteps(set: FieldSet): Steps<FieldPath[]> {
  const paths: FieldPath[] = [];
  yield* collectPaths(set, [], paths, new Pace(NODES_PER_STEP));
  return paths;
}

function* collectPaths(set: FieldSet, prefix: FieldPath, paths: FieldPath[], pace: Pace): Steps<void> {
  const elements = yield* sortElementsInSteps(set.keys());
  if (elements.length > NODES_PER_STEP) yield;
  for (const element of elements) {
    if (pace.due()) yield;
    if (set.get(element)!.member) paths.push([...prefix, element]);
  }
  for (const element of elements) {
    if (pace.due()) yield;
    const { children } = set.get(element)!;
    if (children !== undefined) yield* collectPaths(children, [...prefix, element], paths, pace);
  }
}
