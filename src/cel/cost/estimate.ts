// The static estimate: bounds of what an evaluation can cost, from the sizes that schemas declare.
// The same units and rules as upstream's, so that a rule is refused here when it is refused there.

import type { CheckedExpr } from "../checker/checked.ts";
import { type Call, type Comprehension, type Expr, Op, type Select } from "../syntax/ast.ts";
import { type CelType, DYN, firstParam, isOptionalType } from "../types.ts";
import { CelDouble, CelUint, type CelValue } from "../values.ts";
import { sizeOf } from "./actual.ts";
import {
  addRanges,
  type CallEstimate,
  exactly,
  multiplyRanges,
  type Range,
  type SizedNode,
  UNKNOWN_SIZE,
  unionRanges,
} from "./sizes.ts";

/** Bounds of the size at a path: a variable's name, then property names, `@items`, `@keys`, `@values`. */
export type SizeHints = (path: readonly string[]) => Range | undefined;

export function estimateCost(checked: CheckedExpr, sizeAt: SizeHints): Range {
  return new Estimator(checked, sizeAt).cost(checked.expr);
}

const NOTHING = exactly(0);
const ONE = exactly(1);
const LIST_CREATE = exactly(10);
const MAP_CREATE = exactly(30);
const STRUCT_CREATE = exactly(40);

/** Sizes of what a list or map holds. */
interface EntrySizes {
  readonly container: "list" | "map";
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly name: string;
  readonly path: readonly string[] | undefined;
  readonly size: Range | undefined;
  readonly entries: EntrySizes | undefined;
}

class Estimator {
  readonly #checked: CheckedExpr;
  readonly #sizeAt: SizeHints;
  /** By node id: where in a variable the node's value comes from, and what is known of its size. */
  readonly #paths = new Map<number, readonly string[]>();
  readonly #sizes = new Map<number, Range>();
  readonly #entries = new Map<number, EntrySizes>();
  readonly #locals: Local[] = [];

  constructor(checked: CheckedExpr, sizeAt: SizeHints) {
    this.#checked = checked;
    this.#sizeAt = sizeAt;
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case "literal":
        return NOTHING;
      case "ident":
        return this.#identCost(expr, expr.name);
      case "select":
        return this.#selectCost(expr);
      case "call":
        return this.#callCost(expr);
      case "list": {
        const cost = this.#sum(expr.elements);
        this.#entries.set(expr.id, { container: "list", key: ONE, value: this.#unionOfSizes(expr.elements) });
        return addRanges(cost, LIST_CREATE);
      }
      case "map": {
        const keys = expr.entries.map((entry) => entry.key);
        const values = expr.entries.map((entry) => entry.value);
        const cost = addRanges(this.#sum(keys), this.#sum(values));
        const key = this.#unionOfSizes(keys);
        this.#entries.set(expr.id, { container: "map", key, value: this.#unionOfSizes(values) });
        return addRanges(cost, MAP_CREATE);
      }
      case "struct":
        return addRanges(this.#sum(expr.fields.map((field) => field.value)), STRUCT_CREATE);
      case "comprehension":
        return isBind(expr) ? this.#bindCost(expr) : this.#loopCost(expr);
    }
  }

  #sum(exprs: readonly Expr[]): Range {
    return exprs.reduce((total, expr) => addRanges(total, this.cost(expr)), NOTHING);
  }

  #unionOfSizes(exprs: readonly Expr[]): Range {
    if (exprs.length === 0) return NOTHING;
    return exprs.map((expr) => this.#size(expr)).reduce(unionRanges);
  }

