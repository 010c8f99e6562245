// One shaper per schema node, made on first use and kept: structs, maps and lists here, leaves in shape-leaf.ts.

import { equalJson, setKey } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";
import { keysOf, settleKeys } from "../base/wide-keys.ts";
import type { Field, ListSchema, MapSchema, Schema, StructSchema } from "./schema.ts";
import { anyShaper, cloneBounded, scalarShaper } from "./shape-leaf.ts";
import { compareByBytes, isSorted, sortedInSteps } from "./sorted-keys.ts";
import type { FieldShaper, Shaper, Walk } from "./walk.ts";

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
  /** The field that came first the last time. */
  first: FieldShaper | undefined;
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
  return { byName, always: [...byName.values()].filter((field) => field.absent !== undefined), first: undefined };
}

function planField(field: Field, index: number): FieldShaper {
  const shaper = shaperOf(field.schema);
  const scalar = field.schema.type === "scalar" ? field.schema.scalar : undefined;
  const { omits, isOmitted, absent } = presenceOf(field, shaper);
  // One literal for all, so that they share one hidden class.
  return {
    name: field.name,
    index,
    gate: field.gate,
    plain: scalar === "string" || scalar === "boolean" || scalar === "int32" ? scalar : undefined,
    shape: shaper.shape,
    omits,
    isOmitted,
    absent,
    writtenAsNull: field.schema.type !== "struct" && field.gate === undefined && absent?.() === null,
    follower: undefined,
  };
}

function presenceOf(field: Field, shaper: Shaper): Pick<FieldShaper, "omits" | "isOmitted" | "absent"> {
  const { pointer, omitEmpty, omitZero, keepEmpty, schema } = field;
  const isNull = (shaped: unknown) => shaped === null;
  if (pointer) {
    if (!omitEmpty && !omitZero) return { omits: "never", isOmitted: isNull, absent: () => null };
    // A pointer to the zero time is written as null, and null is read as nothing.
    const mayBeNull = schema.type === "any" || (schema.type === "scalar" && /time/i.test(schema.scalar));
    return { omits: mayBeNull ? "test" : "never", isOmitted: isNull, absent: undefined };
  }
  if (keepEmpty) return { omits: "never", isOmitted: isNull, absent: undefined };
  const isZero = (shaped: unknown) => equalJson(shaped, shaper.zero());
  if (omitZero) return { omits: "test", isOmitted: isZero, absent: undefined };
  if (!omitEmpty || shaper.isEmpty === undefined) return { omits: "never", isOmitted: isZero, absent: shaper.zero };
  return { omits: schema.type === "scalar" ? "falsy" : "test", isOmitted: shaper.isEmpty, absent: undefined };
}

// Fields are shaped in the order of the text, so that the first error is the one upstream reports, and written in the
// order of the schema.
function shapeStruct(value: Record<string, unknown>, plan: StructPlan, walk: Walk): Record<string, unknown> {
  const { slotFields, slotValues, path } = walk;
  const base = walk.slots;
  const depth = walk.depth;
  walk.enter();
  let slots = base;
  let extra: Record<string, unknown> | undefined;
  let lastIndex = -1;
  let ordered = true;
  // Whether `value` itself is in shape already but for the values of its fields, and whether those are too.
  let fitting = walk.reuse;
  let same = true;
  let missing = plan.always.length;
  let keys = 0;
  let before: FieldShaper | undefined;
  let expected = plan.first;
  for (const key in value) {
    keys++;
    const given = value[key];
    let field = expected;
    if (field === undefined || field.name !== key) {
      field = plan.byName.get(key);
      if (field === undefined) {
        fitting = false;
        extra = unknownField(key, given, extra, depth, walk);
        continue;
      }
      if (before === undefined) plan.first = field;
      else before.follower = field;
    }
    before = field;
    expected = field.follower;
    let shaped: unknown = given;
    if (given === null || given === undefined) {
      if (given === undefined || !field.writtenAsNull) {
        fitting = false;
        continue;
      }
    } else {
      if (
        typeof given === "string"
          ? field.plain !== "string"
          : typeof given === "boolean"
            ? field.plain !== "boolean"
            : typeof given !== "number" || field.plain !== "int32" || (given | 0) !== given
      ) {
        path[depth] = key;
        walk.slots = slots;
        shaped = field.shape(given, walk);
        if (shaped !== given) same = false;
      }
      if (isDropped(shaped, field, walk)) {
        fitting = false;
        continue;
      }
    }
    if (field.absent !== undefined) missing--;
    if (field.index < lastIndex) ordered = false;
    lastIndex = field.index;
    slotFields[slots] = field;
    slotValues[slots++] = shaped;
  }
  walk.slots = slots;
  let result = value;
  if (fitting && ordered && missing === 0) {
    if (!same) for (let i = base; i < slots; i++) result[slotFields[i]!.name] = slotValues[i];
  } else {
    if (!ordered) orderSlots(walk, base);
    result = writeSlots(walk, base, missing === 0 ? NO_FIELDS : plan.always);
    if (extra !== undefined) for (const key in extra) setKey(result, key, extra[key]);
  }
  walk.slots = base;
  walk.depth = depth;
  walk.keys += keys;
  return result;
}

