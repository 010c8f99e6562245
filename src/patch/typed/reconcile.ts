// Ownership that was written under other markers. Requirements: document 1, "Server-side apply rules", rule 10.
//
// A list, map or struct that became atomic: who owned anything inside owns the whole. One that stopped being atomic:
// the owner keeps the place itself and owns nothing inside, so that later edits there do not conflict.

import { Pace, type Steps } from "../../base/steps.ts";
import { type FieldNode, type FieldSet, LEAF } from "../field-set.ts";
import type { PathElement } from "../path-element.ts";
import type { Atom } from "./atom.ts";
import { treatedAs } from "./form.ts";

/** The same set when there is nothing to do. */
export function reconcileFieldSet(set: FieldSet, atom: Atom): FieldSet {
  if (RECONCILED.get(set) === atom) return set;
  const reconciled = reconcileChildren(set, atom);
  RECONCILED.set(reconciled, atom);
  return reconciled;
}

/** Under which atom there was nothing to do: sets come again with each write to their object. */
const RECONCILED = new WeakMap<FieldSet, Atom>();

function reconcileChildren(set: FieldSet, atom: Atom): FieldSet {
  let result: Map<PathElement, FieldNode> | undefined;
  for (const [element, node] of set) {
    if (node.children === undefined) continue;
    const reconciled = reconcileNode(node, atomBelow(atom, element));
    if (reconciled === node) continue;
    result ??= new Map(set);
    result.set(element, reconciled);
  }
  return result ?? set;
}

/** The same for large sets. */
export function reconcileFieldSetInSteps(set: FieldSet, atom: Atom): Steps<FieldSet> {
  return reconcileInSteps(set, atom, new Pace(NODES_PER_STEP));
}

const NODES_PER_STEP = 500;

function* reconcileInSteps(set: FieldSet, atom: Atom, pace: Pace): Steps<FieldSet> {
  let result: Map<PathElement, FieldNode> | undefined;
  for (const [element, node] of set) {
    if (pace.due()) yield;
    if (node.children === undefined) continue;
    const below = atomBelow(atom, element);
    const known = reconciledItself(node, below);
    const reconciled = known ?? withChildren(node, yield* reconcileInSteps(node.children, below!, pace));
    if (reconciled === node) continue;
    result ??= new Map(set);
    result.set(element, reconciled);
  }
  return result ?? set;
}

function reconcileNode(node: FieldNode, atom: Atom | undefined): FieldNode {
  return reconciledItself(node, atom) ?? withChildren(node, reconcileChildren(node.children!, atom!));
}

/** Undefined where what is below it decides, by the atom that there is then. */
function reconciledItself(node: FieldNode, atom: Atom | undefined): FieldNode | undefined {
  if (atom === undefined || node.children === undefined) return node;
  const form = treatedAs(atom, "all");
  if (form === "scalar") return node;
  // Without a schema there are no markers that could have changed.
  if (form === "map" && atom.map!.deduced) return node;
  return (form === "map" ? atom.map : atom.list)!.atomic ? LEAF : undefined;
}

const withChildren = (node: FieldNode, children: FieldSet): FieldNode =>
  children === node.children ? node : { member: node.member, children };

function atomBelow(atom: Atom, element: PathElement): Atom | undefined {
  if (element.startsWith("f:")) return atom.map?.field(element.slice(2))?.atom ?? atom.map?.value;
  return atom.list?.item;
}