  #identCost(expr: Expr, name: string): Range {
    const local = this.#local(name);
    const path = local === undefined ? [name] : local.path;
    if (path !== undefined) this.#paths.set(expr.id, path);
    return ONE;
  }

  #selectCost(expr: Select): Range {
    const reference = this.#checked.references[expr.id];
    if (reference?.kind === "variable") return this.#identCost(expr, reference.declaration.name);
    const cost = this.cost(expr.operand);
    if (expr.testOnly) return cost;
    this.#paths.set(expr.id, [...(this.#pathOf(expr.operand) ?? []), expr.field]);
    return SELECTED.has(this.#typeOf(expr.operand).kind) ? addRanges(cost, ONE) : cost;
  }

  #callCost(expr: Call): Range {
    const [first] = expr.args;
    if (expr.fn === "dyn" && first !== undefined) {
      const cost = addRanges(ONE, this.cost(first));
      this.#copySizes(expr, first);
      return cost;
    }
    const reference = this.#checked.references[expr.id];
    const qualified = reference?.kind === "function" && reference.qualified;
    const args = expr.target === undefined || qualified ? expr.args : [expr.target, ...expr.args];
    const costs = args.map((arg) => this.cost(arg));
    if (expr.fn === Op.and || expr.fn === Op.or) return logicalCost(costs);
    if (expr.fn === Op.conditional) return this.#conditionalCost(expr, costs);
    const nodes = args.map((arg) => this.#node(arg));
    const overloads = reference?.kind === "function" ? reference.overloads : [];
    let cost: Range | undefined;
    let size: Range | undefined;
    for (const overload of overloads) {
      const estimate: CallEstimate = overload.estimate?.(nodes) ?? { cost: ONE };
      cost = cost === undefined ? estimate.cost : unionRanges(cost, estimate.cost);
      if (estimate.resultSize !== undefined) {
        size = size === undefined ? estimate.resultSize : unionRanges(size, estimate.resultSize);
      }
      if (overload.id === "index_list" || overload.id === "index_map") {
        size = this.#entriesOf(args[0] as Expr)?.value;
        this.#extendPath(expr, args[0] as Expr, overload.id === "index_list" ? "@items" : "@values");
      }
      size ??= this.#knownSize(expr);
    }
    if (size !== undefined) this.#sizes.set(expr.id, size);
    if (expr.fn === Op.add) this.#joinEntries(expr, args);
    return costs.reduce(addRanges, cost ?? ONE);
  }

  /** What is known of the elements of two lists is known of those of their sum. */
  #joinEntries(expr: Expr, [left, right]: readonly Expr[]): void {
    if (left === undefined || right === undefined) return;
    const joined = joinEntries(this.#entriesOf(left), this.#entriesOf(right));
    if (joined !== undefined) this.#entries.set(expr.id, joined);
  }

  #conditionalCost(expr: Call, costs: readonly Range[]): Range {
    const [condition = NOTHING, whenTrue = NOTHING, whenFalse = NOTHING] = costs;
    const [, yes, no] = expr.args;
    if (yes !== undefined && no !== undefined) this.#sizes.set(expr.id, unionRanges(this.#size(yes), this.#size(no)));
    this.#joinEntries(expr, expr.args.slice(1));
    return addRanges(condition, unionRanges(whenTrue, whenFalse));
  }

  #loopCost(expr: Comprehension): Range {
    const before = addRanges(this.cost(expr.range), this.cost(expr.init));
    this.#openLocal(expr.accuVar, expr.init);
    const { key, element, isList } = this.#iterationOf(expr.range);
    if (expr.iterVar2 === undefined) this.#locals.push({ name: expr.iterVar, ...(isList ? element : key) });
    else this.#locals.push({ name: expr.iterVar, ...key }, { name: expr.iterVar2, ...element });
    const turn = addRanges(this.cost(expr.condition), this.cost(expr.step));
    this.#locals.length -= expr.iterVar2 === undefined ? 1 : 2;
    const after = this.cost(expr.result);
    this.#locals.pop();

    const count = this.#size(expr.range);
    if (expr.init.kind === "list" || expr.init.kind === "map") {
      this.#sizes.set(expr.id, count);
      const made = this.#entriesOf(expr.step);
      if (made !== undefined) this.#entries.set(expr.id, made);
    } else if (expr.init.kind === "literal") {
      this.#sizes.set(expr.id, this.#size(expr.init));
    }
    return addRanges(addRanges(before, after), multiplyRanges(count, turn));
  }

  /** What is known of the variables of a loop. A path that begins here is taken for one into the root, as upstream. */
  #iterationOf(range: Expr): { key: Omit<Local, "name">; element: Omit<Local, "name">; isList: boolean } {
    const path = this.#pathOf(range) ?? [];
    const entries = this.#entriesOf(range);
    const isList = (entries?.container ?? this.#typeOf(range).kind) === "list";
    return {
      isList,
      key: { path: [...path, isList ? "@indices" : "@keys"], size: entries?.key, entries: undefined },
      element: { path: [...path, isList ? "@items" : "@values"], size: entries?.value, entries: undefined },
    };
  }

  #bindCost(expr: Comprehension): Range {
    const cost = addRanges(this.cost(expr.range), this.cost(expr.init));
    this.#openLocal(expr.accuVar, expr.init);
    const total = addRanges(cost, this.cost(expr.result));
    this.#copySizes(expr, expr.result);
    this.#locals.pop();
    return total;
  }

  #openLocal(name: string, init: Expr): void {
    const entries = this.#entriesOf(init);
    this.#locals.push({ name, path: this.#pathOf(init), size: this.#knownSize(init), entries });
  }

  #node(expr: Expr): SizedNode {
    const type = this.#typeOf(expr);
    const size = this.#knownSize(expr);
    const literal = expr.kind === "literal" && typeof expr.value === "number" ? { literalInt: expr.value } : {};
    const known = size === undefined ? {} : { knownSize: size };
    return { type, size: size ?? UNKNOWN_SIZE, itemSize: () => this.#itemSize(expr), ...known, ...literal };
  }

  /** Only a schema says how large the elements of a list are; those of literals and results are not asked. */
  #itemSize(expr: Expr): Range {
    const path = this.#pathOf(expr);
    return (path === undefined ? undefined : this.#sizeAt([...path, "@items"])) ?? UNKNOWN_SIZE;
  }

  #size(expr: Expr): Range {
    return this.#knownSize(expr) ?? UNKNOWN_SIZE;
  }

  #knownSize(expr: Expr): Range | undefined {
    const known = this.#sizes.get(expr.id) ?? literalSize(expr);
    if (known !== undefined) return known;
    const path = this.#pathOf(expr);
    const hinted = path === undefined ? undefined : this.#sizeAt(path);
    if (hinted !== undefined) return hinted;
    const scalar = scalarSize(this.#typeOf(expr));
    if (scalar !== undefined) return scalar;
    return expr.kind === "ident" ? this.#local(expr.name)?.size : undefined;
  }

  #entriesOf(expr: Expr): EntrySizes | undefined {
    const known = this.#entries.get(expr.id);
    if (known !== undefined) return known;
    return expr.kind === "ident" ? this.#local(expr.name)?.entries : undefined;
  }

  #pathOf(expr: Expr): readonly string[] | undefined {
    const local = expr.kind === "ident" ? this.#local(expr.name) : undefined;
    return local === undefined ? this.#paths.get(expr.id) : local.path;
  }

  #extendPath(expr: Expr, operand: Expr, name: string): void {
    this.#paths.set(expr.id, [...(this.#pathOf(operand) ?? []), name]);
  }

  #copySizes(to: Expr, from: Expr): void {
    const size = this.#knownSize(from);
    if (size !== undefined) this.#sizes.set(to.id, size);
    const entries = this.#entriesOf(from);
    if (entries !== undefined) this.#entries.set(to.id, entries);
  }

  #typeOf(expr: Expr): CelType {
    return this.#checked.types[expr.id] ?? DYN;
  }

  #local(name: string): Local | undefined {
    for (let index = this.#locals.length - 1; index >= 0; index--) {
      if (this.#locals[index]?.name === name) return this.#locals[index];
    }
    return undefined;
  }
}

