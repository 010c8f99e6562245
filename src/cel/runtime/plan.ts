// The planner: turns a checked tree into closures. Names become slots, overloads become direct calls, and what the
// checker proved is not tested again.

import type { CheckedExpr, Reference } from "../checker/checked.ts";
import { candidateNames, type VariableDeclaration } from "../checker/scope.ts";
import type { FunctionDeclaration, Overload, StructDeclaration, TypeProvider } from "../declarations.ts";
import { CelError } from "../errors.ts";
import { type Call, type Expr, type Ident, Op, qualifiedName, type Select } from "../syntax/ast.ts";
import { type CelType, DYN } from "../types.ts";
import type { CelValue } from "../values.ts";
import { constantStep } from "./constants.ts";
import type { ProgramVariable, Step } from "./frame.ts";
import { planCall } from "./plan-call.ts";
import { planField, planHas } from "./plan-field.ts";
import { planIndex, planOptionalSelect } from "./plan-index.ts";
import { planList, planMap, planStruct } from "./plan-literals.ts";
import { planComprehension } from "./plan-loop.ts";
import { OPERATOR_PLANS } from "./plan-operators.ts";
import { pausableCall, pausableRead } from "./plan-pausable.ts";
import {
  ATTRIBUTE_COST,
  beginsWithChoice,
  type CalledFunction,
  type LocalOptions,
  type Planner,
  UNREAD,
} from "./planner.ts";

interface PlanEnvironment {
  readonly variables: ReadonlyMap<string, VariableDeclaration>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly types: TypeProvider;
  readonly container: string;
  adapterOf(variable: VariableDeclaration): (raw: unknown) => CelValue;
}

export interface Plan {
  readonly step: Step;
  readonly variables: readonly ProgramVariable[];
  readonly localCount: number;
}

/** Throws an InstantiationError for a constant that cannot be worked out. */
export function plan(checked: CheckedExpr, environment: PlanEnvironment, pausable: boolean): Plan {
  const planner = new TreePlanner(checked, environment, pausable);
  const step = planner.plan(checked.expr);
  return { step, variables: planner.variables, localCount: planner.localCount };
}

interface Scope extends LocalOptions {
  readonly name: string;
  readonly slot: number;
}

class TreePlanner implements Planner {
  readonly variables: ProgramVariable[] = [];
  localCount = 0;
  readonly pausable: boolean;
  readonly #checked: CheckedExpr;
  readonly #environment: PlanEnvironment;
  readonly #scopes: Scope[] = [];

  constructor(checked: CheckedExpr, environment: PlanEnvironment, pausable: boolean) {
    this.pausable = pausable;
    this.#checked = checked;
    this.#environment = environment;
  }

  plan(expr: Expr): Step {
    return this.#plan(expr, beginsWithChoice(expr) ? 0 : ATTRIBUTE_COST);
  }

  planPart(expr: Expr): Step {
    return this.#plan(expr, 0);
  }