const NO_FIELDS: readonly FieldShaper[] = [];

function isDropped(shaped: unknown, field: FieldShaper, walk: Walk): boolean {
  return field.omits === "falsy" ? !shaped : field.omits === "test" && field.isOmitted(shaped, walk);
}

/** Reports a field that the schema does not have, and keeps it where that was asked for. */
function unknownField(
  key: string,
  given: unknown,
  extra: Record<string, unknown> | undefined,
  depth: number,
  walk: Walk,
): Record<string, unknown> | undefined {
  walk.depth = depth;
  walk.reportUnknown(key);
  walk.depth = depth + 1;
  if (walk.unknownFields !== "keep") return extra;
  const kept = extra ?? {};
  setKey(kept, key, cloneBounded(given, walk));
  return kept;
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
  const { shape: shapeValue, zero: zeroValue } = shaperOf(schema.values);
  /** False: there is none. */
  const shapeEntry = (source: Entries, result: Entries, key: string, walk: Walk): boolean => {
    const given = source[key];
    if (given === undefined) return false;
    walk.path[walk.depth - 1] = key;
    const shaped = given === null ? zeroValue() : shapeValue(given, walk);
    if (shaped !== given || result !== source) setKey(result, key, shaped);
    return true;
  };
  function* shapeEntries(source: Entries, result: Entries, keys: readonly string[], walk: Walk): Steps<void> {
    let all = true;
    for (const key of keys) {
      if (walk.isDue()) yield;
      walk.keys++;
      if (!shapeEntry(source, result, key, walk)) all = false;
      if (walk.isBehind()) yield* walk.catchUp();
    }
    if (all && result !== source) settleKeys(result, keys);
  }
  function* sortAndShape(source: Entries, result: Entries, keys: readonly string[], walk: Walk): Steps<void> {
    yield* shapeEntries(source, result, yield* sortedInSteps(keys), walk);
  }
  return {
    shape(value, walk) {
      if (typeof value !== "object" || Array.isArray(value)) throw walk.mismatch(value, schema);
      const source = value as Entries;
      const depth = walk.depth;
      walk.enter();
      // The keys of a large map take long to find, even the first of them: once.
      const keys = walk.inSteps ? keysOf(source) : Object.keys(source);
      const sorted = isSorted(keys);
      const result: Entries = walk.reuse && sorted ? source : {};
      walk.count(keys.length);
      let isEmpty = true;
      if (walk.isLong(keys.length)) {
        walk.putOff(() => (sorted ? shapeEntries : sortAndShape)(source, result, keys, walk));
        isEmpty = keys.every((key) => source[key] === undefined);
      } else {
        walk.keys += keys.length;
        for (const key of sorted ? keys : keys.toSorted(compareByBytes))
          if (shapeEntry(source, result, key, walk)) isEmpty = false;
      }
      walk.depth = depth;
      walk.lastMap = result;
      walk.lastMapIsEmpty = isEmpty;
      return result;
    },
    zero: () => null,
    isEmpty(shaped, walk) {
      if (shaped === walk.lastMap) return walk.lastMapIsEmpty;
      for (const _key in shaped as object) return false;
      return true;
    },
  };
}

type Entries = Record<string, unknown>;

function listShaper(schema: ListSchema): Shaper {
  const { shape: shapeItem, zero: zeroItem } = shaperOf(schema.items);
  const shapeAt = (source: readonly unknown[], result: unknown[], index: number, walk: Walk): void => {
    walk.path[walk.depth - 1] = index;
    const given = source[index];
    const shaped = given === null || given === undefined ? zeroItem() : shapeItem(given, walk);
    if (shaped !== given || result !== source) result[index] = shaped;
  };
  function* shapeItems(source: readonly unknown[], result: unknown[], walk: Walk): Steps<void> {
    for (let index = 0; index < source.length; index++) {
      if (walk.isDue()) yield;
      walk.items++;
      shapeAt(source, result, index, walk);
      if (walk.isBehind()) yield* walk.catchUp();
    }
  }
  return {
    shape(value, walk) {
      if (!Array.isArray(value)) throw walk.mismatch(value, schema);
      const depth = walk.depth;
      walk.enter();
      walk.count(value.length);
      const result: unknown[] = walk.reuse ? value : new Array(value.length);
      if (walk.isLong(value.length)) walk.putOff(() => shapeItems(value, result, walk));
      else {
        walk.items += value.length;
        for (let index = 0; index < value.length; index++) shapeAt(value, result, index, walk);
      }
      walk.depth = depth;
      return result;
    },
    zero: () => null,
    isEmpty: (shaped) => (shaped as unknown[]).length === 0,
  };
}
