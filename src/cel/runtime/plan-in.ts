// Plans of `value in container`. A list of constants is a set that costs nothing to ask, as upstream optimizes it.

import { CelError } from "../errors.ts";
import { listContains, listContainsInSteps } from "../operations/equality.ts";
import { contains } from "../operations/operators.ts";
import type { Call, Expr } from "../syntax/ast.ts";
import {
  CelDouble,
  type CelListValue,
  CelUint,
  type CelValue,
  isInt,
  isList,
  listSize,
  listToArray,
} from "../values.ts";
import { chargeOf, failed } from "./charge.ts";
import { constantOf, constantStep } from "./constants.ts";
import type { Frame, Step } from "./frame.ts";
import { InParts, pausableParts } from "./plan-pausable.ts";
import type { Planner } from "./planner.ts";

export function planIn(planner: Planner, expr: Call): Step {
  const [valueExpr, containerExpr] = expr.args as [Expr, Expr];
  const value = planner.plan(valueExpr);
  const container = planner.plan(containerExpr);
  const list = constantOf(container);
  const { overloads } = planner.overloadsOf(expr);
  if (list !== undefined && isList(list) && overloads.length === 1 && overloads[0]?.id === IN_LIST) {
    if (listSize(list) === 0) return constantStep(false);
    const members = listToArray(list);
    if (members.every(isPrimitive)) return inConstants(value, list, members);
  }
  const charge = chargeOf(planner, expr);
  const long = planner.pausable;
  const looked = (frame: Frame) => {
    const a = value(frame);
    const b = container(frame);
    const error = failed(frame, a, b);
    if (error !== undefined) return error;
    charge(frame, a, b);
    return long && isList(b) ? new InParts(listContainsInSteps(b, a)) : contains(a, b);
  };
  return long ? pausableParts(looked) : (looked as Step);
}

const IN_LIST = "in_list";

function isPrimitive(value: CelValue): boolean {
  const plain = typeof value === "string" || typeof value === "boolean" || isInt(value);
  return plain || value instanceof CelDouble || value instanceof CelUint;
}

function inConstants(value: Step, list: CelListValue, members: readonly CelValue[]): Step {
  // Texts are found by look-up; numbers of several types may be equal.
  const texts = new Set(members.filter((member) => typeof member === "string"));
  return (frame) => {
    const found = value(frame);
    if (typeof found === "string") return texts.has(found);
    return found instanceof CelError ? found : listContains(list, found);
  };
}
