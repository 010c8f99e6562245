// Tables of the grammar: reserved words, binary operators, macros by their call.

import { Op } from "./ast.ts";
import { T } from "./lexer.ts";
import type { Macro } from "./macros.ts";

/** Macros by name, receiver and number of arguments. */
export type MacroTable = ReadonlyMap<string, Macro>;

export function macroTable(macros: Iterable<Macro>): MacroTable {
  return new Map(Array.from(macros, (macro) => [macroKey(macro.name, macro.member, macro.arity), macro]));
}

export function macroKey(name: string, member: boolean, arity: number | undefined): string {
  return `${name}:${arity ?? "*"}:${member}`;
}

/** Words that cannot be names. */
export const RESERVED = new Set([
  "as",
  "break",
  "const",
  "continue",
  "else",
  "false",
  "for",
  "function",
  "if",
  "import",
  "in",
  "let",
  "loop",
  "package",
  "namespace",
  "null",
  "return",
  "true",
  "var",
  "void",
  "while",
]);

/** Binary operators below `&&`: how tightly they bind, and their function. */
export const BINARY = new Map<number, { precedence: number; fn: string }>([
  [T.equals, { precedence: 1, fn: Op.equals }],
  [T.notEquals, { precedence: 1, fn: Op.notEquals }],
  [T.less, { precedence: 1, fn: Op.less }],
  [T.lessEquals, { precedence: 1, fn: Op.lessEquals }],
  [T.greater, { precedence: 1, fn: Op.greater }],
  [T.greaterEquals, { precedence: 1, fn: Op.greaterEquals }],
  [T.in, { precedence: 1, fn: Op.in }],
  [T.plus, { precedence: 2, fn: Op.add }],
  [T.minus, { precedence: 2, fn: Op.subtract }],
  [T.star, { precedence: 3, fn: Op.multiply }],
  [T.slash, { precedence: 3, fn: Op.divide }],
  [T.percent, { precedence: 3, fn: Op.modulo }],
]);

/** What an operand can begin with, as errors list it. */
export const PRIMARY_START =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
