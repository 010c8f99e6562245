// Tree to text: the shortest usual spelling that reads back as the same tree.

import { CelDouble, CelUint, type CelValue } from "../values.ts";
import { type Call, type Expr, Op, type ParsedExpr } from "./ast.ts";

export function unparse(parsed: ParsedExpr): string {
  return new Printer(parsed).print(parsed.expr, LOWEST);
}

/** Text that stands anywhere a whole expression may. */
const LOWEST = 0;
const OR = 1;
const AND = 2;
const RELATION = 3;
const SUM = 4;
const PRODUCT = 5;
const UNARY = 6;
const MEMBER = 7;

const OPERATORS = new Map<string, { symbol: string; precedence: number }>([
  [Op.or, { symbol: "||", precedence: OR }],
  [Op.and, { symbol: "&&", precedence: AND }],
  [Op.equals, { symbol: "==", precedence: RELATION }],
  [Op.notEquals, { symbol: "!=", precedence: RELATION }],
  [Op.less, { symbol: "<", precedence: RELATION }],
  [Op.lessEquals, { symbol: "<=", precedence: RELATION }],
  [Op.greater, { symbol: ">", precedence: RELATION }],
  [Op.greaterEquals, { symbol: ">=", precedence: RELATION }],
  [Op.in, { symbol: "in", precedence: RELATION }],
  [Op.add, { symbol: "+", precedence: SUM }],
  [Op.subtract, { symbol: "-", precedence: SUM }],
  [Op.multiply, { symbol: "*", precedence: PRODUCT }],
  [Op.divide, { symbol: "/", precedence: PRODUCT }],
  [Op.modulo, { symbol: "%", precedence: PRODUCT }],
]);

class Printer {
  readonly #parsed: ParsedExpr;

  constructor(parsed: ParsedExpr) {
    this.#parsed = parsed;
  }

  print(expr: Expr, context: number): string {
    const written = this.#parsed.macroCalls.get(expr.id);
    if (written !== undefined) return this.#call(written, context);
    switch (expr.kind) {
      case "literal":
        return literal(expr.value);
      case "ident":
        return expr.name;
      case "select":
        return `${this.print(expr.operand, MEMBER)}.${fieldName(expr.field)}`;
      case "call":
        return this.#call(expr, context);
      case "list": {
        const elements = expr.elements.map((element, index) => {
          return `${expr.optionals.includes(index) ? "?" : ""}${this.print(element, LOWEST)}`;
        });
        return `[${elements.join(", ")}]`;
      }
      case "map": {
        const entries = expr.entries.map((entry) => {
          return `${entry.optional ? "?" : ""}${this.print(entry.key, LOWEST)}: ${this.print(entry.value, LOWEST)}`;
        });
        return `{${entries.join(", ")}}`;
      }
      case "struct": {
        const fields = expr.fields.map((field) => {
          return `${field.optional ? "?" : ""}${fieldName(field.name)}: ${this.print(field.value, LOWEST)}`;
        });
        return `${expr.typeName}{${fields.join(", ")}}`;
      }
      case "comprehension":
        throw new Error("a comprehension that no macro made has no spelling");
    }
  }

  #call(call: Call, context: number): string {
    const [first, second, third] = call.args;
    if (call.target === undefined && first !== undefined) {
      const operator = OPERATORS.get(call.fn);
      if (operator !== undefined && second !== undefined) {
        const { symbol, precedence } = operator;
        const chain = precedence <= AND ? this.#balancedChain(call) : undefined;
        if (chain !== undefined) {
          const terms = chain.map((term) => this.print(term, precedence + 1));
          return bracket(terms.join(` ${symbol} `), precedence < context);
        }
        const left = this.print(first, precedence <= AND ? precedence + 1 : precedence);
        const right = this.print(second, precedence + 1);
        return bracket(`${left} ${symbol} ${right}`, precedence < context);
      }
      if (call.fn === Op.conditional && second !== undefined && third !== undefined) {
        const text = `${this.print(first, OR)} ? ${this.print(second, OR)} : ${this.print(third, LOWEST)}`;
        return bracket(text, context > LOWEST);
      }
      if (call.fn === Op.not) return bracket(`!${this.#operand(first)}`, context > UNARY);
      if (call.fn === Op.negate) return bracket(`-${this.#operand(first)}`, context > UNARY);
      if (call.fn === Op.index && second !== undefined) {
        return `${this.print(first, MEMBER)}[${this.print(second, LOWEST)}]`;
      }
      if (call.fn === Op.optIndex && second !== undefined) {
        return `${this.print(first, MEMBER)}[?${this.print(second, LOWEST)}]`;
      }
      if (call.fn === Op.optSelect && second?.kind === "literal") {
        return `${this.print(first, MEMBER)}.?${fieldName(String(second.value))}`;
      }
    }
    const args = call.args.map((arg) => this.print(arg, LOWEST)).join(", ");
    if (call.target === undefined) return `${call.fn}(${args})`;
    return `${this.print(call.target, MEMBER)}.${call.fn}(${args})`;
  }

  /** The terms of a chain of `&&` or `||` that reading would balance into exactly this tree. */
  #balancedChain(call: Call): Expr[] | undefined {
    const terms: Expr[] = [];
    const collect = (expr: Expr): void => {
      if (expr.kind === "call" && expr.fn === call.fn && !this.#parsed.macroCalls.has(expr.id)) {
        for (const arg of expr.args) collect(arg);
      } else {
        terms.push(expr);
      }
    };
    collect(call);
    const fits = (expr: Expr, low: number, high: number): boolean => {
      if (expr.kind !== "call" || expr.fn !== call.fn) return false;
      const [left, right] = expr.args;
      const middle = (low + high + 1) >> 1;
      const leftFits = middle === low ? left === terms[middle] : left !== undefined && fits(left, low, middle - 1);
      if (!leftFits) return false;
      return middle === high ? right === terms[middle + 1] : right !== undefined && fits(right, middle + 1, high);
    };
    return fits(call, 0, terms.length - 2) ? terms : undefined;
  }

  /** A number after a sign would become part of the literal, and a second sign would cancel the first. */
  #operand(expr: Expr): string {
    const written = this.#parsed.macroCalls.get(expr.id) ?? expr;
    const unary = written.kind === "call" && (written.fn === Op.not || written.fn === Op.negate);
    const text = this.print(expr, unary ? LOWEST : MEMBER);
    return unary || /^[-.0-9]/.test(text) ? `(${text})` : text;
  }
}

function bracket(text: string, needed: boolean): string {
  return needed ? `(${text})` : text;
}

function fieldName(name: string): string {
  return /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name) && !["in", "true", "false", "null"].includes(name)
    ? name
    : `\`${name}\``;
}

function literal(value: CelValue): string {
  if (typeof value === "string") return quote(value);
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof CelDouble) {
    if (Object.is(value.value, -0)) return "-0.0";
    const text = String(value.value);
    return /[.e]/.test(text) ? text.replace("e+", "e") : `${text}.0`;
  }
  if (value instanceof Uint8Array) {
    const escaped = Array.from(value, (byte) => {
      const plain = byte >= 32 && byte < 127 && byte !== 34 && byte !== 92;
      return plain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`;
    });
    return `b"${escaped.join("")}"`;
  }
  return String(value);
}

function quote(text: string): string {
  const escaped = text.replace(/[\\"\x00-\x1f\x7f]/g, (char) => {
    if (char === "\\" || char === '"') return `\\${char}`;
    return `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
  return `"${escaped}"`;
}
