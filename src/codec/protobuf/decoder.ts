// From a schema, the function that reads objects of it from protobuf, shaped as upstream would write them in JSON: members
// in the order of the schema, zero values dropped or written as each field says. Unknown fields are passed over.

import { setKey } from "../../base/json.ts";
import type { Steps } from "../../base/steps.ts";
import { settleKeys } from "../../base/wide-keys.ts";
import { type Field, type Inline, isInline, type Schema, type StructSchema } from "../../schema/schema.ts";
import { CrowdedMap, DecodeError } from "../decode-error.ts";
import { BYTES, type Reader } from "./reader.ts";
import { enteredInSteps, type SteppedReader, type StructReaders, steppedReader } from "./stepped-reader.ts";
import { unionOf } from "./unions.ts";
import { packedReader, type ValueReader, valueReader } from "./value-reader.ts";

interface Plan {
  /** By field number. */
  readonly fields: readonly (FieldPlan | undefined)[];
  /** In the order of JSON. */
  readonly members: readonly FieldPlan[];
}

interface FieldPlan {
  readonly slot: number;
  readonly name: string;
  /** What the slot collects: one value, a list, a map, or the slots of a struct, of which `inline` ones stand flat in JSON. */
  readonly shape: "value" | "list" | "map" | "struct" | "inline";
  readonly wireType: number;
  readonly read: ValueReader;
  /** Lists of numbers may come packed. */
  readonly readPacked: ValueReader | undefined;
  readonly omitZero: boolean;
  /** The value when the wire has none; undefined leaves the member out. */
  readonly absent: () => unknown;
  /** Of shapes that collect slots. */
  readonly nested: StructSchema | undefined;
  /** What becomes of a struct that only stands for another value. */
  readonly meant: ((struct: Record<string, unknown>) => unknown) | undefined;
  /** Reads a long one in steps: free JSON and what may be a schema; of a list one item, of a map an entry. */
  readonly inSteps: SteppedReader | undefined;
}

/**
 * What has come so far, a slot for each member. A struct that comes more than once goes on with the slots that it has: the
 * pieces are one message. Behind them, in what is read in steps: the keys of maps, by slot.
 */
type Slots = unknown[];

const plans = new WeakMap<StructSchema, Plan>();

function planOf(schema: StructSchema): Plan {
  let plan = plans.get(schema);
  if (plan === undefined) {
    plan = compile(schema);
    plans.set(schema, plan);
  }
  return plan;
}

/** The struct up to the reader's end, its members set on `target` in JSON order. */
export function readStruct(
  reader: Reader,
  schema: StructSchema,
  target: Record<string, unknown> = {},
): Record<string, unknown> {
  const plan = planOf(schema);
  assemble(plan, readSlots(reader, plan), target);
  return target;
}

function emptySlots(plan: Plan): Slots {
  return new Array(plan.members.length + 1);
}

function readSlots(reader: Reader, plan: Plan, slots: Slots = emptySlots(plan)): Slots {
  const { end } = reader;
  const { fields } = plan;
  while (reader.at < end) {
    const tag = reader.tag();
    const field = fields[tag >>> 3];
    if (field === undefined) reader.skip(tag & 7);
    else readField(reader, plan, field, tag & 7, slots);
  }
  return slots;
}

/** The same for long messages: a step for so many bytes, and long structs inside of it in steps of their own. */
export function* readStructInSteps(
  reader: Reader,
  schema: StructSchema,
  target: Record<string, unknown>,
  bytesPerStep = BYTES_PER_STEP,
): Steps<Record<string, unknown>> {
  const plan = planOf(schema);
  const slots = emptySlots(plan);
  yield* readSlotsInSteps(reader, plan, slots, bytesPerStep);
  assemble(plan, slots, target);
  return target;
}

