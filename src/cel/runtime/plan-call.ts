// Plans of function calls: straight to the one overload the checker chose, or by the values where types are dynamic.

import type { Steps } from "../../base/steps.ts";
import type { Overload } from "../declarations.ts";
import { CelError, noSuchOverload } from "../errors.ts";
import { compilePattern } from "../operations/patterns.ts";
import type { Call } from "../syntax/ast.ts";
import { type CelType, DYN } from "../types.ts";
import { CelOptional, type CelValue, hasType, typeOf } from "../values.ts";
import { constantOf, constantStep, InstantiationError } from "./constants.ts";
import { Frame, type Step } from "./frame.ts";
import { InParts, pausableParts } from "./plan-pausable.ts";
import type { Planner } from "./planner.ts";

type AnyCall = (...args: CelValue[]) => CelValue;

export function planCall(planner: Planner, expr: Call): Step {
  const { name, overloads, args } = planner.overloadsOf(expr);
  const steps = args.map((arg) => planner.plan(arg));
  const [only] = overloads;
  if (only === undefined) {
    const error = new CelError(`no such overload: ${expr.fn}`, "noSuchOverload");
    return () => error;
  }
  const choice = OPTIONAL_CHOICES.get(only.id);
  if (choice !== undefined) return choice(...(steps as [Step, Step]));
  const fits = overloads.length === 1 && args.every((arg, index) => isOneSort(only.params[index], planner.typeOf(arg)));
  const long = planner.pausable && overloads.some(({ callInSteps }) => callInSteps !== undefined);
  const step = fits ? directCall(name, only, steps, long) : dispatchedCall(name, overloads, steps, long);
  const pattern = PATTERN_FUNCTIONS.has(expr.fn) && steps[1] !== undefined ? constantOf(steps[1]) : undefined;
  if (typeof pattern === "string") checkPattern(pattern);
  return CONVERSIONS.has(expr.fn) && steps.length === 1 ? converted(step, steps[0] as Step) : step;
}

/** Functions whose second argument is a pattern. */
const PATTERN_FUNCTIONS: ReadonlySet<string> = new Set(["matches", "find", "findAll"]);

function checkPattern(pattern: string): void {
  const compiled = compilePattern(pattern);
  if (compiled instanceof CelError) throw new InstantiationError(compiled.message);
}

/** Conversions of constants are carried out here: one that fails would fail each time. */
const CONVERSIONS: ReadonlySet<string> = new Set(
  "bool bytes double duration dyn int string timestamp type uint".split(" "),
);

function converted(step: Step, argument: Step): Step {
  if (constantOf(argument) === undefined) return step;
  const value = step(new Frame({}, [], 0, Number.POSITIVE_INFINITY, undefined, undefined));
  if (value instanceof CelError) throw new InstantiationError(value.message);
  return constantStep(value);
}

/**
 * `a.or(b)` and `a.orValue(b)` look at the right side only when there is nothing on the left, and cost nothing. What is no
 * optional is there, as upstream sees it.
 */
const OPTIONAL_CHOICES = new Map<string, (left: Step, right: Step) => Step>([
  ["optional_or_optional", (left, right) => planChoice(left, right, (optional) => optional)],
  ["optional_orValue_value", (left, right) => planChoice(left, right, (optional) => optional.value as CelValue)],
]);

function planChoice(left: Step, right: Step, chosen: (optional: CelOptional) => CelValue): Step {
  return (frame) => {
    const optional = left(frame);
    if (!(optional instanceof CelOptional)) return optional;
    return optional.value === undefined ? right(frame) : chosen(optional);
  };
}

/** Whether the argument's type is of the parameter's sort: nearly all of its values are then. */
function isOneSort(param: CelType | undefined, type: CelType): boolean {
  if (param === undefined) return false;
  if (param.kind === "dyn" || param.kind === "param") return true;
  return param.kind === type.kind && param.name === type.name;
}

type AnyCallInSteps = (...args: readonly CelValue[]) => Steps<CelValue> | undefined;

