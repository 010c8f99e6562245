// A literal format held against the literal list of its arguments.

import {
  type ClauseLetter,
  clauseComplaint,
  clauseTakes,
  type FormatProblem,
  visitClauses,
} from "../operations/format-clauses.ts";
import type { Call, Expr } from "../syntax/ast.ts";
import { DYN } from "../types.ts";
import type { CheckedExpr } from "./checked.ts";

/** What is wrong, and where. Undefined for a format that fits, and for all that is only known when it runs. */
export function formatIssue(call: Call, checked: CheckedExpr): { offset: number; message: string } | undefined {
  const { target, args } = call;
  const [list, ...more] = args;
  if (target?.kind !== "literal" || typeof target.value !== "string") return undefined;
  if (list?.kind !== "list" || more.length > 0) return undefined;
  const { elements } = list;
  const outcome = visitClauses(target.value, {
    count: elements.length,
    text: () => undefined,
    clause: (letter, _precision, index) => misfit(letter, elements[index] as Expr, checked),
  });
  if (typeof outcome !== "number") {
    return { offset: outcome.offset ?? call.offset, message: outcome.message };
  }
  if (elements.length <= outcome) return undefined;
  const counts = `expected ${outcome}, got ${elements.length}`;
  return { offset: call.offset, message: `too many arguments supplied to string.format (${counts})` };
}

function misfit(letter: ClauseLetter, arg: Expr, checked: CheckedExpr): FormatProblem | undefined {
  const type = checked.types[arg.id] ?? DYN;
  if (type.kind !== "dyn" && !clauseTakes(letter, type.kind)) {
    return { message: clauseComplaint(letter, type.name), offset: arg.offset };
  }
  if (letter !== "s") return undefined;
  for (const part of partsOf(arg)) {
    const problem = misfit(letter, part, checked);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** What a literal list or map holds is shown too. */
function partsOf(expr: Expr): readonly Expr[] {
  if (expr.kind === "list") return expr.elements;
  return expr.kind === "map" ? expr.entries.flatMap((entry) => [entry.key, entry.value]) : [];
}
