// From a schema, the function that reads objects of it from protobuf, shaped as upstream would write them in JSON: members
// in the order of the schema, zero values dropped or written as each field says. Unknown fields are passed over.

import { setKey } from "../../base/json.ts";
import type { Steps } from "../../base/steps.ts";
import { settleKeys } from "../../base/wide-keys.ts";
import { type Field, type Inline, isInline, type Schema, type StructSchema } from "../../schema/schema.ts";
import { CrowdedMap, DecodeError } from "../decode-error.ts";
import { BYTES, type Reader } from "./reader.ts";
import { enteredInSteps, type SteppedReader, type StructReaders, steppedReader } from "./stepped-reader.ts";
import { message, packedReader, type ValueReader, valueReader } from "./value-reader.ts";

interface Plan {
  /** By field number. */
  readonly fields: readonly (FieldPlan | undefined)[];
  /** In the order of JSON. */
  readonly members: readonly FieldPlan[];
}

interface FieldPlan {
  readonly slot: number;
  readonly name: string;
  /** What the slot collects: one value, a list, a map, or the slots of an inlined struct. */
  readonly shape: "value" | "list" | "map" | "inline";
  readonly wireType: number;
  readonly read: ValueReader;
  /** Lists of numbers may come packed. */
  readonly readPacked: ValueReader | undefined;
  readonly omitZero: boolean;
  /** The value when the wire has none; undefined leaves the member out. */
  readonly absent: () => unknown;
  readonly inlined: StructSchema | undefined;
  /** Reads a long one in steps: a struct, free JSON and what may be a schema; of a list one item, of a map an entry. */
  readonly inSteps: SteppedReader | undefined;
}

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

function readSlots(reader: Reader, plan: Plan): Slots {
  const slots: Slots = new Array(plan.members.length);
  const { end } = reader;
  const { fields } = plan;
  while (reader.at < end) {
    const tag = reader.tag();
    const field = fields[tag >>> 3];
    if (field === undefined) reader.skip(tag & 7);
    else readField(reader, field, tag & 7, slots);
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
  const slots: Slots = new Array(plan.members.length);
  const keys = new Map<number, string[]>();
  const { end } = reader;
  let stepEnd = reader.at + bytesPerStep;
  while (reader.at < end) {
    const tag = reader.tag();
    const field = plan.fields[tag >>> 3];
    const inSteps = (tag & 7) === BYTES ? field?.inSteps : undefined;
    if (field === undefined) reader.skip(tag & 7);
    else if (inSteps !== undefined && reader.lengthAhead() > bytesPerStep) {
      const value = yield* enteredInSteps(reader, inSteps, bytesPerStep);
      if (field.shape === "map") putEntry(reader, field, slots, value as [string, unknown], keysIn(keys, field));
      else put(slots, field, value);
    } else if (field.shape === "map" && (tag & 7) === field.wireType) {
      putEntry(reader, field, slots, field.read(reader) as [string, unknown], keysIn(keys, field));
    } else readField(reader, field, tag & 7, slots);
    if (reader.at < stepEnd) continue;
    stepEnd = reader.at + bytesPerStep;
    yield;
  }
  for (const [slot, all] of keys) settleKeys(slots[slot] as object, all);
  assemble(plan, slots, target);
  return target;
}

const BYTES_PER_STEP = 4 * 1024;

const STRUCTS: StructReaders = { atOnce: readStruct, inSteps: readStructInSteps };

/** Those of a map that have come so far. */
function keysIn(keys: Map<number, string[]>, { slot }: FieldPlan): string[] {
  const known = keys.get(slot) ?? [];
  keys.set(slot, known);
  return known;
}

function readField(reader: Reader, field: FieldPlan, wireType: number, slots: Slots): void {
  const { slot, shape } = field;
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
  if (shape === "map") putEntry(reader, field, slots, field.read(reader) as [string, unknown]);
  else put(slots, field, field.read(reader));
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
  for (let index = 0; index < members.length; index++) {
    const field = members[index]!;
    let value = slots[field.slot];
    if (field.shape === "inline") {
      assemble(planOf(field.inlined!), (value as Slots | undefined) ?? [], target);
      continue;
    }
    if (value === undefined) value = field.absent();
    if (value === undefined || (field.omitZero && isZero(value))) continue;
    target[field.name] = value;
  }
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

function inlinePlan(member: Inline, slot: number): FieldPlan {
  const { inline } = member;
  return {
    slot,
    name: member.protoName ?? "",
    shape: "inline",
    wireType: BYTES,
    read: message((reader) => readSlots(reader, planOf(inline))),
    readPacked: undefined,
    omitZero: false,
    absent: () => undefined,
    inlined: inline,
    inSteps: undefined,
  };
}

function fieldPlan(field: Field, slot: number): FieldPlan {
  const { schema } = field;
  const shape = schema.type === "map" ? "map" : schema.type === "list" && !schema.protoWrapper ? "list" : "value";
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
    inlined: undefined,
    inSteps: steppedReader(element, STRUCTS),
  };
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
      return () => {
        const target = {};
        assemble(planOf(schema), [], target);
        return target;
      };
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
