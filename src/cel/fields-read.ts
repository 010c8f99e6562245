// Which fields of a variable an expression looks at directly: `claims.email`, `claims.?email`, `claims["email"]`.

import type { Environment } from "./environment.ts";
import { childrenOf, type Expr, Op } from "./syntax/ast.ts";

/** Empty for a text that does not compile. */
export function fieldsRead(environment: Environment, text: string, variable: string): Set<string> {
  const found = new Set<string>();
  const { checked } = environment.check(text);
  if (checked !== undefined) visit(checked.expr, variable, found);
  return found;
}

const INDEXING: ReadonlySet<string> = new Set([Op.index, Op.optIndex, Op.optSelect]);

function visit(expr: Expr, variable: string, found: Set<string>): void {
  const isVariable = (node: Expr | undefined) => node?.kind === "ident" && node.name === variable;
  if (expr.kind === "select" && isVariable(expr.operand)) found.add(expr.field);
  if (expr.kind === "call" && INDEXING.has(expr.fn)) {
    const [first, second] = expr.args;
    const field = isVariable(first) && second?.kind === "literal" ? second.value : undefined;
    if (typeof field === "string") found.add(field);
  }
  for (const child of childrenOf(expr)) visit(child, variable, found);
}
