// Literal arguments that can only fail are told when the expression is stored, not when it runs.

import { CelError, type CelIssue } from "../errors.ts";
import { compilePattern } from "../lib/patterns.ts";
import { parseDuration, parseTimestamp } from "../runtime/time.ts";
import type { Call, Expr } from "../syntax/ast.ts";
import type { Source } from "../syntax/source.ts";
import type { CheckedExpr } from "./check.ts";

export function validateLiterals(checked: CheckedExpr, source: Source): CelIssue[] {
  const issues: CelIssue[] = [];
  if (!checked.references.some((found) => found?.kind === "function" && VALIDATED.has(found.name))) return issues;
  const visit = (expr: Expr): void => {
    if (expr.kind === "call") {
      const argument = literalArgument(expr);
      if (argument !== undefined && !isValid(expr.fn, argument.text)) {
        issues.push(source.issue(argument.offset, `invalid ${expr.fn} argument`));
      }
    }
    for (const child of childrenOf(expr)) visit(child);
  };
  visit(checked.expr);
  return issues;
}

/** The literal text that a validated function was given. */
function literalArgument(call: Call): { text: string; offset: number } | undefined {
  const position = VALIDATED.get(call.fn);
  if (position === undefined) return undefined;
  const argument = call.target === undefined ? call.args[position] : call.args[0];
  if (argument?.kind !== "literal" || typeof argument.value !== "string") return undefined;
  return { text: argument.value, offset: argument.offset };
}

/** Where a plain call of the function has the text. */
const VALIDATED = new Map([
  ["timestamp", 0],
  ["duration", 0],
  ["matches", 1],
  ["find", 1],
  ["findAll", 1],
]);

function isValid(fn: string, text: string): boolean {
  if (fn === "timestamp") return parseTimestamp(text) !== undefined;
  if (fn === "duration") return parseDuration(text) !== undefined;
  return !(compilePattern(text) instanceof CelError);
}

function childrenOf(expr: Expr): readonly Expr[] {
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
