// What operators cost, and what they do about errors on either side.

import { CelError, noSuchOverload } from "../errors.ts";
import type { Call } from "../syntax/ast.ts";
import type { CelValue } from "../values.ts";
import type { Frame } from "./frame.ts";
import type { Planner } from "./planner.ts";

type Charge = (frame: Frame, a: CelValue, b: CelValue) => void;

/** Operators whose version is only known at run time cost one unit, as upstream counts them. */
export function chargeOf(planner: Planner, expr: Call): Charge {
  const { overloads } = planner.overloadsOf(expr);
  const cost = overloads.length === 1 ? overloads[0]?.cost : undefined;
  return cost === undefined ? chargeOne : (frame, a, b) => frame.spend(cost([a, b]));
}

function chargeOne(frame: Frame): void {
  frame.cost += 1;
}

/** The error that one of two operands is: it costs the unit of the operator too. */
export function failed(frame: Frame, a: CelValue, b: CelValue): CelError | undefined {
  const error = a instanceof CelError ? a : b instanceof CelError ? b : undefined;
  if (error !== undefined) frame.cost += 1;
  return error;
}

export function logicalError(a: CelValue, b: CelValue): CelError {
  if (a instanceof CelError) return a;
  return b instanceof CelError ? b : noSuchOverload();
}
