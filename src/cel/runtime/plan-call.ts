// Plans of function calls: straight to the one overload the checker chose, or by the values where types are dynamic.

import type { Overload } from "../declarations.ts";
import { CelError, noSuchOverload } from "../errors.ts";
import type { Call } from "../syntax/ast.ts";
import type { CelType } from "../types.ts";
import { type CelValue, hasType } from "../values.ts";
import type { Frame, Step } from "./frame.ts";
import type { Planner } from "./plan.ts";

type AnyCall = (...args: CelValue[]) => CelValue;

export function planCall(planner: Planner, expr: Call): Step {
  const { overloads, args } = planner.overloadsOf(expr);
  const steps = args.map((arg) => planner.plan(arg));
  const [only] = overloads;
  if (only === undefined) {
    const error = new CelError(`no such overload: ${expr.fn}`, "noSuchOverload");
    return () => error;
  }
  const proved =
    overloads.length === 1 && args.every((arg, index) => isProved(only.params[index], planner.typeOf(arg)));
  return proved ? directCall(only, steps) : dispatchedCall(overloads, steps);
}

/** Whether every value of the argument's type is one of the parameter's. */
export function isProved(param: CelType | undefined, type: CelType): boolean {
  if (param === undefined) return false;
  if (param.kind === "dyn" || param.kind === "param") return true;
  return param.kind === type.kind && param.name === type.name;
}

function directCall(overload: Overload, steps: readonly Step[]): Step {
  const call = overload.call as AnyCall;
  const { cost } = overload;
  const [first, second] = steps;
  if (steps.length === 1 && first !== undefined) {
    return (frame) => {
      const a = first(frame);
      if (a instanceof CelError) return a;
      const result = call(a);
      if (cost === undefined) frame.cost += 1;
      else frame.spend(cost([a], result));
      return result;
    };
  }
  if (steps.length === 2 && first !== undefined && second !== undefined) {
    // One array for all calls: counting the cost does not keep it.
    const counted: CelValue[] = [null, null];
    return (frame) => {
      const a = first(frame);
      if (a instanceof CelError) return a;
      const b = second(frame);
      if (b instanceof CelError) return b;
      const result = call(a, b);
      if (cost === undefined) {
        frame.cost += 1;
        return result;
      }
      counted[0] = a;
      counted[1] = b;
      const spent = cost(counted, result);
      counted[0] = null;
      counted[1] = null;
      frame.spend(spent);
      return result;
    };
  }
  return (frame) => {
    const values = evaluateAll(frame, steps);
    if (values instanceof CelError) return values;
    const result = call(...values);
    frame.spend(cost === undefined ? 1 : cost(values, result));
    return result;
  };
}

function dispatchedCall(overloads: readonly Overload[], steps: readonly Step[]): Step {
  return (frame) => {
    const values = evaluateAll(frame, steps);
    if (values instanceof CelError) return values;
    for (const overload of overloads) {
      if (!takes(overload, values)) continue;
      const result = apply(overload.call as AnyCall, values);
      frame.spend(overload.cost === undefined ? 1 : overload.cost(values, result));
      return result;
    }
    frame.spend(1);
    return noSuchOverload();
  };
}

function takes({ params }: Overload, values: readonly CelValue[]): boolean {
  for (let index = 0; index < values.length; index++) {
    if (!hasType(values[index] as CelValue, params[index] as CelType)) return false;
  }
  return true;
}

/** Spreading the usual one or two arguments would take longer than most calls. */
function apply(call: AnyCall, values: readonly CelValue[]): CelValue {
  if (values.length === 1) return call(values[0] as CelValue);
  return values.length === 2 ? call(values[0] as CelValue, values[1] as CelValue) : call(...values);
}

function evaluateAll(frame: Frame, steps: readonly Step[]): CelValue[] | CelError {
  const values: CelValue[] = [];
  for (const step of steps) {
    const value = step(frame);
    if (value instanceof CelError) return value;
    values.push(value);
  }
  return values;
}
