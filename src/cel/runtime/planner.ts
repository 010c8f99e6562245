// What the parts of the planner share: how to plan a sub-expression, what the checker found, and the fixed costs.
//
// Costs are upstream's, whose evaluator counts a whole path once. `self.a[k].b` is one attribute: one unit, and one more
// for each of `.a`, `[k]` and `.b`. Where an attribute only leads somewhere (the key of an index, a branch of `?:`), its
// own unit is not counted; a path that begins with `?:` has none.

import type { Overload, StructDeclaration } from "../declarations.ts";
import { type Call, type Expr, type Ident, Op } from "../syntax/ast.ts";
import type { CelType } from "../types.ts";
import type { Step } from "./frame.ts";

/** The unit of an attribute, whatever its length. */
export const ATTRIBUTE_COST = 1;
/** Each field, key or index on the way. */
export const SELECT_COST = 1;
export const LIST_COST = 10;
export const MAP_COST = 30;
export const STRUCT_COST = 40;

export interface CalledFunction {
  readonly name: string;
  /** More than one only where arguments are dynamic. */
  readonly overloads: readonly Overload[];
  /** That on which it is called first. */
  readonly args: readonly Expr[];
}

export interface Planner {
  /** Whether evaluations of the plan can pause; they take longer. */
  readonly pausable: boolean;
  plan(expr: Expr): Step;
  /** The same without the unit of the attribute that the expression may be. */
  planPart(expr: Expr): Step;
  typeOf(expr: Expr): CelType;
  overloadsOf(expr: Call): CalledFunction;
  /** The declaration of an expression's type, where that has fields. */
  structOf(expr: Expr): StructDeclaration | undefined;
  /** Opens a scope for a variable of a macro; `close` as many as were opened. */
  open(name: string, local?: LocalOptions): number;
  close(count: number): void;
  /** The slot of a name that means a local which may hold JSON. */
  jsonSlot(expr: Ident): number | undefined;
  /** The slot of a name that means a variable of the activation. */
  globalSlot(expr: Ident): number | undefined;
}

export interface LocalOptions {
  /** The local may hold JSON. */
  readonly json?: boolean;
  /** Gives the value when it is first read. */
  readonly init?: Step;
}

/** A local of which the value was not asked for yet. */
export const UNREAD: unique symbol = Symbol("unread");

const ATTRIBUTE_CALLS: ReadonlySet<string> = new Set([Op.index, Op.optIndex, Op.optSelect]);

/** Whether a path begins with a choice. */
export function beginsWithChoice(expr: Expr): boolean {
  let node: Expr | undefined = expr;
  while (node !== undefined) {
    if (node.kind === "select") node = node.operand;
    else if (node.kind === "call" && ATTRIBUTE_CALLS.has(node.fn)) node = node.args[0];
    else return node.kind === "call" && node.fn === Op.conditional;
  }
  return false;
}
