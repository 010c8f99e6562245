// Plans of `<`, `<=`, `>` and `>=`: two safe ints are compared right here, and a literal on the right is no step.

import { CelError } from "../errors.ts";
import { compare } from "../operations/equality.ts";
import { type Call, type Expr, Op } from "../syntax/ast.ts";
import type { CelValue } from "../values.ts";
import { chargeOf, failed } from "./charge.ts";
import type { Frame, Step } from "./frame.ts";
import type { Planner } from "./planner.ts";

type OrderOperator = typeof Op.less | typeof Op.lessEquals | typeof Op.greater | typeof Op.greaterEquals;

export function planOrder(planner: Planner, expr: Call, operator: OrderOperator): Step {
  const [leftExpr, rightExpr] = expr.args as [Expr, Expr];
  const left = planner.plan(leftExpr);
  const slow = planSlowOrder(planner, expr, TESTS[operator]);
  if (rightExpr.kind === "literal" && typeof rightExpr.value === "number") {
    return withLiteral[operator](left, rightExpr.value, slow);
  }
  return withSteps[operator](left, planner.plan(rightExpr), slow);
}

const TESTS: Record<OrderOperator, (order: number) => boolean> = {
  [Op.less]: (order) => order < 0,
  [Op.lessEquals]: (order) => order <= 0,
  [Op.greater]: (order) => order > 0,
  [Op.greaterEquals]: (order) => order >= 0,
};

type SlowOrder = (frame: Frame, a: CelValue, b: CelValue) => CelValue;

/** Everything but two safe ints. */
function planSlowOrder(planner: Planner, expr: Call, test: (order: number) => boolean): SlowOrder {
  const charge = chargeOf(planner, expr);
  return (frame, a, b) => {
    const error = failed(frame, a, b);
    if (error !== undefined) return error;
    charge(frame, a, b);
    const order = compare(a, b);
    if (order instanceof CelError) return order;
    return order !== undefined && test(order);
  };
}

// The operator is written out in each closure: a function for it would be one more call per comparison.

const withLiteral: Record<OrderOperator, (left: Step, b: number, slow: SlowOrder) => Step> = {
  [Op.less]: (left, b, slow) => (frame) => {
    const a = left(frame);
    if (typeof a !== "number") return slow(frame, a, b);
    frame.cost += 1;
    return a < b;
  },
  [Op.lessEquals]: (left, b, slow) => (frame) => {
    const a = left(frame);
    if (typeof a !== "number") return slow(frame, a, b);
    frame.cost += 1;
    return a <= b;
  },
  [Op.greater]: (left, b, slow) => (frame) => {
    const a = left(frame);
    if (typeof a !== "number") return slow(frame, a, b);
    frame.cost += 1;
    return a > b;
  },
  [Op.greaterEquals]: (left, b, slow) => (frame) => {
    const a = left(frame);
    if (typeof a !== "number") return slow(frame, a, b);
    frame.cost += 1;
    return a >= b;
  },
};

const withSteps: Record<OrderOperator, (left: Step, right: Step, slow: SlowOrder) => Step> = {
  [Op.less]: (left, right, slow) => (frame) => {
    const a = left(frame);
    const b = right(frame);
    if (typeof a !== "number" || typeof b !== "number") return slow(frame, a, b);
    frame.cost += 1;
    return a < b;
  },
  [Op.lessEquals]: (left, right, slow) => (frame) => {
    const a = left(frame);
    const b = right(frame);
    if (typeof a !== "number" || typeof b !== "number") return slow(frame, a, b);
    frame.cost += 1;
    return a <= b;
  },
  [Op.greater]: (left, right, slow) => (frame) => {
    const a = left(frame);
    const b = right(frame);
    if (typeof a !== "number" || typeof b !== "number") return slow(frame, a, b);
    frame.cost += 1;
    return a > b;
  },
  [Op.greaterEquals]: (left, right, slow) => (frame) => {
    const a = left(frame);
    const b = right(frame);
    if (typeof a !== "number" || typeof b !== "number") return slow(frame, a, b);
    frame.cost += 1;
    return a >= b;
  },
};
