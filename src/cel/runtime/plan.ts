// The planner: turns a checked tree into closures. Names become slots, overloads become direct calls, and what the
// checker proved is not tested again.

import type { CheckedExpr, Reference } from "../checker/check.ts";
import { candidateNames, type VariableDeclaration } from "../checker/scope.ts";
import type { FunctionDeclaration, Overload, StructDeclaration, TypeProvider } from "../declarations.ts";
import { CelError, noSuchOverload } from "../errors.ts";
import {
  type Call,
  type Expr,
  type Ident,
  type ListExpr,
  type MapExpr,
  Op,
  qualifiedName,
  type Select,
  type StructExpr,
} from "../syntax/ast.ts";
import { type CelType, DYN } from "../types.ts";
import { CelOptional, type CelValue } from "../values.ts";
import type { ProgramVariable, Step } from "./frame.ts";
import { LiteralMap } from "./maps.ts";
import { optionalSelect } from "./operations.ts";
import { planCall } from "./plan-call.ts";
import { planField, planHas } from "./plan-field.ts";
import { planComprehension } from "./plan-loop.ts";
import { OPERATOR_PLANS } from "./plan-operators.ts";

export interface PlanEnvironment {
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

export function plan(checked: CheckedExpr, environment: PlanEnvironment): Plan {
  const planner = new Planner(checked, environment);
  const step = planner.plan(checked.expr);
  return { step, variables: planner.variables, localCount: planner.localCount };
}

export const IDENT_COST = 1;
export const SELECT_COST = 1;
export const LIST_COST = 10;
const MAP_COST = 30;
const STRUCT_COST = 40;

export class Planner {
  readonly variables: ProgramVariable[] = [];
  localCount = 0;
  readonly #checked: CheckedExpr;
  readonly #environment: PlanEnvironment;
  readonly #scopes: { name: string; slot: number; json: boolean }[] = [];

  constructor(checked: CheckedExpr, environment: PlanEnvironment) {
    this.#checked = checked;
    this.#environment = environment;
  }

  plan(expr: Expr): Step {
    switch (expr.kind) {
      case "literal": {
        const { value } = expr;
        return () => value;
      }
      case "ident":
        return this.#ident(expr);
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return this.#struct(expr);
      case "comprehension":
        return planComprehension(this, expr);
    }
  }

  typeOf(expr: Expr): CelType {
    return this.#checked.types[expr.id] ?? DYN;
  }

  /** The overloads that a call may mean; more than one only where arguments are dynamic. */
  overloadsOf(expr: Call): { overloads: readonly Overload[]; args: readonly Expr[] } {
    const reference = this.#checked.references[expr.id];
    if (reference?.kind === "function") {
      const member = expr.target !== undefined && !reference.qualified;
      return { overloads: reference.overloads, args: member ? [expr.target as Expr, ...expr.args] : expr.args };
    }
    return this.#uncheckedOverloads(expr);
  }

  /** The declaration of an expression's type, where that has fields. */
  structOf(expr: Expr): StructDeclaration | undefined {
    const type = this.typeOf(expr);
    return type.kind === "struct" ? this.#environment.types.findStruct(type.name) : undefined;
  }

  /** Opens a scope for a variable of a macro, which may hold JSON; `close` as many as were opened. */
  open(name: string, json = false): number {
    const slot = this.localCount++;
    this.#scopes.push({ name, slot, json });
    return slot;
  }

  close(count: number): void {
    this.#scopes.length -= count;
  }

  /** The slot of a name that means a local which may hold JSON. */
  jsonSlot(expr: Ident): number | undefined {
    const local = this.#localOf(expr);
    return local?.json ? local.slot : undefined;
  }

  /** The slot of a name that means a variable of the activation. */
  globalSlot(expr: Ident): number | undefined {
    const reference = this.#checked.references[expr.id];
    if (reference?.kind !== "variable" || reference.declaration.constant !== undefined) return undefined;
    return this.#globalSlot(reference.declaration);
  }

  #localOf(expr: Ident): { slot: number; json: boolean } | undefined {
    return this.#checked.references[expr.id]?.kind === "variable" ? undefined : this.#scope(expr.name);
  }