  /** `unit`: what an attribute costs beside its parts. */
  #plan(expr: Expr, unit: number): Step {
    switch (expr.kind) {
      case "literal":
        return constantStep(expr.value);
      case "ident":
        return this.#ident(expr, unit);
      case "select":
        return this.#select(expr, unit);
      case "call":
        return this.#call(expr, unit);
      case "list":
        return planList(this, expr);
      case "map":
        return planMap(this, expr);
      case "struct": {
        const reference = this.#checked.references[expr.id];
        return planStruct(this, expr, reference?.kind === "struct" ? reference.declaration : undefined);
      }
      case "comprehension":
        return planComprehension(this, expr);
    }
  }

  typeOf(expr: Expr): CelType {
    return this.#checked.types[expr.id] ?? DYN;
  }

  overloadsOf(expr: Call): CalledFunction {
    const reference = this.#checked.references[expr.id];
    if (reference?.kind === "function") {
      const member = expr.target !== undefined && !reference.qualified;
      const args = member ? [expr.target as Expr, ...expr.args] : expr.args;
      return { name: reference.name, overloads: reference.overloads, args };
    }
    return this.#uncheckedOverloads(expr);
  }

  structOf(expr: Expr): StructDeclaration | undefined {
    const type = this.typeOf(expr);
    return type.kind === "struct" ? this.#environment.types.findStruct(type.name) : undefined;
  }

  open(name: string, local: LocalOptions = {}): number {
    const slot = this.localCount++;
    this.#scopes.push({ name, slot, ...local });
    return slot;
  }

  close(count: number): void {
    this.#scopes.length -= count;
  }

  jsonSlot(expr: Ident): number | undefined {
    const local = this.#localOf(expr);
    return local?.json ? local.slot : undefined;
  }

  globalSlot(expr: Ident): number | undefined {
    const reference = this.#checked.references[expr.id];
    if (reference?.kind !== "variable" || reference.declaration.constant !== undefined) return undefined;
    return this.#globalSlot(reference.declaration);
  }

  #localOf(expr: Ident): Scope | undefined {
    return this.#checked.references[expr.id]?.kind === "variable" ? undefined : this.#scope(expr.name);
  }

  #scope(name: string): Scope | undefined {
    for (let index = this.#scopes.length - 1; index >= 0; index--) {
      const scope = this.#scopes[index];
      if (scope?.name === name) return scope;
    }
    return undefined;
  }

  #ident(expr: Ident, unit: number): Step {
    const local = this.#localOf(expr);
    if (local === undefined) return this.#variable(this.#checked.references[expr.id], expr.name, unit);
    const { slot, init } = local;
    if (init !== undefined) {
      if (this.pausable) return pausableRead(slot, init, unit);
      return (frame) => {
        frame.cost += unit;
        if (frame.locals[slot] === UNREAD) frame.locals[slot] = init(frame);
        return frame.locals[slot] as CelValue;
      };
    }
    if (local.json) {
      return (frame) => {
        frame.cost += unit;
        return frame.local(slot);
      };
    }
    return (frame) => {
      frame.cost += unit;
      return frame.locals[slot] as CelValue;
    };
  }

  #variable(reference: Reference | undefined, name: string, unit: number): Step {
    const declaration = reference?.kind === "variable" ? reference.declaration : this.#findVariable(name);
    if (declaration === undefined) {
      const error = new CelError(`undeclared reference to '${name}' (in container '${this.#environment.container}')`);
      return () => error;
    }
    const { constant } = declaration;
    if (constant !== undefined) return constantStep(constant);
    const slot = this.#globalSlot(declaration);
    return (frame) => {
      frame.cost += unit;
      return frame.global(slot);
    };
  }

  #globalSlot(declaration: VariableDeclaration): number {
    // Expressions have few variables: a search is quicker than a map.
    const known = this.variables.findIndex((variable) => variable.name === declaration.name);
    if (known >= 0) return known;
    return this.variables.push({ name: declaration.name, adapt: this.#environment.adapterOf(declaration) }) - 1;
  }

  #select(expr: Select, unit: number): Step {
    const reference = this.#checked.references[expr.id];
    if (reference?.kind === "variable") return this.#variable(reference, "", unit);
    if (expr.testOnly) return planHas(this, expr);
    if (this.#checked.types[expr.id] === undefined || this.#checked.types[expr.id]?.kind === "error") {
      const unchecked = this.#uncheckedVariable(expr, unit);
      if (unchecked !== undefined) return unchecked;
    }
    return planField(this, expr, unit);
  }

  #call(expr: Call, unit: number): Step {
    if (expr.fn === Op.optSelect) return planOptionalSelect(this, expr, unit);
    if (expr.fn === Op.index || expr.fn === Op.optIndex) return planIndex(this, expr, unit);
    const planOperator = expr.target === undefined ? OPERATOR_PLANS.get(expr.fn) : undefined;
    const step = planOperator === undefined ? planCall(this, expr) : planOperator(this, expr);
    return this.pausable ? pausableCall(step) : step;
  }

  #findVariable(name: string): VariableDeclaration | undefined {
    for (const candidate of candidateNames(this.#environment.container, name)) {
      const found = this.#environment.variables.get(candidate);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Without the checker's help: `a.b` may be a variable of that name. */
  #uncheckedVariable(expr: Select, unit: number): Step | undefined {
    const name = qualifiedName(expr);
    if (name === undefined || this.#scope(name.split(".", 1)[0] ?? "") !== undefined) return undefined;
    return this.#findVariable(name) === undefined ? undefined : this.#variable(undefined, name, unit);
  }

  #uncheckedOverloads(expr: Call): CalledFunction {
    const prefix = expr.target === undefined ? undefined : qualifiedName(expr.target);
    const names = prefix === undefined ? [] : candidateNames(this.#environment.container, `${prefix}.${expr.fn}`);
    for (const name of expr.target === undefined ? candidateNames(this.#environment.container, expr.fn) : names) {
      const found = this.#environment.functions.get(name);
      if (found !== undefined) return { name, overloads: sameShape(found, expr.args.length, false), args: expr.args };
    }
    if (expr.target === undefined) return { name: expr.fn, overloads: [], args: expr.args };
    const found = this.#environment.functions.get(expr.fn);
    const overloads = found === undefined ? [] : sameShape(found, expr.args.length + 1, true);
    return { name: expr.fn, overloads, args: [expr.target, ...expr.args] };
  }
}

function sameShape(fn: FunctionDeclaration, count: number, member: boolean): Overload[] {
  return fn.overloads.filter((overload) => overload.member === member && overload.params.length === count);
}