/** With pauses where the arguments are large. */
function callInParts({ callInSteps, call }: Overload, values: readonly CelValue[]): CelValue | InParts {
  const steps = (callInSteps as AnyCallInSteps | undefined)?.(...values);
  return steps === undefined ? apply(call as AnyCall, values) : new InParts(steps);
}

/**
 * A call costs the same when one of its arguments is an error. What it costs is spent before it is made. The types alone
 * prove nothing: a list of texts may hold null, and `['a'] + dyn(x)` is one that may hold anything.
 */
function directCall(name: string, overload: Overload, steps: readonly Step[], long: boolean): Step {
  const call = overload.call as AnyCall;
  const { cost, resultCost } = overload;
  const [first, second] = steps;
  const [firstParam = DYN, secondParam = DYN] = overload.unguarded ? [] : overload.params;
  if (resultCost === undefined && steps.length === 1 && first !== undefined) {
    const made = (frame: Frame) => {
      const a = first(frame);
      const error = a instanceof CelError ? a : undefined;
      if (error === undefined && !hasType(a, firstParam)) return misfit(frame, name, [a]);
      if (cost === undefined) frame.cost += 1;
      else frame.spend(cost([a]));
      if (error !== undefined) return error;
      return long ? callInParts(overload, [a]) : call(a);
    };
    return long ? pausableParts(made) : (made as Step);
  }
  if (resultCost === undefined && steps.length === 2 && first !== undefined && second !== undefined) {
    const made = (frame: Frame) => {
      const a = first(frame);
      const b = second(frame);
      const error = a instanceof CelError ? a : b instanceof CelError ? b : undefined;
      if (error === undefined && !(hasType(a, firstParam) && hasType(b, secondParam)))
        return misfit(frame, name, [a, b]);
      if (cost === undefined) frame.cost += 1;
      else frame.spend(cost([a, b]));
      if (error !== undefined) return error;
      return long ? callInParts(overload, [a, b]) : call(a, b);
    };
    return long ? pausableParts(made) : (made as Step);
  }
  return dispatchedCall(name, [overload], steps, long);
}

function misfit(frame: Frame, name: string, values: readonly CelValue[]): CelError {
  frame.spend(1);
  return noVersionFor(name, values);
}

function dispatchedCall(name: string, overloads: readonly Overload[], steps: readonly Step[], long: boolean): Step {
  const known = overloads.length === 1;
  const made = (frame: Frame) => {
    const values = evaluateAll(frame, steps);
    if (values instanceof CelError) {
      if (steps.length <= 2) frame.cost += 1;
      return values;
    }
    const overload = overloads.find((one) => takes(one, values));
    if (overload === undefined) return misfit(frame, name, values);
    const { cost, resultCost, call } = overload;
    const counted = known || !overload.costWhenKnown;
    if (cost !== undefined && counted) frame.spend(cost(values));
    else if (resultCost === undefined || !counted) frame.spend(1);
    const result = long ? callInParts(overload, values) : apply(call as AnyCall, values);
    if (resultCost === undefined || !counted) return result;
    if (result instanceof InParts) return new InParts(paidFor(result.steps, frame, resultCost));
    frame.spend(resultCost(result));
    return result;
  };
  return long ? pausableParts(made) : (made as Step);
}

/** What only the result tells the cost of. */
function* paidFor(steps: Steps<CelValue>, frame: Frame, costOf: (result: CelValue) => number): Steps<CelValue> {
  const result = yield* steps;
  frame.spend(costOf(result));
  return result;
}

/** What upstream leaves to the value that they are called on tells no more than that. */
const UNNAMED: ReadonlySet<string> = new Set(["startsWith", "endsWith", "contains", "matches", "find", "findAll"]);

function noVersionFor(name: string, values: readonly CelValue[]): CelError {
  if (UNNAMED.has(name)) return noSuchOverload();
  const called = name === "size" ? name : `${name}(${values.map((value) => typeOf(value).name).join(", ")})`;
  return new CelError(`no such overload: ${called}`, "noSuchOverload");
}

function takes({ params, unguarded }: Overload, values: readonly CelValue[]): boolean {
  if (unguarded) return true;
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