  #scope(name: string): { slot: number; json: boolean } | undefined {
    for (let index = this.#scopes.length - 1; index >= 0; index--) {
      const scope = this.#scopes[index];
      if (scope?.name === name) return scope;
    }
    return undefined;
  }

  #ident(expr: Ident): Step {
    const local = this.#localOf(expr);
    if (local === undefined) return this.#variable(this.#checked.references[expr.id], expr.name);
    const { slot } = local;
    if (local.json) {
      return (frame) => {
        frame.cost += IDENT_COST;
        return frame.local(slot);
      };
    }
    return (frame) => {
      frame.cost += IDENT_COST;
      return frame.locals[slot] as CelValue;
    };
  }

  #variable(reference: Reference | undefined, name: string): Step {
    const declaration = reference?.kind === "variable" ? reference.declaration : this.#findVariable(name);
    if (declaration === undefined) {
      const error = new CelError(`undeclared reference to '${name}' (in container '${this.#environment.container}')`);
      return () => error;
    }
    const { constant } = declaration;
    if (constant !== undefined) return () => constant;
    const slot = this.#globalSlot(declaration);
    return (frame) => {
      frame.cost += IDENT_COST;
      return frame.global(slot);
    };
  }

  #globalSlot(declaration: VariableDeclaration): number {
    // Expressions have few variables: a search is quicker than a map.
    const known = this.variables.findIndex((variable) => variable.name === declaration.name);
    if (known >= 0) return known;
    return this.variables.push({ name: declaration.name, adapt: this.#environment.adapterOf(declaration) }) - 1;
  }

  #select(expr: Select): Step {
    const reference = this.#checked.references[expr.id];
    if (reference?.kind === "variable") return this.#variable(reference, "");
    if (expr.testOnly) return planHas(this, expr);
    if (this.#checked.types[expr.id] === undefined || this.#checked.types[expr.id]?.kind === "error") {
      const unchecked = this.#uncheckedVariable(expr);
      if (unchecked !== undefined) return unchecked;
    }
    return planField(this, expr);
  }

  #call(expr: Call): Step {
    if (expr.fn === Op.optSelect) {
      const [operandExpr, fieldExpr] = expr.args;
      if (operandExpr === undefined || fieldExpr?.kind !== "literal") return () => noSuchOverload();
      const operand = this.plan(operandExpr);
      const field = String(fieldExpr.value);
      return (frame) => {
        frame.cost += SELECT_COST;
        return optionalSelect(operand(frame), field);
      };
    }
    const planOperator = expr.target === undefined ? OPERATOR_PLANS.get(expr.fn) : undefined;
    return planOperator === undefined ? planCall(this, expr) : planOperator(this, expr);
  }

  #list(expr: ListExpr): Step {
    const literals = expr.elements.flatMap((element) => (element.kind === "literal" ? [element.value] : []));
    if (literals.length === expr.elements.length && expr.optionals.length === 0) {
      return (frame) => {
        frame.cost += LIST_COST;
        return literals;
      };
    }
    const elements = expr.elements.map((element) => this.plan(element));
    if (expr.optionals.length > 0) return this.#optionalList(elements, new Set(expr.optionals));
    return (frame) => {
      const items: CelValue[] = [];
      for (const element of elements) {
        const value = element(frame);
        if (value instanceof CelError) return value;
        items.push(value);
      }
      frame.cost += LIST_COST;
      return items;
    };
  }

  #optionalList(elements: readonly Step[], optionals: ReadonlySet<number>): Step {
    return (frame) => {
      const items: CelValue[] = [];
      for (const [position, element] of elements.entries()) {
        const value = element(frame);
        if (value instanceof CelError) return value;
        if (!optionals.has(position)) items.push(value);
        else if (!(value instanceof CelOptional)) return notOptional(value);
        else if (value.value !== undefined) items.push(value.value);
      }
      frame.cost += LIST_COST;
      return items;
    };
  }

  #map(expr: MapExpr): Step {
    const entries = expr.entries.map((entry) => ({
      key: this.plan(entry.key),
      value: this.plan(entry.value),
      optional: entry.optional,
    }));
    return (frame) => {
      const map = new LiteralMap();
      for (const entry of entries) {
        const key = entry.key(frame);
        if (key instanceof CelError) return key;
        let value = entry.value(frame);
        if (value instanceof CelError) return value;
        if (entry.optional) {
          if (!(value instanceof CelOptional)) return notOptional(value);
          if (value.value === undefined) continue;
          value = value.value;
        }
        const problem = map.insert(key, value);
        if (problem !== undefined) return problem;
      }
      frame.cost += MAP_COST;
      return map;
    };
  }

  #struct(expr: StructExpr): Step {
    const reference = this.#checked.references[expr.id];
    const create = reference?.kind === "struct" ? reference.declaration.create?.bind(reference.declaration) : undefined;
    if (create === undefined) {
      const error = new CelError(`unknown type '${expr.typeName}'`);
      return () => error;
    }
    const fields = expr.fields.map((field) => ({
      name: field.name,
      value: this.plan(field.value),
      optional: field.optional,
    }));
    return (frame) => {
      const values = new Map<string, CelValue>();
      for (const field of fields) {
        const value = field.value(frame);
        if (value instanceof CelError) return value;
        if (!field.optional) values.set(field.name, value);
        else if (!(value instanceof CelOptional)) return notOptional(value);
        else if (value.value !== undefined) values.set(field.name, value.value);
      }
      frame.cost += STRUCT_COST;
      return create(values);
    };
  }

  #findVariable(name: string): VariableDeclaration | undefined {
    for (const candidate of candidateNames(this.#environment.container, name)) {
      const found = this.#environment.variables.get(candidate);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Without the checker's help: `a.b` may be a variable of that name. */
  #uncheckedVariable(expr: Select): Step | undefined {
    const name = qualifiedName(expr);
    if (name === undefined || this.#scope(name.split(".", 1)[0] ?? "") !== undefined) return undefined;
    return this.#findVariable(name) === undefined ? undefined : this.#variable(undefined, name);
  }

  #uncheckedOverloads(expr: Call): { overloads: readonly Overload[]; args: readonly Expr[] } {
    const prefix = expr.target === undefined ? undefined : qualifiedName(expr.target);
    const names = prefix === undefined ? [] : candidateNames(this.#environment.container, `${prefix}.${expr.fn}`);
    for (const name of expr.target === undefined ? candidateNames(this.#environment.container, expr.fn) : names) {
      const found = this.#environment.functions.get(name);
      if (found !== undefined) return { overloads: sameShape(found, expr.args.length, false), args: expr.args };
    }
    if (expr.target === undefined) return { overloads: [], args: expr.args };
    const found = this.#environment.functions.get(expr.fn);
    const overloads = found === undefined ? [] : sameShape(found, expr.args.length + 1, true);
    return { overloads, args: [expr.target, ...expr.args] };
  }
}

function sameShape(fn: FunctionDeclaration, count: number, member: boolean): Overload[] {
  return fn.overloads.filter((overload) => overload.member === member && overload.params.length === count);
}

function notOptional(value: CelValue): CelError {
  return new CelError(`cannot initialize optional entry from non-optional value ${String(value)}`);
}