function* readSlotsInSteps(reader: Reader, plan: Plan, slots: Slots, bytesPerStep: number): Steps<void> {
  const { end } = reader;
  let stepEnd = reader.at + bytesPerStep;
  while (reader.at < end) {
    const tag = reader.tag();
    const field = plan.fields[tag >>> 3];
    const mayBeLong = (tag & 7) === BYTES && (field?.inSteps ?? field?.nested) !== undefined;
    if (field === undefined) reader.skip(tag & 7);
    else if (mayBeLong && reader.lengthAhead() > bytesPerStep) {
      const { shape, slot, nested, inSteps } = field;
      if (nested !== undefined) {
        const outer = reader.enter();
        yield* readSlotsInSteps(reader, planOf(nested), slotsIn(slots, slot, nested), bytesPerStep);
        reader.leave(outer);
      } else {
        const before = shape === "value" ? slots[slot] : undefined;
        const value = yield* enteredInSteps(reader, inSteps!, bytesPerStep, before);
        if (shape === "map") putEntry(reader, field, slots, value as [string, unknown], keysIn(slots, plan, field));
        else put(slots, field, value);
      }
    } else if (field.shape === "map" && (tag & 7) === field.wireType) {
      putEntry(reader, field, slots, field.read(reader) as [string, unknown], keysIn(slots, plan, field));
    } else readField(reader, plan, field, tag & 7, slots);
    if (reader.at < stepEnd) continue;
    stepEnd = reader.at + bytesPerStep;
    yield;
  }
}

const BYTES_PER_STEP = 4 * 1024;

const STRUCTS: StructReaders = { atOnce: readStruct, inSteps: readStructInSteps };

type KeysBySlot = Map<number, string[]>;

function keysBySlot(slots: Slots, plan: Plan): KeysBySlot | undefined {
  return slots[plan.members.length] as KeysBySlot | undefined;
}

/** Those of a map that have come so far. */
function keysIn(slots: Slots, plan: Plan, { slot }: FieldPlan): string[] {
  const all = keysBySlot(slots, plan) ?? new Map<number, string[]>();
  slots[plan.members.length] = all;
  let known = all.get(slot);
  if (known === undefined) {
    known = Object.keys((slots[slot] as object | undefined) ?? {});
    all.set(slot, known);
  }
  return known;
}

/** Those of a struct that is a member. */
function slotsIn(slots: Slots, slot: number, nested: StructSchema): Slots {
  slots[slot] ??= emptySlots(planOf(nested));
  return slots[slot] as Slots;
}

function readField(reader: Reader, plan: Plan, field: FieldPlan, wireType: number, slots: Slots): void {
  const { slot, shape, nested } = field;
  if (wireType !== field.wireType) {
    if (shape === "list" && wireType === BYTES && field.readPacked !== undefined) {
      const packed = field.readPacked(reader) as unknown[];
      const list = slots[slot] as unknown[] | undefined;
      if (list === undefined) slots[slot] = packed;
      else for (const item of packed) list.push(item);
      return;
    }
    throw new DecodeError(`proto: wrong wireType = ${wireType} for field ${field.name}`);
  }
  if (nested !== undefined) {
    const outer = reader.enter();
    readSlots(reader, planOf(nested), slotsIn(slots, slot, nested));
    reader.leave(outer);
  } else if (shape === "map") {
    const keys = keysBySlot(slots, plan)?.get(slot);
    putEntry(reader, field, slots, field.read(reader) as [string, unknown], keys);
  } else put(slots, field, field.read(reader, shape === "value" ? slots[slot] : undefined));
}

/** What was read for a field that is no map. */
function put(slots: Slots, { slot, shape }: FieldPlan, value: unknown): void {
  const list = shape === "list" ? (slots[slot] as unknown[] | undefined) : undefined;
  if (list !== undefined) list.push(value);
  else slots[slot] = shape === "list" ? [value] : value;
}

/** One of a map; `keys` are those that it has. */
function putEntry(
  reader: Reader,
  field: FieldPlan,
  slots: Slots,
  [key, value]: [string, unknown],
  keys?: string[],
): void {
  if (--reader.entriesLeft < 0) throw new CrowdedMap();
  slots[field.slot] ??= {};
  const map = slots[field.slot] as Record<string, unknown>;
  if (keys !== undefined && !Object.hasOwn(map, key)) keys.push(key);
  setKey(map, key, value);
}

