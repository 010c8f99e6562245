// The syntax tree. Every node has an id (the checker's notes are kept by id) and the place it was written at.

import type { CelValue } from "../values.ts";

export type Expr = Literal | Ident | Select | Call | ListExpr | MapExpr | StructExpr | Comprehension;

interface Node {
  readonly id: number;
  /** UTF-16 offset of the token that errors point at: the operator, the dot, the opening bracket. */
  readonly offset: number;
}

export interface Literal extends Node {
  readonly kind: "literal";
  readonly value: CelValue;
}

export interface Ident extends Node {
  readonly kind: "ident";
  /** With a leading dot when it was written with one. */
  readonly name: string;
}

export interface Select extends Node {
  readonly kind: "select";
  readonly operand: Expr;
  readonly field: string;
  /** `has(operand.field)`. */
  readonly testOnly: boolean;
}

export interface Call extends Node {
  readonly kind: "call";
  readonly target: Expr | undefined;
  readonly fn: string;
  readonly args: readonly Expr[];
}

export interface ListExpr extends Node {
  readonly kind: "list";
  readonly elements: readonly Expr[];
  /** Positions written as `?e`. */
  readonly optionals: readonly number[];
}

export interface MapEntry {
  readonly id: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface MapExpr extends Node {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

export interface StructField {
  readonly id: number;
  readonly offset: number;
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface StructExpr extends Node {
  readonly kind: "struct";
  readonly typeName: string;
  readonly fields: readonly StructField[];
}

/** The one loop of the language; macros expand to it. */
export interface Comprehension extends Node {
  readonly kind: "comprehension";
  readonly range: Expr;
  readonly iterVar: string;
  /** With it, iterVar is the index or key and this the element or value. */
  readonly iterVar2: string | undefined;
  readonly accuVar: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export interface ParsedExpr {
  readonly expr: Expr;
  /** One more than the largest id. */
  readonly idCount: number;
  /** What the author wrote for each node that a macro made. */
  readonly macroCalls: ReadonlyMap<number, Call>;
}

export const ACCUMULATOR = "@result";

export const Op = {
  conditional: "_?_:_",
  and: "_&&_",
  or: "_||_",
  not: "!_",
  equals: "_==_",
  notEquals: "_!=_",
  less: "_<_",
  lessEquals: "_<=_",
  greater: "_>_",
  greaterEquals: "_>=_",
  add: "_+_",
  subtract: "_-_",
  multiply: "_*_",
  divide: "_/_",
  modulo: "_%_",
  negate: "-_",
  index: "_[_]",
  optIndex: "_[?_]",
  optSelect: "_?._",
  in: "@in",
  notStrictlyFalse: "@not_strictly_false",
} as const;

/** `a.b.c` as a name, when the tree is nothing but a chain of plain selections. */
export function qualifiedName(expr: Expr): string | undefined {
  const parts: string[] = [];
  let node = expr;
  while (node.kind === "select" && !node.testOnly) {
    parts.push(node.field);
    node = node.operand;
  }
  if (node.kind !== "ident") return undefined;
  return parts.length === 0 ? node.name : `${node.name}.${parts.reverse().join(".")}`;
}

/** The expressions right below a node. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "literal":
    case "ident":
      return [];
    case "select":
      return [expr.operand];
    case "call":
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case "list":
      return expr.elements;
    case "map":
      return expr.entries.flatMap((entry) => [entry.key, entry.value]);
    case "struct":
      return expr.fields.map((field) => field.value);
    case "comprehension":
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
  }
}
