// One shaper per schema node, made on first use and kept: structs, maps and lists here, leaves in shape-leaf.ts.

import { equalJson, setKey } from "../base/json.ts";
import type { Field, ListSchema, MapSchema, Schema, StructSchema } from "./schema.ts";
import { anyShaper, cloneBounded, scalarShaper } from "./shape-leaf.ts";
import { sortedKeys } from "./sorted-keys.ts";
import type { Walk } from "./walk.ts";

export interface Shaper {
  /** The value in shape. Never called with null: null is the absence of a value. */
  shape(value: unknown, walk: Walk): unknown;
  /** A fresh value for a place that cannot stay empty. */
  zero(): unknown;
  /** Whether a shaped value counts as empty; absent where none does (structs, times, quantities). */
  isEmpty?(shaped: unknown): boolean;
}

export interface FieldShaper {
  readonly name: string;
  /** Position in JSON order. */
  readonly index: number;
  readonly gate: string | undefined;
  shape(value: unknown, walk: Walk): unknown;
  /** Whether a shaped value is dropped; undefined: never. */
  readonly omits: ((shaped: unknown) => boolean) | undefined;
  /** What is written when nothing was given; undefined: nothing. */
  readonly absent: (() => unknown) | undefined;
}

export function shaperOf(schema: Schema): Shaper {
  let shaper = SHAPERS.get(schema);
  if (shaper === undefined) {
    shaper = makeShaper(schema);
    SHAPERS.set(schema, shaper);
  }
  return shaper;
}

const SHAPERS = new WeakMap<Schema, Shaper>();

function makeShaper(schema: Schema): Shaper {
  switch (schema.type) {
    case "struct":
      return structShaper(schema);
    case "map":
      return mapShaper(schema);
    case "list":
      return listShaper(schema);
    case "any":
      return anyShaper(schema, shaperOf);
    case "scalar":
      return scalarShaper(schema);
  }
}

interface StructPlan {
  readonly byName: ReadonlyMap<string, FieldShaper>;
  /** The fields that are written although absent, in JSON order. */
  readonly always: readonly FieldShaper[];
}

function structShaper(schema: StructSchema): Shaper {
  let plan: StructPlan | undefined;
  // On first use, so that structs may contain themselves.
  const planned = (): StructPlan => {
    plan ??= planStruct(schema);
    return plan;
  };
  return {
    shape(value, walk) {
      if (typeof value !== "object" || Array.isArray(value)) throw walk.mismatch(value, schema);
      return shapeStruct(value as Record<string, unknown>, planned(), walk);
    },
    zero() {
      const result: Record<string, unknown> = {};
      for (const field of planned().always) result[field.name] = field.absent?.();
      return result;
    },
  };
}

function planStruct(schema: StructSchema): StructPlan {
  const byName = new Map<string, FieldShaper>();
  for (const field of schema.fields.values()) byName.set(field.name, planField(field, byName.size));
  return { byName, always: [...byName.values()].filter((field) => field.absent !== undefined) };
}

function planField(field: Field, index: number): FieldShaper {
  const shaper = shaperOf(field.schema);
  const base = { name: field.name, index, gate: field.gate, shape: shaper.shape };
  const mayOmit = field.omitEmpty === true || field.omitZero === true;
  if (field.pointer) return { ...base, omits: undefined, absent: mayOmit ? undefined : () => null };
  if (field.omitZero) return { ...base, omits: (shaped) => equalJson(shaped, shaper.zero()), absent: undefined };
  if (mayOmit && shaper.isEmpty !== undefined) return { ...base, omits: shaper.isEmpty, absent: undefined };
  return { ...base, omits: undefined, absent: shaper.zero };
}

