// Lists that are written even when there is nothing in them come back from upstream's store as null, not as [], and bytes
// of a map that were null as "": what a client reads must not depend on which it wrote.

import { isObject, setKey } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";
import { keysOf } from "../base/wide-keys.ts";
import type { Schema, StructSchema } from "./schema.ts";

/** Changes `object` in place: every empty list of a field that is never left out becomes null, null bytes of a map "". */
export function* nullEmptyLists(object: Record<string, unknown>, schema: StructSchema): Steps<void> {
  const waiting: Waiting[] = [];
  visitorOf(schema)?.(object, waiting);
  // More may come to wait meanwhile.
  for (const { count, member, visit } of waiting) {
    for (let index = 0; index < count; index += 1) {
      if (index % MANY === 0) yield;
      visit(member(index), waiting);
    }
  }
}

type JsonObject = Record<string, unknown>;
type Visitor = (value: JsonObject, waiting: Waiting[]) => void;
type ValueVisitor = (value: unknown, waiting: Waiting[]) => void;

/** The members of a map or list that are so many that they are visited in steps. */
interface Waiting {
  readonly count: number;
  readonly member: (index: number) => unknown;
  readonly visit: ValueVisitor;
}

const MANY = 250;

// Undefined: nothing in this struct or below it can change.
const visitors = new WeakMap<StructSchema, { visit: Visitor | undefined }>();

function visitorOf(schema: StructSchema): Visitor | undefined {
  const known = visitors.get(schema);
  if (known !== undefined) return known.visit;
  // A struct that contains itself is visited through this entry, which is filled below.
  const entry: { visit: Visitor | undefined } = { visit: (value, waiting) => visit(value, waiting) };
  visitors.set(schema, entry);
  const lists: string[] = [];
  const inner: { name: string; visit: ValueVisitor }[] = [];
  for (const [name, field] of schema.fields) {
    if (field.schema.type === "list" && field.omitEmpty !== true) lists.push(name);
    const below = valueVisitor(field.schema);
    if (below !== undefined) inner.push({ name, visit: below });
  }
  const visit: Visitor = (value, waiting) => {
    for (const name of lists) {
      const list = value[name];
      if (Array.isArray(list) && list.length === 0) value[name] = null;
    }
    for (const { name, visit: below } of inner) if (value[name] !== undefined) below(value[name], waiting);
  };
  if (lists.length === 0 && inner.length === 0) entry.visit = undefined;
  return entry.visit;
}

function valueVisitor(schema: Schema): ValueVisitor | undefined {
  switch (schema.type) {
    case "struct": {
      const visit = visitorOf(schema);
      return visit && ((value, waiting) => (isObject(value) ? visit(value, waiting) : undefined));
    }
    case "list": {
      const visit = valueVisitor(schema.items);
      return visit && ((value, waiting) => (Array.isArray(value) ? visitItems(value, visit, waiting) : undefined));
    }
    case "map": {
      if (schema.values.type === "scalar" && schema.values.scalar === "bytes") return fillBytes;
      const visit = valueVisitor(schema.values);
      return visit && ((value, waiting) => (isObject(value) ? visitMembers(value, visit, waiting) : undefined));
    }
    default:
      return undefined;
  }
}

function visitItems(items: readonly unknown[], visit: ValueVisitor, waiting: Waiting[]): void {
  if (items.length > MANY) waiting.push({ count: items.length, member: (index) => items[index], visit });
  else for (const item of items) visit(item, waiting);
}

function visitMembers(map: JsonObject, visit: ValueVisitor, waiting: Waiting[]): void {
  const keys = keysOf(map);
  if (keys.length > MANY) waiting.push({ count: keys.length, member: (index) => map[keys[index]!], visit });
  else for (const key of keys) visit(map[key], waiting);
}

function fillBytes(map: unknown, waiting: Waiting[]): void {
  if (!isObject(map)) return;
  const keys = keysOf(map);
  const fill = (key: string): void => {
    if (map[key] === null) setKey(map, key, "");
  };
  if (keys.length > MANY)
    waiting.push({ count: keys.length, member: (index) => keys[index], visit: (key) => fill(key as string) });
  else for (const key of keys) fill(key);
}
