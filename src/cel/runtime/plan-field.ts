// Plans of `operand.field` and `has(operand.field)`. Fields of declared objects are not looked up by name each time, and
// the JSON that a loop goes over is read in place, without making a value of every element.

import { type Adapter, fromJson, ownValue } from "../json.ts";
import { readInt, readString } from "../schema/scalars.ts";
import type { Select } from "../syntax/ast.ts";
import type { CelValue } from "../values.ts";
import type { Frame, Step } from "./frame.ts";
import { hasField, select } from "./operations.ts";
import { IDENT_COST, type Planner, SELECT_COST } from "./plan.ts";

export function planField(planner: Planner, expr: Select): Step {
  const { field } = expr;
  const inPlace = fieldInPlace(planner, expr);
  if (inPlace !== undefined) return readInPlace(inPlace, field);
  const access = planner.structOf(expr.operand)?.accessor?.(field);
  const variable = access === undefined || expr.operand.kind !== "ident" ? undefined : planner.globalSlot(expr.operand);
  if (access !== undefined && variable !== undefined) return readGlobal(variable, access, field);
  const operand = planner.plan(expr.operand);
  if (access === undefined) {
    return (frame) => {
      frame.cost += SELECT_COST;
      return select(operand(frame), field);
    };
  }
  return (frame) => {
    frame.cost += SELECT_COST;
    const object = operand(frame);
    const found = access(object);
    return found === undefined ? select(object, field) : found;
  };
}

/** `self.field`, the most common of all, in one step. */
function readGlobal(slot: number, access: (value: CelValue) => CelValue | undefined, field: string): Step {
  return (frame) => {
    frame.cost += IDENT_COST + SELECT_COST;
    const object = frame.global(slot);
    const found = access(object);
    return found === undefined ? select(object, field) : found;
  };
}

export function planHas(planner: Planner, expr: Select): Step {
  const { field } = expr;
  const inPlace = fieldInPlace(planner, expr);
  if (inPlace === undefined) {
    const operand = planner.plan(expr.operand);
    return (frame) => hasField(operand(frame), field);
  }
  const { slot, objects, property } = inPlace;
  return (frame) => {
    frame.cost += IDENT_COST;
    if (frame.adapters[slot] !== objects) return hasField(frame.local(slot), field);
    return ownValue(frame.locals[slot] as JsonObject, property) !== undefined;
  };
}

type JsonObject = Readonly<Record<string, unknown>>;

interface FieldInPlace {
  readonly slot: number;
  /** The adapter of the objects that have the field so. */
  readonly objects: Adapter;
  readonly property: string;
  readonly adapt: Adapter;
}

/** A field of a loop's variable that may hold the JSON itself. */
function fieldInPlace(planner: Planner, { operand, field }: Select): FieldInPlace | undefined {
  const slot = operand.kind === "ident" ? planner.jsonSlot(operand) : undefined;
  if (slot === undefined) return undefined;
  if (planner.typeOf(operand).kind === "dyn") return { slot, objects: fromJson, property: field, adapt: fromJson };
  const json = planner.structOf(operand)?.json;
  const found = json?.field(field);
  return json === undefined || found === undefined ? undefined : { slot, objects: json.adapt, ...found };
}

function readInPlace({ slot, objects, property, adapt }: FieldInPlace, field: string): Step {
  const takesText = adapt === readString || adapt === fromJson;
  const takesInt = adapt === readInt || adapt === fromJson;
  const cost = IDENT_COST + SELECT_COST;
  const slow = (frame: Frame): ReturnType<Step> => {
    if (frame.adapters[slot] !== objects) return select(frame.local(slot), field);
    const raw = ownValue(frame.locals[slot] as JsonObject, property);
    return raw === undefined ? select(frame.local(slot), field) : adapt(raw);
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
