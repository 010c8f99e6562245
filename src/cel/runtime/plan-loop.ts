// Plans of comprehensions. The shapes that the macros make have loops of their own, which cost the same units as the
// general one but build lists in place.

import { CelError } from "../errors.ts";
import { isJsonObject, JsonList } from "../json.ts";
import { LiteralMap } from "../operations/maps.ts";
import type { Comprehension, Expr } from "../syntax/ast.ts";
import { Op } from "../syntax/ast.ts";
import { firstParam } from "../types.ts";
import { CelList, CelMap, type CelValue, isList, listAt, listSize } from "../values.ts";
import { logicalError } from "./charge.ts";
import { constantOf } from "./constants.ts";
import type { Frame, Step } from "./frame.ts";
import { LIST_COST, type Planner, UNREAD } from "./planner.ts";

export function planComprehension(planner: Planner, expr: Comprehension): Step {
  if (isEmptyList(expr.range)) return planBinding(planner, expr);
  const range = planner.plan(expr.range);
  // A map grows in place, so every run has one of its own.
  const init: Step = isEmptyMap(expr.init) ? () => new LiteralMap() : planner.plan(expr.init);
  const json = mayHoldJson(planner, expr);
  const accu = planner.open(expr.accuVar);
  const first = planner.open(expr.iterVar, { json });
  const second = expr.iterVar2 === undefined ? -1 : planner.open(expr.iterVar2);
  const slots: Slots = { accu, first, second, json };
  const body =
    planPredicateLoop(planner, expr, slots) ?? planListLoop(planner, expr, slots) ?? planLoop(planner, expr, slots);
  planner.close(second < 0 ? 1 : 2);
  const result = planner.plan(expr.result);
  planner.close(1);
  return (frame) => {
    const items = range(frame);
    if (items instanceof CelError) return items;
    // A failed start is a value like others: it matters only where it is read.
    const error = body(frame, items, init(frame));
    return error ?? result(frame);
  };
}

/** A loop over nothing names a value, which is worked out when it is first read. */
function planBinding(planner: Planner, expr: Comprehension): Step {
  const init = planner.plan(expr.init);
  const slot = planner.open(expr.accuVar, { init });
  const result = planner.plan(expr.result);
  planner.close(1);
  return (frame) => {
    frame.locals[slot] = UNREAD;
    return result(frame);
  };
}

function isEmptyList(expr: Expr): boolean {
  return expr.kind === "list" && expr.elements.length === 0;
}

function isEmptyMap(expr: Expr): boolean {
  return expr.kind === "map" && expr.entries.length === 0;
}

/** Whether the loop goes over objects of JSON: their fields are read without making values of the objects. */
function mayHoldJson(planner: Planner, expr: Comprehension): boolean {
  if (expr.iterVar2 !== undefined) return false;
  const type = planner.typeOf(expr.range);
  if (type.kind === "dyn") return true;
  const element = type.kind === "list" ? firstParam(type).kind : undefined;
  return element === "struct" || element === "dyn";
}

interface Slots {
  readonly accu: number;
  readonly first: number;
  /** -1 when the loop has one variable. */
  readonly second: number;
  /** Whether the first may hold JSON. */
  readonly json: boolean;
}

/** Runs a loop and leaves the accumulated value in its slot; gives an error only when it cannot run at all. */
type Loop = (frame: Frame, range: CelValue, start: CelValue) => CelError | undefined;

function planLoop(planner: Planner, expr: Comprehension, slots: Slots): Loop {
  const condition = planner.plan(expr.condition);
  const step = planner.plan(expr.step);
  const turn = (frame: Frame): boolean => {
    if (condition(frame) === false) return false;
    frame.locals[slots.accu] = step(frame);
    return true;
  };
  return (frame, range, start) => {
    frame.locals[slots.accu] = start;
    return eachItem(frame, range, slots, turn);
  };
}

/** Condition and accumulator of `all` and `exists`, read once per turn each. */
const PREDICATE_TURN_COST = 2;

