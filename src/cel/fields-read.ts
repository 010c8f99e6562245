// Which fields of a variable an expression looks at directly: `claims.email`, `claims.?email`, `claims["email"]`.

import type { Environment } from "./environment.ts";
import { type Expr, Op } from "./syntax/ast.ts";

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
  switch (expr.kind) {
    case "literal":
    case "ident":
      return;
    case "select":
      if (isVariable(expr.operand)) found.add(expr.field);
      visit(expr.operand, variable, found);
      return;
    case "call": {
      const [first, second] = expr.args;
      const field = INDEXING.has(expr.fn) && isVariable(first) && second?.kind === "literal" ? second.value : undefined;
      if (typeof field === "string") found.add(field);
      if (expr.target !== undefined) visit(expr.target, variable, found);
      for (const arg of expr.args) visit(arg, variable, found);
      return;
    }
    case "list":
      for (const element of expr.elements) visit(element, variable, found);
      return;
    case "map":
      for (const { key, value } of expr.entries) {
        visit(key, variable, found);
        visit(value, variable, found);
      }
      return;
    case "struct":
      for (const { value } of expr.fields) visit(value, variable, found);
      return;
    case "comprehension":
      for (const part of [expr.range, expr.init, expr.condition, expr.step, expr.result]) visit(part, variable, found);
      return;
  }
}
