// Plans of `operand.field` and `has(operand.field)`. Fields of declared objects are not looked up by name each time, and
// the JSON that a loop goes over is read in place, without making a value of every element.

import { type Adapter, fromJson, ownValue } from "../json.ts";
import { hasField, select } from "../operations/operators.ts";
import { readInt, readString } from "../schema/scalars.ts";
import type { Select } from "../syntax/ast.ts";
import { isOptionalType } from "../types.ts";
import type { CelValue } from "../values.ts";
import type { Frame, Step } from "./frame.ts";
import { isNone } from "./plan-index.ts";
import { type Planner, SELECT_COST } from "./planner.ts";

export function planField(planner: Planner, expr: Select, unit: number): Step {
  const { field } = expr;
  const cost = unit + SELECT_COST;
  const inPlace = fieldInPlace(planner, expr);
  if (inPlace !== undefined) return readInPlace(inPlace, field, cost);
  const access = planner.structOf(expr.operand)?.accessor?.(field);
  const variable = access === undefined || expr.operand.kind !== "ident" ? undefined : planner.globalSlot(expr.operand);
  if (access !== undefined && variable !== undefined) return readGlobal(variable, access, field, cost);
  const operand = planner.planPart(expr.operand);
  if (isOptionalType(planner.typeOf(expr.operand))) return readOptional(operand, field, unit);
  if (access === undefined) {
    return (frame) => {
      frame.cost += cost;
      return select(operand(frame), field);
    };
  }
  return (frame) => {
    frame.cost += cost;
    const object = operand(frame);
    const found = access(object);
    return found === undefined ? select(object, field) : found;
  };
}

/** What is optional costs its unit only when it is there. */
function readOptional(operand: Step, field: string, unit: number): Step {
  return (frame) => {
    frame.cost += unit;
    const found = select(operand(frame), field);
    if (!isNone(found)) frame.cost += SELECT_COST;
    return found;
  };
}

/** `self.field`, the most common of all, in one step. */
function readGlobal(
  slot: number,
  access: (value: CelValue) => CelValue | undefined,
  field: string,
  cost: number,
): Step {
  return (frame) => {
    frame.cost += cost;
    const object = frame.global(slot);
    const found = access(object);
    return found === undefined ? select(object, field) : found;
  };
}

/** A test costs the unit of its field, but not that of its attribute. */
export function planHas(planner: Planner, expr: Select): Step {
  const { field } = expr;
  const inPlace = fieldInPlace(planner, expr);
  if (inPlace === undefined) {
    const operand = planner.planPart(expr.operand);
    return (frame) => {
      frame.cost += SELECT_COST;
      return hasField(operand(frame), field);
    };
  }
  const { slot, objects, property, nullIsSet } = inPlace;
  return (frame) => {
    frame.cost += SELECT_COST;
    if (frame.adapters[slot] !== objects) return hasField(frame.local(slot), field);
    const raw = ownValue(frame.locals[slot] as JsonObject, property);
    return raw !== undefined && (raw !== null || nullIsSet);
  };
}

type JsonObject = Readonly<Record<string, unknown>>;

interface FieldInPlace {
  readonly slot: number;
  /** The adapter of the objects that have the field so. */
  readonly objects: Adapter;
  readonly property: string;
  readonly adapt: Adapter;
  /** In maps null is a value; in declared objects it is the same as nothing. */
  readonly nullIsSet: boolean;
}

/** A field of a loop's variable that may hold the JSON itself. */
function fieldInPlace(planner: Planner, { operand, field }: Select): FieldInPlace | undefined {
  const slot = operand.kind === "ident" ? planner.jsonSlot(operand) : undefined;
  if (slot === undefined) return undefined;
  if (planner.typeOf(operand).kind === "dyn") {
    return { slot, objects: fromJson, property: field, adapt: fromJson, nullIsSet: true };
  }
  const json = planner.structOf(operand)?.json;
  const found = json?.field(field);
  if (json === undefined || found === undefined) return undefined;
  return { slot, objects: json.adapt, ...found, nullIsSet: false };
}

function readInPlace(inPlace: FieldInPlace, field: string, cost: number): Step {
  const { slot, objects, property, adapt, nullIsSet } = inPlace;
  const takesText = adapt === readString || adapt === fromJson;
  const takesInt = adapt === readInt || adapt === fromJson;
  const slow = (frame: Frame): ReturnType<Step> => {
    if (frame.adapters[slot] !== objects) return select(frame.local(slot), field);
    const raw = ownValue(frame.locals[slot] as JsonObject, property);
    const unset = raw === undefined || (raw === null && !nullIsSet);
    return unset ? select(frame.local(slot), field) : adapt(raw);
  };
  return (frame) => {
    frame.cost += cost;
    if (frame.adapters[slot] !== objects) return slow(frame);
    const raw = (frame.locals[slot] as JsonObject)[property];
    if (typeof raw === "string") return takesText ? raw : adapt(raw);
    // Adding zero turns -0 into 0: an int has no negative zero.
    return takesInt && typeof raw === "number" && Number.isSafeInteger(raw) ? raw + 0 : slow(frame);
  };
}
