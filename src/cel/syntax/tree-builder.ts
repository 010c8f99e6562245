// Makes nodes: hands out ids and keeps the height and the size of every tree within their limits.

import { MAX_TREE_HEIGHT, MAX_TREE_NODES } from "../limits.ts";
import type { CelValue } from "../values.ts";
import { ACCUMULATOR, type Call, type Comprehension, type Expr, type MapEntry, type StructField } from "./ast.ts";
import type { ComprehensionParts, MacroBuilder } from "./macros.ts";

/** Thrown inside the parser only: the tree is more than any later stage will follow. */
export class TreeTooLarge {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

export class TreeBuilder {
  #heights: number[] = [];

  get idCount(): number {
    return this.#heights.length;
  }

  nextId(): number {
    return this.#add(1);
  }

  literal(offset: number, value: CelValue): Expr {
    return { kind: "literal", id: this.nextId(), offset, value };
  }

  ident(offset: number, name: string): Expr {
    return { kind: "ident", id: this.nextId(), offset, name };
  }

  select(offset: number, operand: Expr, field: string, testOnly = false): Expr {
    return { kind: "select", id: this.#parentAt(this.#heights[operand.id] ?? 0), offset, operand, field, testOnly };
  }

  call(offset: number, fn: string, target: Expr | undefined, args: readonly Expr[]): Call {
    const id = this.#parentOf(args, target === undefined ? 0 : this.#heights[target.id]);
    return { kind: "call", id, offset, fn, target, args };
  }

  list(offset: number, elements: readonly Expr[], optionals: readonly number[]): Expr {
    return { kind: "list", id: this.#parentOf(elements), offset, elements, optionals };
  }

  map(offset: number, entries: readonly MapEntry[]): Expr {
    const children = entries.flatMap((entry) => [entry.key, entry.value]);
    return { kind: "map", id: this.#parentOf(children), offset, entries };
  }

  struct(offset: number, typeName: string, fields: readonly StructField[]): Expr {
    const id = this.#parentOf(fields.map((field) => field.value));
    return { kind: "struct", id, offset, typeName, fields };
  }

  comprehension(offset: number, parts: ComprehensionParts): Comprehension {
    const { range, iterVar, iterVar2, accuVar = ACCUMULATOR, init, condition, step, result } = parts;
    const id = this.#parentOf([range, init, condition, step, result]);
    return { kind: "comprehension", id, offset, range, iterVar, iterVar2, accuVar, init, condition, step, result };
  }

  /** A builder for one macro call: everything it makes stands at the place of that call. */
  forMacro(offset: number): MacroBuilder {
    return {
      literal: (value) => this.literal(offset, value),
      ident: (name) => this.ident(offset, name),
      call: (fn, ...args) => this.call(offset, fn, undefined, args),
      memberCall: (target, fn, ...args) => this.call(offset, fn, target, args),
      list: (...elements) => this.list(offset, elements, []),
      emptyMap: () => this.map(offset, []),
      select: (operand, field) => this.select(offset, operand, field),
      testOnly: (operand, field) => this.select(offset, operand, field, true),
      comprehension: (parts) => this.comprehension(offset, parts),
      copy: (expr) => this.copy(expr),
    };
  }

  copy(expr: Expr): Expr {
    switch (expr.kind) {
      case "literal":
        return this.literal(expr.offset, expr.value);
      case "ident":
        return this.ident(expr.offset, expr.name);
      case "select":
        return this.select(expr.offset, this.copy(expr.operand), expr.field, expr.testOnly);
      case "call": {
        const target = expr.target === undefined ? undefined : this.copy(expr.target);
        return this.call(
          expr.offset,
          expr.fn,
          target,
          expr.args.map((arg) => this.copy(arg)),
        );
      }
      case "list": {
        const elements = expr.elements.map((element) => this.copy(element));
        return this.list(expr.offset, elements, expr.optionals);
      }
      case "map": {
        const entries = expr.entries.map((entry) => ({
          id: this.nextId(),
          key: this.copy(entry.key),
          value: this.copy(entry.value),
          optional: entry.optional,
        }));
        return this.map(expr.offset, entries);
      }
      case "struct": {
        const fields = expr.fields.map((field) => ({ ...field, id: this.nextId(), value: this.copy(field.value) }));
        return this.struct(expr.offset, expr.typeName, fields);
      }
      case "comprehension":
        return this.comprehension(expr.offset, {
          range: this.copy(expr.range),
          iterVar: expr.iterVar,
          ...(expr.iterVar2 === undefined ? {} : { iterVar2: expr.iterVar2 }),
          accuVar: expr.accuVar,
          init: this.copy(expr.init),
          condition: this.copy(expr.condition),
          step: this.copy(expr.step),
          result: this.copy(expr.result),
        });
    }
  }

  /** The id of a node above these and above one of that height. */
  #parentOf(children: readonly Expr[], least = 0): number {
    let height = least;
    for (const child of children) height = Math.max(height, this.#heights[child.id] ?? 0);
    return this.#parentAt(height);
  }

  #parentAt(height: number): number {
    if (height >= MAX_TREE_HEIGHT) {
      throw new TreeTooLarge(`expression recursion limit exceeded: ${MAX_TREE_HEIGHT}`);
    }
    return this.#add(height + 1);
  }

  #add(height: number): number {
    const id = this.#heights.push(height) - 1;
    if (id === MAX_TREE_NODES) throw new TreeTooLarge(`expression has too many parts, limit ${MAX_TREE_NODES}`);
    return id;
  }
}
