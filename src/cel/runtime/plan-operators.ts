// Plans of operators: the common cases of numbers and strings inline, everything else by value.

import { equalityCost, joinCost } from "../cost/actual.ts";
import { CelError, noSuchOverload } from "../errors.ts";
import { type Call, type Expr, Op } from "../syntax/ast.ts";
import { type CelValue, hasType } from "../values.ts";
import { equals } from "./equality.ts";
import type { Frame, Step } from "./frame.ts";
import { negate } from "./numbers.ts";
import { add, contains, divide, index, modulo, multiply, optionalIndex, subtract } from "./operations.ts";
import type { Planner } from "./plan.ts";
import { planOrder } from "./plan-order.ts";

export const OPERATOR_PLANS = new Map<string, (planner: Planner, expr: Call) => Step>([
  [Op.and, (planner, expr) => planAnd(...operands(planner, expr))],
  [Op.or, (planner, expr) => planOr(...operands(planner, expr))],
  [
    Op.not,
    (planner, expr) => planUnary(planner, expr, (value) => (typeof value === "boolean" ? !value : noSuchOverload())),
  ],
  [Op.negate, (planner, expr) => planUnary(planner, expr, negate)],
  [Op.conditional, planConditional],
  [Op.notStrictlyFalse, planNotStrictlyFalse],
  [Op.equals, (planner, expr) => planEquals(planner, expr, true)],
  [Op.notEquals, (planner, expr) => planEquals(planner, expr, false)],
  [Op.less, (planner, expr) => planOrder(planner, expr, Op.less)],
  [Op.lessEquals, (planner, expr) => planOrder(planner, expr, Op.lessEquals)],
  [Op.greater, (planner, expr) => planOrder(planner, expr, Op.greater)],
  [Op.greaterEquals, (planner, expr) => planOrder(planner, expr, Op.greaterEquals)],
  [Op.add, planAdd],
  [Op.subtract, (planner, expr) => planBinary(planner, expr, subtract)],
  [Op.multiply, (planner, expr) => planBinary(planner, expr, multiply)],
  [Op.divide, (planner, expr) => planBinary(planner, expr, divide)],
  [Op.modulo, (planner, expr) => planBinary(planner, expr, modulo)],
  [Op.in, (planner, expr) => planBinary(planner, expr, contains)],
  [Op.index, (planner, expr) => planBinary(planner, expr, index)],
  [Op.optIndex, (planner, expr) => planBinary(planner, expr, optionalIndex)],
]);

function operands(planner: Planner, expr: Call): [Step, Step] {
  return [planner.plan(expr.args[0] as Expr), planner.plan(expr.args[1] as Expr)];
}

/** An error on one side does not matter when the other side decides. */
function planAnd(left: Step, right: Step): Step {
  return (frame) => {
    const a = left(frame);
    if (a === false) return false;
    const b = right(frame);
    if (b === false) return false;
    return a === true && b === true ? true : logicalError(a, b);
  };
}

function planOr(left: Step, right: Step): Step {
  return (frame) => {
    const a = left(frame);
    if (a === true) return true;
    const b = right(frame);
    if (b === true) return true;
    return a === false && b === false ? false : logicalError(a, b);
  };
}

export function logicalError(a: CelValue, b: CelValue): CelError {
  if (a instanceof CelError) return a;
  return b instanceof CelError ? b : noSuchOverload();
}

function planConditional(planner: Planner, expr: Call): Step {
  const [condition, whenTrue, whenFalse] = expr.args.map((arg) => planner.plan(arg)) as [Step, Step, Step];
  return (frame) => {
    const chosen = condition(frame);
    if (chosen === true) return whenTrue(frame);
    if (chosen === false) return whenFalse(frame);
    return chosen instanceof CelError ? chosen : noSuchOverload();
  };
}

function planNotStrictlyFalse(planner: Planner, expr: Call): Step {
  const operand = planner.plan(expr.args[0] as Expr);
  return (frame) => {
    frame.cost += 1;
    return operand(frame) !== false;
  };
}

function planUnary(planner: Planner, expr: Call, apply: (value: CelValue) => CelValue): Step {
  const operand = planner.plan(expr.args[0] as Expr);
  return (frame) => {
    const value = operand(frame);
    if (value instanceof CelError) return value;
    frame.cost += 1;
    return apply(value);
  };
}

function planEquals(planner: Planner, expr: Call, wanted: boolean): Step {
  const literal = expr.args[1]?.kind === "literal" ? expr.args[1].value : undefined;
  if (typeof literal === "string") return planEqualsText(planner.plan(expr.args[0] as Expr), literal, wanted);
  const [left, right] = operands(planner, expr);
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    if (typeof a === "number" && typeof b === "number") {
      frame.cost += 1;
      return (a === b) === wanted;
    }
    if (typeof a === "string" && typeof b === "string") {
      frame.spend(equalityCost(a, b));
      return (a === b) === wanted;
    }
    if (a instanceof CelError) return a;
    if (b instanceof CelError) return b;
    frame.spend(equalityCost(a, b));
    return equals(a, b) === wanted;
  };
}

/** Up to that many units every text costs the same. */
const SHORT_TEXT = 10;

function planEqualsText(left: Step, b: string, wanted: boolean): Step {
  const short = b.length > 0 && b.length <= SHORT_TEXT;
  return (frame) => {
    const a = left(frame);
    if (a instanceof CelError) return a;
    if (short && typeof a === "string" && a.length > 0) frame.cost += 1;
    else frame.spend(equalityCost(a, b));
    return (a === b) === wanted;
  };
}

function planAdd(planner: Planner, expr: Call): Step {
  const [left, right] = operands(planner, expr);
  const charge = chargeOf(planner, expr);
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    if (typeof a === "number" && typeof b === "number") {
      const sum = a + b;
      if (Number.isSafeInteger(sum)) {
        frame.cost += 1;
        return sum;
      }
    }
    if (typeof a === "string" && typeof b === "string") {
      frame.spend(joinCost(a, b));
      return add(a, b);
    }
    if (a instanceof CelError) return a;
    if (b instanceof CelError) return b;
    charge(frame, a, b, null);
    return add(a, b);
  };
}

function planBinary(planner: Planner, expr: Call, apply: (a: CelValue, b: CelValue) => CelValue): Step {
  const [left, right] = operands(planner, expr);
  const charge = chargeOf(planner, expr);
  return (frame) => {
    const a = left(frame);
    if (a instanceof CelError) return a;
    const b = right(frame);
    if (b instanceof CelError) return b;
    charge(frame, a, b, null);
    return apply(a, b);
  };
}

type Charge = (frame: Frame, a: CelValue, b: CelValue, result: CelValue) => void;

/** Operators whose version is only known at run time cost what that version costs. */
export function chargeOf(planner: Planner, expr: Call): Charge {
  const { overloads } = planner.overloadsOf(expr);
  const cost = overloads[0]?.cost;
  if (overloads.length === 1) {
    return cost === undefined ? chargeOne : (frame, a, b, result) => frame.spend(cost([a, b], result));
  }
  const dear = overloads.filter((overload) => overload.cost !== undefined);
  if (dear.length === 0) return chargeOne;
  return (frame, a, b, result) => {
    const chosen = dear.find(({ params: [first, second] }) => {
      return first !== undefined && second !== undefined && hasType(a, first) && hasType(b, second);
    });
    frame.spend(chosen?.cost?.([a, b], result) ?? 1);
  };
}

function chargeOne(frame: Frame): void {
  frame.cost += 1;
}
