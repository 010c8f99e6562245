// Plans of operators: the common cases of numbers and strings inline, everything else by value.

import type { Steps } from "../../base/steps.ts";
import { comparisonCost, equalityCost } from "../cost/actual.ts";
import { CelError, noSuchOverload } from "../errors.ts";
import { equals, equalsInSteps } from "../operations/equality.ts";
import { negate } from "../operations/numbers.ts";
import { add, addInSteps, divide, modulo, multiply, subtract } from "../operations/operators.ts";
import { type Call, type Expr, Op } from "../syntax/ast.ts";
import type { CelValue } from "../values.ts";
import { chargeOf, failed, logicalError } from "./charge.ts";
import type { Frame, Step } from "./frame.ts";
import { planIn } from "./plan-in.ts";
import { planOrder } from "./plan-order.ts";
import { InParts, pausableParts } from "./plan-pausable.ts";
import type { Planner } from "./planner.ts";

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
  [Op.in, planIn],
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

function planConditional(planner: Planner, expr: Call): Step {
  const condition = planner.plan(expr.args[0] as Expr);
  const [whenTrue, whenFalse] = expr.args.slice(1).map((arg) => planner.planPart(arg)) as [Step, Step];
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
    frame.cost += 1;
    return value instanceof CelError ? value : apply(value);
  };
}

function planEquals(planner: Planner, expr: Call, wanted: boolean): Step {
  const costOf = wanted ? equalityCost : comparisonCost;
  const literal = expr.args[1]?.kind === "literal" ? expr.args[1].value : undefined;
  if (typeof literal === "string") return planEqualsText(planner.plan(expr.args[0] as Expr), literal, wanted);
  const [left, right] = operands(planner, expr);
  const long = planner.pausable && !SCALARS.has(planner.typeOf(expr.args[0] as Expr).kind);
  const compared = (frame: Frame) => {
    const a = left(frame);
    const b = right(frame);
    if (typeof a === "number" && typeof b === "number") {
      frame.cost += 1;
      return (a === b) === wanted;
    }
    if (typeof a === "string" && typeof b === "string") {
      frame.spend(costOf(a, b));
      return (a === b) === wanted;
    }
    const error = failed(frame, a, b);
    if (error !== undefined) return error;
    frame.spend(costOf(a, b));
    return long ? new InParts(equalsAs(wanted, a, b)) : equals(a, b) === wanted;
  };
  return long ? pausableParts(compared) : (compared as Step);
}

function* equalsAs(wanted: boolean, a: CelValue, b: CelValue): Steps<CelValue> {
  return (yield* equalsInSteps(a, b)) === wanted;
}

/** Types whose values take no time to compare or to add. */
const SCALARS: ReadonlySet<string> = new Set([
  "bool",
  "bytes",
  "double",
  "duration",
  "int",
  "null",
  "string",
  "timestamp",
  "uint",
]);

/** Up to that many units every text costs the same. */
const SHORT_TEXT = 10;

function planEqualsText(left: Step, b: string, wanted: boolean): Step {
  const short = b.length > 0 && b.length <= SHORT_TEXT;
  return (frame) => {
    const a = left(frame);
    if (a instanceof CelError) return failed(frame, a, b) ?? a;
    if (short && typeof a === "string" && a.length > 0) frame.cost += 1;
    else frame.spend(comparisonCost(a, b));
    return (a === b) === wanted;
  };
}

function planAdd(planner: Planner, expr: Call): Step {
  const [left, right] = operands(planner, expr);
  const charge = chargeOf(planner, expr);
  const long = planner.pausable && !SCALARS.has(planner.typeOf(expr.args[0] as Expr).kind);
  const added = (frame: Frame) => {
    const a = left(frame);
    const b = right(frame);
    if (typeof a === "number" && typeof b === "number") {
      const sum = a + b;
      if (Number.isSafeInteger(sum)) {
        frame.cost += 1;
        return sum;
      }
    }
    const error = failed(frame, a, b);
    if (error !== undefined) return error;
    charge(frame, a, b);
    const steps = long ? addInSteps(a, b) : undefined;
    return steps === undefined ? add(a, b) : new InParts(steps);
  };
  return long ? pausableParts(added) : (added as Step);
}

function planBinary(planner: Planner, expr: Call, apply: (a: CelValue, b: CelValue) => CelValue): Step {
  const [left, right] = operands(planner, expr);
  const charge = chargeOf(planner, expr);
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    const error = failed(frame, a, b);
    if (error !== undefined) return error;
    charge(frame, a, b);
    return apply(a, b);
  };
}
