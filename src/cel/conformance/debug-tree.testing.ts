// A checked tree as the reference implementation prints it, for comparison with the suite: types and overloads of
// every node. White space and the spelling of literals do not take part.

import { doubleText } from "../../base/double-text.ts";
import type { CheckedExpr } from "../checker/checked.ts";
import type { Expr } from "../syntax/ast.ts";
import { formatType } from "../types.ts";
import { CelDouble, CelUint, type CelValue } from "../values.ts";

export function debugTree(checked: CheckedExpr): string {
  const adorn = (expr: Expr): string => {
    const type = checked.types[expr.id];
    const reference = checked.references[expr.id];
    const shownType = type === undefined ? "" : `~${formatType(type)}`;
    switch (reference?.kind) {
      case "function":
        return `${shownType}^${reference.overloads
          .map((overload) => overload.id)
          .sort()
          .join("|")}`;
      case "variable":
        return `${shownType}^${reference.declaration.name}`;
      case "local":
        return `${shownType}^${reference.name}`;
      case "struct":
        return `${shownType}^${reference.name}`;
      default:
        return shownType;
    }
  };
  const print = (expr: Expr): string => body(expr) + adorn(expr);
  const list = (exprs: readonly Expr[]): string => exprs.map(print).join(",");
  const body = (expr: Expr): string => {
    const reference = checked.references[expr.id];
    switch (expr.kind) {
      case "literal":
        return literal(expr.value);
      case "ident":
        return reference?.kind === "variable" ? reference.declaration.name : expr.name;
      case "select":
        if (reference?.kind === "variable") return reference.declaration.name;
        return `${print(expr.operand)}.${expr.field}${expr.testOnly ? "~test-only~" : ""}`;
      case "call": {
        const fn = reference?.kind === "function" ? reference : undefined;
        const target = expr.target === undefined || fn?.qualified ? "" : `${print(expr.target)}.`;
        return `${target}${fn?.name ?? expr.fn}(${list(expr.args)})`;
      }
      case "list":
        return `[${expr.elements.map((element, index) => (expr.optionals.includes(index) ? "?" : "") + print(element)).join(",")}]`;
      case "map":
        return `{${expr.entries.map((entry) => `${entry.optional ? "?" : ""}${print(entry.key)}:${print(entry.value)}`).join(",")}}`;
      case "struct":
        return `${reference?.kind === "struct" ? reference.name : expr.typeName}{${expr.fields.map((field) => `${field.optional ? "?" : ""}${field.name}:${print(field.value)}`).join(",")}}`;
      case "comprehension": {
        const variables = expr.iterVar2 === undefined ? expr.iterVar : `${expr.iterVar},${expr.iterVar2}`;
        const parts = [expr.init, expr.condition, expr.step, expr.result].map(print);
        return `__comprehension__(${variables},${print(expr.range)},${expr.accuVar},${parts.join(",")})`;
      }
    }
  };
  return normalizeTree(print(checked.expr));
}

/** The reference's text without comments, white space and spellings of strings. */
export function normalizeTree(text: string): string {
  return (
    text
      .replace(/b?"(?:[^"\\]|\\[\s\S])*"/g, '""')
      .replace(/\/\/ [A-Za-z]+\n/g, "")
      .replace(/\s+/g, "")
      .replace(/\^select_optional_field/g, "")
      // A message of any type is dynamic here.
      .replace(/([~(,])any\b/g, "$1dyn")
      .replace(/\^[\w@]+(?:\|[\w@]+)+/g, (ids) => `^${ids.slice(1).split("|").sort().join("|")}`)
  );
}

function literal(value: CelValue): string {
  if (typeof value === "string" || value instanceof Uint8Array) return '""';
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof CelDouble) return doubleText(value.value);
  return String(value);
}
