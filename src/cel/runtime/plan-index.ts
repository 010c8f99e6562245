// Plans of `operand[key]`, `operand[?key]` and `operand.?field`. What is optional costs its unit only when it is there.

import { CelError, noSuchOverload } from "../errors.ts";
import { index, optionalIndex, optionalSelect } from "../operations/operators.ts";
import { type Call, type Expr, Op } from "../syntax/ast.ts";
import { isOptionalType } from "../types.ts";
import { CelOptional, type CelValue } from "../values.ts";
import type { Step } from "./frame.ts";
import { type Planner, SELECT_COST } from "./planner.ts";

export function planIndex(planner: Planner, expr: Call, unit: number): Step {
  const [operandExpr, keyExpr] = expr.args as [Expr, Expr];
  const operand = planner.planPart(operandExpr);
  const key = planner.planPart(keyExpr);
  const optional = expr.fn === Op.optIndex || isOptionalType(planner.typeOf(operandExpr));
  const apply = expr.fn === Op.optIndex ? optionalIndex : index;
  if (optional) {
    return (frame) => {
      frame.cost += unit;
      const value = operand(frame);
      if (value instanceof CelError || isNone(value)) return value;
      const at = key(frame);
      if (at instanceof CelError) return at;
      const found = apply(value, at);
      if (!isNone(found)) frame.cost += SELECT_COST;
      return found;
    };
  }
  const cost = unit + SELECT_COST;
  return (frame) => {
    frame.cost += cost;
    const value = operand(frame);
    if (value instanceof CelError) return value;
    const at = key(frame);
    return at instanceof CelError ? at : apply(value, at);
  };
}

export function planOptionalSelect(planner: Planner, expr: Call, unit: number): Step {
  const [operandExpr, fieldExpr] = expr.args;
  if (operandExpr === undefined || fieldExpr?.kind !== "literal") return () => noSuchOverload();
  const operand = planner.planPart(operandExpr);
  const field = String(fieldExpr.value);
  return (frame) => {
    frame.cost += unit;
    const found = optionalSelect(operand(frame), field);
    if (!isNone(found)) frame.cost += SELECT_COST;
    return found;
  };
}

export function isNone(value: CelValue): boolean {
  return value instanceof CelOptional && value.value === undefined;
}