/** Only fields of these are counted; others are only known when they are there. */
const SELECTED: ReadonlySet<string> = new Set(["map", "struct", "param"]);

function logicalCost([left = NOTHING, right = NOTHING]: readonly Range[]): Range {
  // At best the left side decides.
  return { min: left.min, max: left.max + right.max };
}

function joinEntries(a: EntrySizes | undefined, b: EntrySizes | undefined): EntrySizes | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { container: a.container, key: unionRanges(a.key, b.key), value: unionRanges(a.value, b.value) };
}

function isBind(expr: Comprehension): boolean {
  const { range, condition } = expr;
  return (
    range.kind === "list" && range.elements.length === 0 && condition.kind === "literal" && condition.value === false
  );
}

function literalSize(expr: Expr): Range | undefined {
  if (expr.kind === "literal") return exactly(isScalarValue(expr.value) ? 1 : sizeOf(expr.value));
  if (expr.kind === "list") return exactly(expr.elements.length);
  return expr.kind === "map" ? exactly(expr.entries.length) : undefined;
}

function isScalarValue(value: CelValue): boolean {
  return (
    value === null ||
    typeof value === "number" ||
    typeof value === "bigint" ||
    typeof value === "boolean" ||
    value instanceof CelDouble ||
    value instanceof CelUint
  );
}

const SCALARS: ReadonlySet<string> = new Set(["bool", "double", "duration", "int", "timestamp", "uint"]);

/** Sizes that a type has whatever the value is. */
function scalarSize(type: CelType): Range | undefined {
  if (SCALARS.has(type.kind)) return ONE;
  return isOptionalType(type) ? scalarSize(firstParam(type)) : undefined;
}
