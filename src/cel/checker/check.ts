// The type checker: gives every node a type and every name a meaning, and collects all mistakes of an expression.

import type { FunctionDeclaration, Overload } from "../declarations.ts";
import type { CelIssue } from "../errors.ts";
import { MAX_REPORTED_ISSUES } from "../limits.ts";
import {
  type Call,
  type Comprehension,
  type Expr,
  type Ident,
  type ListExpr,
  type Literal,
  type MapExpr,
  Op,
  type ParsedExpr,
  qualifiedName,
  type Select,
  type StructExpr,
} from "../syntax/ast.ts";
import type { Source } from "../syntax/source.ts";
import {
  BOOL,
  CelType,
  DYN,
  ERROR,
  equalTypes,
  firstParam,
  formatType,
  INT,
  isDyn,
  isOptionalType,
  listOf,
  mapOf,
  optionalOf,
  secondParam,
} from "../types.ts";
import { typeOf } from "../values.ts";
import type { CheckedExpr, Reference } from "./checked.ts";
import { type CheckerEnvironment, Scope } from "./scope.ts";
import { suggest } from "./suggest.ts";
import { mostGeneral, Substitution } from "./unify.ts";

export function check(
  parsed: ParsedExpr,
  source: Source,
  environment: CheckerEnvironment,
): { checked: CheckedExpr; issues: readonly CelIssue[] } {
  return new Checker(parsed, source, environment).run();
}

class Checker {
  readonly #parsed: ParsedExpr;
  readonly #source: Source;
  readonly #environment: CheckerEnvironment;
  readonly #issues: CelIssue[] = [];
  readonly #types: (CelType | undefined)[];
  readonly #references: (Reference | undefined)[];
  readonly #substitution = new Substitution();
  readonly #scope: Scope;

  constructor(parsed: ParsedExpr, source: Source, environment: CheckerEnvironment) {
    this.#parsed = parsed;
    this.#source = source;
    this.#environment = environment;
    this.#scope = new Scope(environment);
    this.#types = new Array(parsed.idCount);
    this.#references = new Array(parsed.idCount);
  }

  run(): { checked: CheckedExpr; issues: readonly CelIssue[] } {
    this.#check(this.#parsed.expr);
    const types = this.#types;
    for (let id = 0; id < types.length; id++) {
      const type = types[id];
      if (type !== undefined) types[id] = this.#substitution.apply(type, true);
    }
    const { expr, idCount, macroCalls } = this.#parsed;
    return { checked: { expr, idCount, macroCalls, types, references: this.#references }, issues: this.#issues };
  }

  #check(expr: Expr): CelType {
    const type = this.#typeOf(expr);
    this.#types[expr.id] = type;
    return type;
  }

  #typeOf(expr: Expr): CelType {
    switch (expr.kind) {
      case "literal":
        return literalType(expr);
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
        return this.#comprehension(expr);
    }
  }

