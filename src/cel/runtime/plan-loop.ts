// Plans of comprehensions. The shapes that the macros make have loops of their own, which cost the same units as the
// general one but build lists in place.

import { CelError } from "../errors.ts";
import { JsonList } from "../json.ts";
import { LiteralMap } from "../operations/maps.ts";
import type { Comprehension, Expr } from "../syntax/ast.ts";
import { Op } from "../syntax/ast.ts";
import { firstParam } from "../types.ts";
import { CelList, CelMap, type CelValue, isList, listAt, listSize } from "../values.ts";
import { logicalError } from "./charge.ts";
import { constantOf } from "./constants.ts";
import type { Frame, Step } from "./frame.ts";
import { type LoopParts, NO_RANGE, putItem, type Slots, type Turn } from "./loop-parts.ts";
import { pausableBinding, pausableLoop } from "./plan-pausable.ts";
import { LIST_COST, type Planner, UNREAD } from "./planner.ts";

export function planComprehension(planner: Planner, expr: Comprehension): Step {
  if (isEmptyList(expr.range)) return planBinding(planner, expr);
  const range = planner.plan(expr.range);
  const init = planStart(planner, expr.init);
  const json = mayHoldJson(planner, expr);
  const accu = planner.open(expr.accuVar);
  const first = planner.open(expr.iterVar, { json });
  const second = expr.iterVar2 === undefined ? -1 : planner.open(expr.iterVar2);
  const slots: Slots = { accu, first, second, json };
  const turn =
    planPredicate(planner, expr, slots) ?? planAppend(planner, expr, slots) ?? planTurn(planner, expr, slots);
  planner.close(second < 0 ? 1 : 2);
  const result = planner.plan(expr.result);
  planner.close(1);
  const parts: LoopParts = { range, init, slots, turn, result };
  return planner.pausable ? pausableLoop(parts) : wholeLoop(parts);
}

function wholeLoop({ range, init, slots, turn, result }: LoopParts): Step {
  return (frame) => {
    const items = range(frame);
    if (items instanceof CelError) return items;
    // A failed start is a value like others: it matters only where it is read.
    frame.locals[slots.accu] = init(frame);
    return eachItem(frame, items, slots, turn) ?? result(frame);
  };
}

/** Lists and maps grow in place, so every run has one of its own. */
function planStart(planner: Planner, init: Expr): Step {
  if (isEmptyMap(init)) return () => new LiteralMap();
  return isEmptyList(init) ? () => [] : planner.plan(init);
}

/** A loop over nothing names a value, which is worked out when it is first read. */
function planBinding(planner: Planner, expr: Comprehension): Step {
  const init = planner.plan(expr.init);
  const slot = planner.open(expr.accuVar, { init });
  const result = planner.plan(expr.result);
  planner.close(1);
  if (planner.pausable) return pausableBinding(slot, result);
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

function planTurn(planner: Planner, expr: Comprehension, { accu }: Slots): Turn {
  const condition = planner.plan(expr.condition);
  const step = planner.plan(expr.step);
  return (frame) => {
    if (condition(frame) === false) return false;
    frame.locals[accu] = step(frame);
    return true;
  };
}

/** Condition and accumulator of `all` and `exists`, read once per turn each. */
const PREDICATE_TURN_COST = 2;

/** `all` and `exists`: stops at the first value that decides; errors matter only when nothing decides. */
function planPredicate(planner: Planner, expr: Comprehension, slots: Slots): Turn | undefined {
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
  return (frame) => {
    const { locals } = frame;
    const accu = locals[slots.accu] as CelValue;
    frame.cost += turnCost;
    if (accu === decisive) return false;
    frame.cost += 1;
    const value = predicate(frame);
    if (value === decisive) locals[slots.accu] = decisive;
    else if (value !== !decisive || accu !== !decisive) locals[slots.accu] = logicalError(accu, value);
    return true;
  };
}

/** `map` and `filter`: appends to one list instead of joining a list per turn. */
function planAppend(planner: Planner, expr: Comprehension, slots: Slots): Turn | undefined {
  const { init, condition, step } = expr;
  if (!isEmptyList(init)) return undefined;
  if (condition.kind !== "literal" || condition.value !== true || step.kind !== "call") return undefined;
  const [test, append, otherwise] = step.args;
  const filtered = step.fn === Op.conditional && isAccu(otherwise, expr);
  const element = appendedElement(filtered ? append : step, expr);
  if (element === undefined) return undefined;
  const predicate = filtered && test !== undefined ? planner.plan(test) : undefined;
  const value = planner.plan(element);
  // The accumulator, the list of one element, and joining both.
  const turnCost = 2 + (constantOf(value) === undefined ? LIST_COST : 0);
  return (frame) => {
    if (predicate !== undefined) {
      const chosen = predicate(frame);
      if (chosen === false) return true;
      if (chosen !== true) {
        frame.locals[slots.accu] = logicalError(chosen, chosen);
        return false;
      }
    }
    frame.cost += turnCost;
    const item = value(frame);
    if (item instanceof CelError) {
      frame.locals[slots.accu] = item;
      return false;
    }
    (frame.locals[slots.accu] as CelValue[]).push(item);
    return true;
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
function eachItem(frame: Frame, range: CelValue, slots: Slots, turn: Turn): CelError | undefined {
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
  return NO_RANGE;
}

/** The usual loop: one variable over a list of an object. */
function eachOf(frame: Frame, { raw, adapt }: JsonList, slots: Slots, turn: Turn): undefined {
  for (let index = 0; index < raw.length; index++) {
    frame.turn();
    putItem(frame, slots, raw[index], adapt);
    if (!turn(frame)) return undefined;
  }
  return undefined;
}