function assemble(plan: Plan, slots: Slots, target: Record<string, unknown>): void {
  const { members } = plan;
  for (const [slot, keys] of keysBySlot(slots, plan) ?? []) settleKeys(slots[slot] as object, keys);
  for (let index = 0; index < members.length; index++) {
    const field = members[index]!;
    let value = slots[field.slot];
    if (field.shape === "inline") {
      assemble(planOf(field.nested!), (value as Slots | undefined) ?? [], target);
      continue;
    }
    if (value === undefined) value = field.absent();
    else if (field.shape === "struct") {
      const struct = assembled(field.nested!, value as Slots);
      value = field.meant === undefined ? struct : field.meant(struct);
    }
    if (value === undefined || (field.omitZero && isZero(value))) continue;
    target[field.name] = value;
  }
}

function assembled(schema: StructSchema, slots: Slots): Record<string, unknown> {
  const target = {};
  assemble(planOf(schema), slots, target);
  return target;
}

function isZero(value: unknown): boolean {
  return value === "" || value === 0 || value === false || value === null;
}

function compile(schema: StructSchema): Plan {
  const fields: (FieldPlan | undefined)[] = [];
  const members: FieldPlan[] = [];
  for (const member of schema.members) {
    if (member.proto === undefined) continue;
    const plan = isInline(member) ? inlinePlan(member, members.length) : fieldPlan(member, members.length);
    members.push(plan);
    fields[member.proto] = plan;
  }
  return { fields, members };
}

/** What collects slots is not read as a value. */
const NEVER: ValueReader = () => undefined;

function inlinePlan(member: Inline, slot: number): FieldPlan {
  const { inline } = member;
  return {
    slot,
    name: member.protoName ?? "",
    shape: "inline",
    wireType: BYTES,
    read: NEVER,
    readPacked: undefined,
    omitZero: false,
    absent: () => undefined,
    nested: inline,
    meant: undefined,
    inSteps: undefined,
  };
}

function fieldPlan(field: Field, slot: number): FieldPlan {
  const { schema } = field;
  const union = unionOf(schema);
  const nested = union?.struct ?? (schema.type === "struct" ? schema : undefined);
  const shape = nested === undefined ? shapeOf(schema) : "struct";
  const element = shape === "list" && schema.type === "list" ? schema.items : schema;
  const { read, wireType } = valueReader(element, readStruct);
  return {
    slot,
    name: field.name,
    shape,
    wireType,
    read,
    readPacked: shape === "list" ? packedReader(element) : undefined,
    omitZero: dropsZero(field),
    absent: absentValue(field),
    nested,
    meant: union?.meant,
    inSteps: shape === "struct" ? undefined : steppedReader(element, STRUCTS),
  };
}

function shapeOf(schema: Schema): FieldPlan["shape"] {
  if (schema.type === "map") return "map";
  return schema.type === "list" && !schema.protoWrapper ? "list" : "value";
}

/** Whether a zero that stands on the wire is left out of JSON. */
function dropsZero(field: Field): boolean {
  if (field.pointer === true) return false;
  if (field.omitZero === true) return true;
  return field.omitEmpty === true && field.schema.type === "scalar" && !isMessage(field.schema);
}

/** Scalars that are structs upstream: `omitempty` never drops those. */
function isMessage(schema: Schema): boolean {
  if (schema.type !== "scalar") return false;
  return ["quantity", "intOrString", "time", "microTime", "duration"].includes(schema.scalar);
}

function absentValue(field: Field): () => unknown {
  const { schema } = field;
  const omitted = field.omitEmpty === true;
  const always = (value: unknown) => () => value;
  if (field.pointer === true || schema.type === "list" || schema.type === "map")
    return always(omitted ? undefined : null);
  if (field.omitZero === true) return always(undefined);
  switch (schema.type) {
    case "struct":
      return () => assembled(schema, []);
    case "any":
      return always(null);
    case "scalar":
      break;
  }
  switch (schema.scalar) {
    case "time":
    case "microTime":
      return always(null);
    case "quantity":
      return always("0");
    case "duration":
      return always("0s");
    case "intOrString":
      return always(0);
    case "bytes":
      return always(omitted ? undefined : null);
    case "string":
      return always(omitted ? undefined : "");
    case "boolean":
      return always(omitted ? undefined : false);
    default:
      return always(omitted ? undefined : 0);
  }
}
