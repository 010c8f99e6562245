// Lists that are written even when there is nothing in them come back from upstream's store as null, not as [], and bytes
// of a map that were null as "": what a client reads must not depend on which it wrote.

import { isObject, setKey } from "../base/json.ts";
import type { Schema, StructSchema } from "./schema.ts";

/** Changes `object` in place: every empty list of a field that is never left out becomes null, null bytes of a map "". */
export function nullEmptyLists(object: Record<string, unknown>, schema: StructSchema): void {
  visitorOf(schema)?.(object);
}

type Visitor = (value: Record<string, unknown>) => void;

// Undefined: nothing in this struct or below it can change.
const visitors = new WeakMap<StructSchema, { visit: Visitor | undefined }>();

function visitorOf(schema: StructSchema): Visitor | undefined {
  const known = visitors.get(schema);
  if (known !== undefined) return known.visit;
  // A struct that contains itself is visited through this entry, which is filled below.
  const entry: { visit: Visitor | undefined } = { visit: (value) => visit(value) };
  visitors.set(schema, entry);
  const lists: string[] = [];
  const inner: { name: string; visit: (value: unknown) => void }[] = [];
  for (const [name, field] of schema.fields) {
    if (field.schema.type === "list" && field.omitEmpty !== true) lists.push(name);
    const below = valueVisitor(field.schema);
    if (below !== undefined) inner.push({ name, visit: below });
  }
  const visit: Visitor = (value) => {
    for (const name of lists) {
      const list = value[name];
      if (Array.isArray(list) && list.length === 0) value[name] = null;
    }
    for (const { name, visit: below } of inner) if (value[name] !== undefined) below(value[name]);
  };
  if (lists.length === 0 && inner.length === 0) entry.visit = undefined;
  return entry.visit;
}

function valueVisitor(schema: Schema): ((value: unknown) => void) | undefined {
  switch (schema.type) {
    case "struct": {
      const visit = visitorOf(schema);
      return visit && ((value) => (isObject(value) ? visit(value) : undefined));
    }
    case "list": {
      const visit = valueVisitor(schema.items);
      return visit && ((value) => (Array.isArray(value) ? value.forEach(visit) : undefined));
    }
    case "map": {
      if (schema.values.type === "scalar" && schema.values.scalar === "bytes") return fillBytes;
      const visit = valueVisitor(schema.values);
      return visit && ((value) => (isObject(value) ? Object.values(value).forEach(visit) : undefined));
    }
    default:
      return undefined;
  }
}

function fillBytes(map: unknown): void {
  if (!isObject(map)) return;
  for (const key in map) if (map[key] === null) setKey(map, key, "");
}
