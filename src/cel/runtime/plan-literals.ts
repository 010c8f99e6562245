// Plans of list, map and object literals. A literal of constants is made once and costs nothing.

import type { StructDeclaration } from "../declarations.ts";
import { CelError } from "../errors.ts";
import { LiteralMap } from "../operations/maps.ts";
import type { ListExpr, MapExpr, StructExpr } from "../syntax/ast.ts";
import { CelOptional, type CelValue } from "../values.ts";
import { constantOf, constantStep } from "./constants.ts";
import type { Step } from "./frame.ts";
import { LIST_COST, MAP_COST, type Planner, STRUCT_COST } from "./planner.ts";

export function planList(planner: Planner, expr: ListExpr): Step {
  const elements = expr.elements.map((element) => planner.plan(element));
  if (expr.optionals.length > 0) return optionalList(elements, new Set(expr.optionals));
  const constants = constantsOf(elements);
  if (constants !== undefined) return constantStep(constants);
  return (frame) => {
    frame.cost += LIST_COST;
    const items: CelValue[] = [];
    for (const element of elements) {
      const value = element(frame);
      if (value instanceof CelError) return value;
      items.push(value);
    }
    return items;
  };
}

function constantsOf(steps: readonly Step[]): readonly CelValue[] | undefined {
  const values: CelValue[] = [];
  for (const step of steps) {
    const value = constantOf(step);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

function optionalList(elements: readonly Step[], optionals: ReadonlySet<number>): Step {
  return (frame) => {
    frame.cost += LIST_COST;
    const items: CelValue[] = [];
    for (const [position, element] of elements.entries()) {
      const value = element(frame);
      if (value instanceof CelError) return value;
      if (!optionals.has(position)) items.push(value);
      else if (!(value instanceof CelOptional)) return notOptional(value);
      else if (value.value !== undefined) items.push(value.value);
    }
    return items;
  };
}

export function planMap(planner: Planner, expr: MapExpr): Step {
  const entries = expr.entries.map((entry) => ({
    key: planner.plan(entry.key),
    value: planner.plan(entry.value),
    optional: entry.optional,
  }));
  const keys = constantsOf(entries.map((entry) => entry.key));
  const values = constantsOf(entries.map((entry) => entry.value));
  if (keys !== undefined && values !== undefined && entries.every((entry) => !entry.optional)) {
    const map = new LiteralMap();
    if (keys.every((key, index) => map.insert(key, values[index] as CelValue) === undefined)) return constantStep(map);
  }
  return (frame) => {
    frame.cost += MAP_COST;
    const map = new LiteralMap();
    for (const entry of entries) {
      const key = entry.key(frame);
      if (key instanceof CelError) return key;
      let value = entry.value(frame);
      if (value instanceof CelError) return value;
      if (entry.optional) {
        if (!(value instanceof CelOptional)) return notOptional(value);
        if (value.value === undefined) continue;
        value = value.value;
      }
      const problem = map.insert(key, value);
      if (problem !== undefined) return problem;
    }
    return map;
  };
}

export function planStruct(planner: Planner, expr: StructExpr, declaration: StructDeclaration | undefined): Step {
  const create = declaration?.create?.bind(declaration);
  if (create === undefined) {
    const error = new CelError(`unknown type '${expr.typeName}'`);
    return () => error;
  }
  const fields = expr.fields.map((field) => ({
    name: field.name,
    value: planner.plan(field.value),
    optional: field.optional,
  }));
  return (frame) => {
    frame.cost += STRUCT_COST;
    const values = new Map<string, CelValue>();
    for (const field of fields) {
      const value = field.value(frame);
      if (value instanceof CelError) return value;
      if (!field.optional) values.set(field.name, value);
      else if (!(value instanceof CelOptional)) return notOptional(value);
      else if (value.value !== undefined) values.set(field.name, value.value);
    }
    return create(values);
  };
}

function notOptional(value: CelValue): CelError {
  return new CelError(`cannot initialize optional entry from non-optional value ${String(value)}`);
}