/** `all` and `exists`: stops at the first value that decides; errors matter only when nothing decides. */
function planPredicateLoop(planner: Planner, expr: Comprehension, slots: Slots): Loop | undefined {
  const { condition, step } = expr;
  if (condition.kind !== "call" || condition.fn !== Op.notStrictlyFalse || step.kind !== "call") return undefined;
  const tested = condition.args[0];
  const [left, right] = step.args;
  if (tested === undefined || left === undefined || right === undefined || !isAccu(left, expr)) return undefined;
  const all = step.fn === Op.and && isAccu(tested, expr);
  const exists = step.fn === Op.or && tested.kind === "call" && tested.fn === Op.not && isAccu(tested.args[0], expr);
  if (!all && !exists) return undefined;
  const predicate = planner.plan(right);
  const decisive = exists;
  const turnCost = PREDICATE_TURN_COST + (exists ? 1 : 0);
  return (frame, range, start) => {
    let accu = start;
    const problem = eachItem(frame, range, slots, (at) => {
      at.cost += turnCost;
      if (accu === decisive) return false;
      at.cost += 1;
      const value = predicate(at);
      if (value === decisive) accu = decisive;
      else if (value !== !decisive || accu !== !decisive) accu = logicalError(accu, value);
      return true;
    });
    frame.locals[slots.accu] = accu;
    return problem;
  };
}

/** `map` and `filter`: appends to one list instead of joining a list per turn. */
function planListLoop(planner: Planner, expr: Comprehension, slots: Slots): Loop | undefined {
  const { init, condition, step } = expr;
  if (init.kind !== "list" || init.elements.length > 0) return undefined;
  if (condition.kind !== "literal" || condition.value !== true || step.kind !== "call") return undefined;
  const [test, append, otherwise] = step.args;
  const filtered = step.fn === Op.conditional && isAccu(otherwise, expr);
  const element = appendedElement(filtered ? append : step, expr);
  if (element === undefined) return undefined;
  const predicate = filtered && test !== undefined ? planner.plan(test) : undefined;
  const value = planner.plan(element);
  // The accumulator, the list of one element, and joining both.
  const turnCost = 2 + (constantOf(value) === undefined ? LIST_COST : 0);
  return (frame, range) => {
    const items: CelValue[] = [];
    let failed: CelError | undefined;
    const { locals } = frame;
    const problem = eachItem(frame, range, slots, () => {
      if (predicate !== undefined) {
        const chosen = predicate(frame);
        if (chosen === false) return true;
        if (chosen !== true) {
          failed = logicalError(chosen, chosen);
          return false;
        }
      }
      frame.cost += turnCost;
      const item = value(frame);
      if (item instanceof CelError) {
        failed = item;
        return false;
      }
      items.push(item);
      return true;
    });
    locals[slots.accu] = failed ?? items;
    return problem;
  };
}

function appendedElement(step: Expr | undefined, expr: Comprehension): Expr | undefined {
  if (step?.kind !== "call" || step.fn !== Op.add || !isAccu(step.args[0], expr)) return undefined;
  const list = step.args[1];
  if (list?.kind !== "list" || list.elements.length !== 1 || list.optionals.length > 0) return undefined;
  return list.elements[0];
}

function isAccu(expr: Expr | undefined, loop: Comprehension): boolean {
  return expr?.kind === "ident" && expr.name === loop.accuVar;
}

/** Goes through a list or map until `turn` says false. */
function eachItem(frame: Frame, range: CelValue, slots: Slots, turn: (frame: Frame) => boolean): CelError | undefined {
  const { locals } = frame;
  const { first, second } = slots;
  if (second < 0 && range instanceof JsonList) return eachOf(frame, range, slots, turn);
  frame.adapters[first] = undefined;
  if (isList(range)) {
    const size = listSize(range);
    for (let index = 0; index < size; index++) {
      frame.turn();
      const item = range instanceof CelList ? range.at(index) : listAt(range, index);
      if (second < 0) {
        locals[first] = item;
      } else {
        locals[first] = index;
        locals[second] = item;
      }
      if (!turn(frame)) return undefined;
    }
    return undefined;
  }
  if (range instanceof CelMap) {
    for (const key of range.keys()) {
      frame.turn();
      locals[first] = key;
      if (second >= 0) locals[second] = range.get(key) ?? null;
      if (!turn(frame)) return undefined;
    }
    return undefined;
  }
  return new CelError("got a value that is neither list nor map for a comprehension range", "noSuchOverload");
}

/** The usual loop: one variable over a list of an object. */
function eachOf(frame: Frame, range: JsonList, slots: Slots, turn: (frame: Frame) => boolean): undefined {
  const { locals, adapters } = frame;
  const { raw, adapt } = range;
  const { first, json } = slots;
  for (let index = 0; index < raw.length; index++) {
    frame.turn();
    const item = raw[index];
    if (json && isJsonObject(item)) {
      locals[first] = item;
      adapters[first] = adapt;
    } else {
      locals[first] = adapt(item);
      adapters[first] = undefined;
    }
    if (!turn(frame)) return undefined;
  }
  return undefined;
}
