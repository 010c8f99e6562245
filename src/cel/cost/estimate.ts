// The static estimate: bounds of what an evaluation can cost, from the sizes that schemas declare.
// The same units and rules as upstream's, so that a rule is refused here when it is refused there.

import type { CheckedExpr } from "../checker/check.ts";
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

/** Bounds of the size at a path below a variable: property names, `@items`, `@keys`, `@values`. */
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
        return this.#identCost(expr);
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
        const entries: EntrySizes = {
          container: "map",
          key: this.#unionOfSizes(keys),
          value: this.#unionOfSizes(values),
        };
        this.#entries.set(expr.id, entries);
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

  #identCost(expr: Expr & { kind: "ident" }): Range {
    const reference = this.#checked.references[expr.id];
    if (reference?.kind === "variable") {
      this.#paths.set(expr.id, [reference.declaration.name]);
      return reference.declaration.constant === undefined ? ONE : NOTHING;
    }
    const local = this.#local(expr.name);
    if (local?.path !== undefined) this.#paths.set(expr.id, local.path);
    return ONE;
  }

  #selectCost(expr: Select): Range {
    const reference = this.#checked.references[expr.id];
    if (reference?.kind === "variable") {
      this.#paths.set(expr.id, [reference.declaration.name]);
      return reference.declaration.constant === undefined ? ONE : NOTHING;
    }
    const cost = this.cost(expr.operand);
    if (expr.testOnly) return cost;
    this.#extendPath(expr, expr.operand, expr.field);
    return addRanges(cost, ONE);
  }

  #callCost(expr: Call): Range {
    const reference = this.#checked.references[expr.id];
    const qualified = reference?.kind === "function" && reference.qualified;
    const args = expr.target === undefined || qualified ? expr.args : [expr.target, ...expr.args];
    const costs = args.map((arg) => this.cost(arg));
    if (expr.fn === Op.and || expr.fn === Op.or) return logicalCost(costs);
    if (expr.fn === Op.conditional) return this.#conditionalCost(expr, costs);
    const argsCost = costs.reduce(addRanges, NOTHING);
    if (expr.fn === "dyn" && args[0] !== undefined) this.#copySizes(expr, args[0]);
    const overloads = reference?.kind === "function" ? reference.overloads : [];
    const nodes = args.map((arg) => this.#node(arg));
    const estimates = overloads.map((overload): CallEstimate => overload.estimate?.(nodes) ?? { cost: ONE });
    const cost = estimates.length === 0 ? ONE : estimates.map((estimate) => estimate.cost).reduce(unionRanges);
    const resultSizes = estimates.flatMap((estimate) => estimate.resultSize ?? []);
    if (resultSizes.length > 0) this.#sizes.set(expr.id, resultSizes.reduce(unionRanges));
    this.#followCall(expr, args);
    return addRanges(argsCost, cost);
  }

  /** What is known of the operands goes on into indexed and joined values. */
  #followCall(expr: Call, args: readonly Expr[]): void {
    const [first, second] = args;
    if (first === undefined) return;
    if (expr.fn === Op.index || expr.fn === Op.optIndex) {
      const list = this.#unwrapped(first).kind === "list";
      const entries = this.#entriesOf(first);
      if (entries !== undefined) this.#sizes.set(expr.id, entries.value);
      this.#extendPath(expr, first, list ? "@items" : "@values");
    } else if (expr.fn === Op.optSelect && second?.kind === "literal") {
      this.#extendPath(expr, first, String(second.value));
    } else if (expr.fn === "value" && isOptionalType(this.#typeOf(first))) {
      this.#copySizes(expr, first);
    } else if ((expr.fn === "orValue" || expr.fn === "or") && second !== undefined) {
      this.#sizes.set(expr.id, unionRanges(this.#size(first), this.#size(second)));
      const either = joinEntries(this.#entriesOf(first), this.#entriesOf(second));
      if (either !== undefined) this.#entries.set(expr.id, either);
    } else if (expr.fn === "optional.of" || expr.fn === "optional.ofNonZeroValue") {
      this.#copySizes(expr, first);
    } else if (expr.fn === Op.add && second !== undefined) {
      const left = this.#entriesOf(first);
      const right = this.#entriesOf(second);
      const joined = joinEntries(left, right);
      if (joined !== undefined) this.#entries.set(expr.id, joined);
    }
  }

  #conditionalCost(expr: Call, costs: readonly Range[]): Range {
    const [condition = NOTHING, whenTrue = NOTHING, whenFalse = NOTHING] = costs;
    const [, yes, no] = expr.args;
    if (yes !== undefined && no !== undefined) {
      this.#sizes.set(expr.id, unionRanges(this.#size(yes), this.#size(no)));
      const entries = joinEntries(this.#entriesOf(yes), this.#entriesOf(no));
      if (entries !== undefined) this.#entries.set(expr.id, entries);
    }
    return addRanges(condition, unionRanges(whenTrue, whenFalse));
  }

  #loopCost(expr: Comprehension): Range {
    const before = addRanges(this.cost(expr.range), this.cost(expr.init));
    const path = this.#pathOf(expr.range);
    const entries = this.#entriesOf(expr.range);
    const list = (entries?.container ?? this.#unwrapped(expr.range).kind) === "list";
    const elementPath = path && [...path, list ? "@items" : "@values"];
    const keyPath = path && [...path, list ? "@indices" : "@keys"];
    const element: Omit<Local, "name"> = { path: elementPath, size: entries?.value, entries: undefined };
    const key: Omit<Local, "name"> = { path: keyPath, size: entries?.key, entries: undefined };

    this.#locals.push({
      name: expr.accuVar,
      path: undefined,
      size: this.#knownSize(expr.init),
      entries: this.#entriesOf(expr.init),
    });
    if (expr.iterVar2 === undefined) {
      this.#locals.push({ name: expr.iterVar, ...(list ? element : key) });
    } else {
      this.#locals.push({ name: expr.iterVar, ...key }, { name: expr.iterVar2, ...element });
    }
    const turn = addRanges(this.cost(expr.condition), this.cost(expr.step));
    this.#locals.length -= expr.iterVar2 === undefined ? 1 : 2;
    const after = this.cost(expr.result);
    this.#locals.pop();

    const count = this.#size(expr.range);
    if (expr.init.kind === "list" || expr.init.kind === "map") {
      this.#sizes.set(expr.id, { min: 0, max: count.max });
      const made = this.#elementEntries(expr.step);
      if (made !== undefined) this.#entries.set(expr.id, made);
    } else if (expr.init.kind === "literal") {
      this.#sizes.set(expr.id, this.#size(expr.init));
    }
    return addRanges(addRanges(before, after), multiplyRanges(count, turn));
  }

  /** Sizes of what the step of `map` or `filter` appends. */
  #elementEntries(step: Expr): EntrySizes | undefined {
    if (step.kind === "call" && step.fn === Op.conditional && step.args[1] !== undefined) {
      return this.#elementEntries(step.args[1]);
    }
    const appended = step.kind === "call" && step.fn === Op.add ? step.args[1] : undefined;
    return appended === undefined ? undefined : this.#entriesOf(appended);
  }

  #bindCost(expr: Comprehension): Range {
    const cost = addRanges(this.cost(expr.range), this.cost(expr.init));
    const { init } = expr;
    const local = { path: this.#pathOf(init), size: this.#knownSize(init), entries: this.#entriesOf(init) };
    this.#locals.push({ name: expr.accuVar, ...local });
    const total = addRanges(cost, this.cost(expr.result));
    this.#copySizes(expr, expr.result);
    this.#locals.pop();
    return total;
  }

  #node(expr: Expr): SizedNode {
    const type = this.#typeOf(expr);
    const literal = expr.kind === "literal" && typeof expr.value === "number" ? { literalInt: expr.value } : {};
    return { type, size: this.#size(expr), itemSize: () => this.#itemSize(expr, type), ...literal };
  }

  #itemSize(expr: Expr, type: CelType): Range {
    const entries = this.#entriesOf(expr);
    if (entries !== undefined) return entries.value;
    const path = this.#pathOf(expr);
    const hinted = path === undefined ? undefined : this.#sizeAt([...path, "@items"]);
    return hinted ?? scalarSize(firstParam(type)) ?? UNKNOWN_SIZE;
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
    return this.#paths.get(expr.id) ?? (expr.kind === "ident" ? this.#local(expr.name)?.path : undefined);
  }

  #extendPath(expr: Expr, operand: Expr, name: string): void {
    const path = this.#pathOf(operand);
    if (path !== undefined) this.#paths.set(expr.id, [...path, name]);
  }

  #copySizes(to: Expr, from: Expr): void {
    const size = this.#knownSize(from);
    if (size !== undefined) this.#sizes.set(to.id, size);
    const entries = this.#entriesOf(from);
    if (entries !== undefined) this.#entries.set(to.id, entries);
    const path = this.#pathOf(from);
    if (path !== undefined) this.#paths.set(to.id, path);
  }

  #typeOf(expr: Expr): CelType {
    return this.#checked.types[expr.id] ?? DYN;
  }

  #unwrapped(expr: Expr): CelType {
    const type = this.#typeOf(expr);
    return isOptionalType(type) ? firstParam(type) : type;
  }

  #local(name: string): Local | undefined {
    for (let index = this.#locals.length - 1; index >= 0; index--) {
      if (this.#locals[index]?.name === name) return this.#locals[index];
    }
    return undefined;
  }
}

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
  // Optional elements may be left out.
  if (expr.kind === "list") return { min: expr.elements.length - expr.optionals.length, max: expr.elements.length };
  if (expr.kind === "map") {
    const certain = expr.entries.filter((entry) => !entry.optional).length;
    return { min: certain, max: expr.entries.length };
  }
  return undefined;
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

const SCALARS = new Set(["bool", "double", "duration", "int", "timestamp", "uint", "null", "type"]);

/** Sizes that a type has whatever the value is. */
function scalarSize(type: CelType): Range | undefined {
  if (SCALARS.has(type.kind)) return ONE;
  if (isOptionalType(type)) return scalarSize(firstParam(type));
  return undefined;
}
