// Tables of the grammar: reserved words, binary operators, macros by their call.

import { Op } from "./ast.ts";
import { T } from "./lexer.ts";
import type { Macro } from "./macros.ts";

/** Macros by name; of two with the same shape the later one counts. */
export type MacroTable = ReadonlyMap<string, readonly Macro[]>;

export function macroTable(macros: Iterable<Macro>): MacroTable {
  const table = new Map<string, Macro[]>();
  for (const macro of macros) table.set(macro.name, [macro, ...(table.get(macro.name) ?? [])]);
  return table;
}

/** A macro for exactly so many arguments goes before one for any number. */
export function findMacro(table: MacroTable, name: string, member: boolean, arity: number): Macro | undefined {
  const named = table.get(name);
  if (named === undefined) return undefined;
  const fitting = named.filter((macro) => macro.member === member);
  return fitting.find((macro) => macro.arity === arity) ?? fitting.find((macro) => macro.arity === undefined);
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

interface BinaryOperator {
  readonly precedence: number;
  readonly fn: string;
}

const BINARY_OPERATORS: readonly (readonly [token: number, operator: BinaryOperator])[] = [
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
];

/** Binary operators below `&&` by their token: how tightly they bind, and their function. */
export const BINARY: readonly (BinaryOperator | undefined)[] = binaryByToken();

function binaryByToken(): (BinaryOperator | undefined)[] {
  const table: (BinaryOperator | undefined)[] = Object.values(T).map(() => undefined);
  for (const [token, operator] of BINARY_OPERATORS) table[token] = operator;
  return table;
}

/** What an operand can begin with, as errors list it. */
export const PRIMARY_START =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
