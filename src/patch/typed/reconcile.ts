// Ownership that was written under other markers. Requirements: document 1, "Server-side apply rules", rule 10.
//
// A list, map or struct that became atomic: who owned anything inside owns the whole. One that stopped being atomic:
// the owner keeps the place itself and owns nothing inside, so that later edits there do not conflict.

import { type FieldNode, type FieldSet, LEAF } from "../field-set.ts";
import type { PathElement } from "../path-element.ts";
import type { Atom } from "./atom.ts";
import { treatedAs } from "./form.ts";

/** The same set when there is nothing to do. */
export function reconcileFieldSet(set: FieldSet, atom: Atom): FieldSet {
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

function reconcileNode(node: FieldNode, atom: Atom | undefined): FieldNode {
  if (atom === undefined || node.children === undefined) return node;
  const form = treatedAs(atom, "all");
  if (form === "map") {
    // Without a schema there are no markers that could have changed.
    if (atom.map!.deduced) return node;
    if (atom.map!.atomic) return LEAF;
  } else if (form === "list") {
    if (atom.list!.atomic) return LEAF;
  } else {
    return node;
  }
  const children = reconcileFieldSet(node.children, atom);
  return children === node.children ? node : { member: node.member, children };
}

function atomBelow(atom: Atom, element: PathElement): Atom | undefined {
  if (element.startsWith("f:")) return atom.map?.field(element.slice(2))?.atom ?? atom.map?.value;
  return atom.list?.item;
}