// Fields are shaped in the order of the text, so that the first error is the one upstream reports, and written in the
// order of the schema.
function shapeStruct(value: Record<string, unknown>, plan: StructPlan, walk: Walk): Record<string, unknown> {
  const base = walk.slots;
  const depth = walk.depth;
  walk.enter();
  let extra: Record<string, unknown> | undefined;
  let lastIndex = -1;
  let ordered = true;
  for (const key in value) {
    const given = value[key];
    const field = plan.byName.get(key);
    if (field === undefined) {
      walk.depth = depth;
      walk.reportUnknown(key);
      walk.depth = depth + 1;
      if (walk.unknownFields === "keep") {
        extra ??= {};
        setKey(extra, key, cloneBounded(given, walk));
      }
      continue;
    }
    if (given === null || given === undefined) continue;
    walk.path[depth] = key;
    const shaped = field.shape(given, walk);
    if (field.omits?.(shaped) || (field.gate !== undefined && walk.gate?.(field.gate) === false)) continue;
    if (field.index < lastIndex) ordered = false;
    lastIndex = field.index;
    walk.slotFields[walk.slots] = field;
    walk.slotValues[walk.slots++] = shaped;
  }
  if (!ordered) orderSlots(walk, base);
  const result = writeSlots(walk, base, plan.always);
  walk.slots = base;
  walk.depth = depth;
  if (extra !== undefined) for (const key in extra) setKey(result, key, extra[key]);
  return result;
}

function orderSlots(walk: Walk, base: number): void {
  const { slotFields: fields, slotValues: values } = walk;
  for (let i = base + 1; i < walk.slots; i++) {
    const field = fields[i]!;
    const value = values[i];
    let j = i - 1;
    for (; j >= base && fields[j]!.index > field.index; j--) {
      fields[j + 1] = fields[j]!;
      values[j + 1] = values[j];
    }
    fields[j + 1] = field;
    values[j + 1] = value;
  }
}

function writeSlots(walk: Walk, base: number, always: readonly FieldShaper[]): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  let next = 0;
  for (let i = base; i < walk.slots; i++) {
    const field = walk.slotFields[i]!;
    for (; next < always.length && always[next]!.index <= field.index; next++) {
      if (always[next] !== field) writeAbsent(result, always[next]!, walk);
    }
    result[field.name] = walk.slotValues[i];
  }
  for (; next < always.length; next++) writeAbsent(result, always[next]!, walk);
  return result;
}

function writeAbsent(result: Record<string, unknown>, field: FieldShaper, walk: Walk): void {
  if (field.gate !== undefined && walk.gate?.(field.gate) === false) return;
  result[field.name] = field.absent?.();
}

function mapShaper(schema: MapSchema): Shaper {
  const values = shaperOf(schema.values);
  return {
    shape(value, walk) {
      if (typeof value !== "object" || Array.isArray(value)) throw walk.mismatch(value, schema);
      const source = value as Record<string, unknown>;
      const depth = walk.depth;
      walk.enter();
      const result: Record<string, unknown> = {};
      for (const key of sortedKeys(source)) {
        const given = source[key];
        if (given === undefined) continue;
        walk.path[depth] = key;
        setKey(result, key, given === null ? values.zero() : values.shape(given, walk));
      }
      walk.depth = depth;
      return result;
    },
    zero: () => null,
    isEmpty(shaped) {
      for (const _key in shaped as object) return false;
      return true;
    },
  };
}

function listShaper(schema: ListSchema): Shaper {
  const items = shaperOf(schema.items);
  return {
    shape(value, walk) {
      if (!Array.isArray(value)) throw walk.mismatch(value, schema);
      const depth = walk.depth;
      walk.enter();
      const result: unknown[] = [];
      for (let i = 0; i < value.length; i++) {
        walk.path[depth] = i;
        const given: unknown = value[i];
        result.push(given === null || given === undefined ? items.zero() : items.shape(given, walk));
      }
      walk.depth = depth;
      return result;
    },
    zero: () => null,
    isEmpty: (shaped) => (shaped as unknown[]).length === 0,
  };
}
