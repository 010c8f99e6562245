// What is wrong with a text whose types are right: literals that can only fail, mixed lists and maps, and formats that
// do not fit their arguments. It is told when the expression is stored, not when it runs.

import { CelError, type CelIssue } from "../errors.ts";
import { MAX_REPORTED_ISSUES } from "../limits.ts";
import { compilePattern } from "../operations/patterns.ts";
import { parseDuration, parseTimestamp, timestampOf } from "../operations/time.ts";
import { type Call, childrenOf, type Expr, type ListExpr, type MapExpr } from "../syntax/ast.ts";
import type { Source } from "../syntax/source.ts";
import { type CelType, DYN, equalTypes, firstParam, formatType, isOptionalType } from "../types.ts";
import { type CelValue, isInt } from "../values.ts";
import type { CheckedExpr } from "./checked.ts";
import { formatIssue } from "./validate-format.ts";

interface ValidateOptions {
  /** Literal patterns, timestamps, durations and formats. */
  readonly literals: boolean;
  /** Elements of list and map literals have one type. */
  readonly homogeneous: boolean;
}

export function validate(checked: CheckedExpr, source: Source, options: ValidateOptions): CelIssue[] {
  const issues: CelIssue[] = [];
  const report = (offset: number, message: string): void => void issues.push(source.issue(offset, message));
  const visit = (expr: Expr, formatted: boolean): void => {
    if (issues.length >= MAX_REPORTED_ISSUES) return;
    switch (expr.kind) {
      case "call": {
        if (options.literals && hasBadLiteral(expr)) report(literalOf(expr).offset, `invalid ${expr.fn} argument`);
        const issue = options.literals && expr.fn === FORMAT ? formatIssue(expr, checked) : undefined;
        if (issue !== undefined) report(issue.offset, issue.message);
        break;
      }
      // The arguments of a format are of any types.
      case "list":
        if (options.homogeneous && !formatted) checkList(expr, checked, report);
        break;
      case "map":
        if (options.homogeneous && !formatted) checkMap(expr, checked, report);
        break;
    }
    for (const child of childrenOf(expr)) visit(child, formatted || (expr.kind === "call" && expr.fn === FORMAT));
  };
  visit(checked.expr, false);
  return issues;
}

const FORMAT = "format";

type Report = (offset: number, message: string) => void;

/** Functions whose literal first argument can be tried out. */
const TRIALS = new Map<string, (value: CelValue) => boolean>([
  ["timestamp", (value) => (isInt(value) ? !(timestampOf(Number(value), 0) instanceof CelError) : isTimestamp(value))],
  ["duration", (value) => typeof value === "string" && parseDuration(value) !== undefined],
  ["matches", (value) => typeof value !== "string" || !(compilePattern(value) instanceof CelError)],
]);

function isTimestamp(value: CelValue): boolean {
  return typeof value !== "string" || parseTimestamp(value) !== undefined;
}

function hasBadLiteral(call: Call): boolean {
  const [argument] = call.args;
  if (argument?.kind !== "literal") return false;
  return TRIALS.get(call.fn)?.(argument.value) === false;
}

function literalOf(call: Call): Expr {
  return call.args[0] as Expr;
}

/** The first element that differs is enough. */
function checkList(list: ListExpr, checked: CheckedExpr, report: Report): void {
  const optionals = new Set(list.optionals);
  const typeAt = (index: number): CelType => elementType(checked, list.elements[index] as Expr, optionals.has(index));
  for (let index = 1; index < list.elements.length; index++) {
    if (!checkType(list.elements[index] as Expr, typeAt(0), typeAt(index), report)) return;
  }
}

function checkMap(map: MapExpr, checked: CheckedExpr, report: Report): void {
  const [first, ...others] = map.entries;
  if (first === undefined) return;
  for (const entry of others) {
    checkType(entry.key, elementType(checked, first.key, false), elementType(checked, entry.key, false), report);
    const expected = elementType(checked, first.value, first.optional);
    checkType(entry.value, expected, elementType(checked, entry.value, entry.optional), report);
  }
}

function elementType(checked: CheckedExpr, expr: Expr, optional: boolean): CelType {
  const type = checked.types[expr.id] ?? DYN;
  return optional && isOptionalType(type) ? firstParam(type) : type;
}

function checkType(at: Expr, expected: CelType, found: CelType, report: Report): boolean {
  if (equalTypes(expected, found)) return true;
  report(at.offset, `expected type '${formatType(expected)}' but found '${formatType(found)}'`);
  return false;
}