  #ident(expr: Ident): CelType {
    const local = this.#scope.local(expr.name);
    if (local !== undefined) {
      this.#references[expr.id] = { kind: "local", name: expr.name };
      return local;
    }
    const found = this.#scope.variable(expr.name);
    if (found !== undefined) {
      this.#references[expr.id] = { kind: "variable", declaration: found };
      return found.type;
    }
    this.#undeclared(expr.offset, expr.name, this.#scope.variableNames());
    return ERROR;
  }

  #select(expr: Select): CelType {
    if (!expr.testOnly && this.#scope.mayQualify(expr)) {
      const name = qualifiedName(expr);
      if (name !== undefined) {
        const found = this.#scope.variable(name);
        if (found !== undefined) {
          this.#references[expr.id] = { kind: "variable", declaration: found };
          return found.type;
        }
      }
    }
    const type = this.#field(expr.offset, expr.operand, expr.field, false);
    return expr.testOnly ? BOOL : type;
  }

  /** The type of a field of an operand; selections through optionals stay optional. */
  #field(offset: number, operand: Expr, field: string, optional: boolean): CelType {
    const operandType = this.#substitution.apply(this.#check(operand), false);
    const wrapped = isOptionalType(operandType);
    const target = wrapped ? firstParam(operandType) : operandType;
    const result = this.#plainField(offset, target, field);
    return this.#substitution.apply(wrapped || optional ? optionalOf(result) : result, false);
  }

  #plainField(offset: number, target: CelType, field: string): CelType {
    switch (target.kind) {
      case "map":
        return secondParam(target);
      case "struct": {
        const struct = this.#environment.types.findStruct(target.name);
        const type = struct?.field(field);
        if (type !== undefined) return type;
        this.#report(offset, `undefined field '${field}'`, { name: field, candidates: struct?.fieldNames() });
        return ERROR;
      }
      case "param":
        this.#substitution.assignable(DYN, target);
        return DYN;
      case "dyn":
      case "error":
        return DYN;
      default:
        this.#report(offset, `type '${formatType(target)}' does not support field selection`);
        return DYN;
    }
  }

  #call(expr: Call): CelType {
    if (expr.fn === Op.optSelect) {
      const [operand, field] = expr.args;
      if (operand === undefined || field?.kind !== "literal" || typeof field.value !== "string") return ERROR;
      this.#check(field);
      return this.#field(expr.offset, operand, field.value, true);
    }
    const argTypes: CelType[] = [];
    // A loop, as trees may be as high as the stack allows.
    for (const arg of expr.args) argTypes.push(this.#check(arg));
    if (expr.target === undefined) {
      const found = this.#scope.fn(expr.fn);
      if (found !== undefined) return this.#resolve(expr, found, argTypes, false, false);
      this.#undeclared(expr.offset, expr.fn, this.#environment.functions.keys());
      return ERROR;
    }
    const prefix = this.#scope.mayQualify(expr.target) ? qualifiedName(expr.target) : undefined;
    if (prefix !== undefined) {
      const qualified = this.#scope.fn(`${prefix}.${expr.fn}`);
      if (qualified !== undefined) return this.#resolve(expr, qualified, argTypes, false, true);
    }
    const targetType = this.#check(expr.target);
    const found = this.#environment.functions.get(expr.fn);
    if (found !== undefined) return this.#resolve(expr, found, [targetType, ...argTypes], true, false);
    this.#undeclared(expr.offset, expr.fn, this.#environment.functions.keys());
    return ERROR;
  }

  #resolve(expr: Call, fn: FunctionDeclaration, args: CelType[], member: boolean, qualified: boolean): CelType {
    if (fn.name === Op.and || fn.name === Op.or) return this.#resolveLogical(expr, fn, args);
    let result: CelType | undefined;
    const matching: Overload[] = [];
    for (const overload of fn.overloads) {
      if (overload.member !== member || overload.params.length !== args.length) continue;
      const { params, result: declared } = this.#instantiate(overload);
      if (!this.#substitution.assignableAll(args, params)) continue;
      matching.push(overload);
      const type = this.#substitution.apply(declared, false);
      if (result === undefined) result = type;
      else if (!isDyn(result) && !equalTypes(type, result)) result = DYN;
    }
    if (result === undefined) {
      const shown = args.map((arg) => formatType(this.#substitution.apply(arg, true)));
      const signature = member ? `${shown[0]}.(${shown.slice(1).join(", ")})` : `(${shown.join(", ")})`;
      this.#report(expr.offset, `found no matching overload for '${fn.name}' applied to '${signature}'`);
      return ERROR;
    }
    this.#references[expr.id] = { kind: "function", name: fn.name, overloads: matching, qualified };
    return result;
  }

  /** Each side of `&&` and `||` is told about on its own. */
  #resolveLogical(expr: Call, fn: FunctionDeclaration, args: CelType[]): CelType {
    let fits = true;
    for (let index = 0; index < args.length; index++) {
      const arg = args[index] as CelType;
      if (this.#substitution.assignable(arg, BOOL)) continue;
      fits = false;
      this.#mismatch(expr.args[index]?.offset ?? expr.offset, BOOL, arg);
    }
    if (!fits) return ERROR;
    this.#references[expr.id] = { kind: "function", name: fn.name, overloads: fn.overloads, qualified: false };
    return BOOL;
  }

  /** The overload's types with parameters of their own for this call. */
  #instantiate(overload: Overload): { params: readonly CelType[]; result: CelType } {
    if (!overload.generic) return overload;
    const fresh = new Map<string, CelType>();
    const replace = (type: CelType): CelType => {
      if (type.kind === "param") {
        const known = fresh.get(type.name) ?? this.#substitution.freshParam();
        fresh.set(type.name, known);
        return known;
      }
      return type.params.length === 0 ? type : new CelType(type.kind, type.name, type.params.map(replace));
    };
    return { params: overload.params.map(replace), result: replace(overload.result) };
  }

  #list(expr: ListExpr): CelType {
    let element: CelType | undefined;
    const optionals = new Set(expr.optionals);
    for (const [index, item] of expr.elements.entries()) {
      let type = this.#check(item);
      if (optionals.has(index)) type = this.#unwrapOptional(item, type);
      element = this.#join(element, type);
    }
    return listOf(element ?? this.#substitution.freshParam());
  }

  #map(expr: MapExpr): CelType {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of expr.entries) {
      key = this.#join(key, this.#check(entry.key));
      let type = this.#check(entry.value);
      if (entry.optional) type = this.#unwrapOptional(entry.value, type);
      value = this.#join(value, type);
    }
    return mapOf(key ?? this.#substitution.freshParam(), value ?? this.#substitution.freshParam());
  }

  #struct(expr: StructExpr): CelType {
    const found = this.#scope.struct(expr.typeName);
    if (found === undefined) {
      this.#undeclared(expr.offset, expr.typeName, []);
      for (const field of expr.fields) this.#check(field.value);
      return ERROR;
    }
    const struct = found.declaration;
    this.#references[expr.id] = { kind: "struct", ...found };
    for (const field of expr.fields) {
      let type = this.#check(field.value);
      const declared = struct.field(field.name);
      if (declared === undefined) {
        this.#report(field.offset, `undefined field '${field.name}'`, {
          name: field.name,
          candidates: struct.fieldNames(),
        });
        continue;
      }
      if (field.optional) type = this.#unwrapOptional(field.value, type);
      if (!this.#substitution.assignable(declared, type)) {
        const shown = `'${formatType(declared)}' but provided type is '${formatType(type)}'`;
        this.#report(field.offset, `expected type of field '${field.name}' is ${shown}`);
      }
    }
    return struct.type;
  }

  #comprehension(expr: Comprehension): CelType {
    const range = this.#substitution.apply(this.#check(expr.range), false);
    const accumulator = this.#check(expr.init);
    const [first, second] = this.#iterationTypes(expr, range);
    this.#scope.open(expr.accuVar, accumulator);
    this.#scope.open(expr.iterVar, first);
    if (expr.iterVar2 !== undefined) this.#scope.open(expr.iterVar2, second);
    this.#expectType(expr.condition, BOOL, this.#check(expr.condition));
    this.#expectType(expr.step, accumulator, this.#check(expr.step));
    this.#scope.close(expr.iterVar2 === undefined ? 1 : 2);
    const result = this.#check(expr.result);
    this.#scope.close(1);
    return this.#substitution.apply(result, false);
  }

  #iterationTypes(expr: Comprehension, range: CelType): [CelType, CelType] {
    const two = expr.iterVar2 !== undefined;
    switch (range.kind) {
      case "list":
        return two ? [INT, firstParam(range)] : [firstParam(range), DYN];
      case "map":
        return [firstParam(range), secondParam(range)];
      case "dyn":
      case "error":
      case "param":
        this.#substitution.assignable(DYN, range);
        return [DYN, DYN];
      default:
        this.#report(
          expr.range.offset,
          `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [ERROR, ERROR];
    }
  }

  #unwrapOptional(item: Expr, type: CelType): CelType {
    const known = this.#substitution.apply(type, false);
    if (isOptionalType(known)) return firstParam(known);
    if (!isDyn(known)) this.#mismatch(item.offset, optionalOf(known), known);
    return known;
  }

  #join(before: CelType | undefined, type: CelType): CelType {
    if (before === undefined) return type;
    return this.#substitution.assignable(before, type) ? mostGeneral(before, type) : DYN;
  }

  #expectType(expr: Expr, expected: CelType, type: CelType): void {
    if (!this.#substitution.assignable(expected, type)) this.#mismatch(expr.offset, expected, type);
  }

  #undeclared(offset: number, name: string, candidates: Iterable<string>): void {
    const message = `undeclared reference to '${name}' (in container '${this.#environment.container}')`;
    this.#report(offset, message, { name, candidates });
  }

  #mismatch(offset: number, expected: CelType, found: CelType): void {
    const shown = [expected, found].map((type) => formatType(this.#substitution.apply(type, true)));
    this.#report(offset, `expected type '${shown[0]}' but found '${shown[1]}'`);
  }

  /** `slip`: the name that is not there, and those that may have been meant. */
  #report(offset: number, message: string, slip?: { name: string; candidates: Iterable<string> | undefined }): void {
    if (this.#issues.length >= MAX_REPORTED_ISSUES) return;
    const suggestion = slip?.candidates === undefined ? undefined : suggest(slip.name, slip.candidates);
    this.#issues.push(this.#source.issue(offset, message, suggestion));
  }
}

function literalType(expr: Literal): CelType {
  return typeOf(expr.value);
}
