// Where values of a schema hold bytes, which JSON writes as base64 text and CBOR as they are.

import type { Schema } from "../../schema/schema.ts";

/** Bytes; or where to look for them: in the members of a struct, or in every value of a list or map. */
export type ByteFields = "bytes" | ByteMembers | { readonly each: ByteFields };
type ByteMembers = { readonly members: ReadonlyMap<string, ByteFields> };

const known = new WeakMap<Schema, ByteFields | undefined>();

/** Undefined where there are none. */
export function byteFields(schema: Schema): ByteFields | undefined {
  if (!known.has(schema)) {
    // What contains itself is looked at once: no such schema has bytes further down that it does not have above.
    known.set(schema, undefined);
    known.set(schema, find(schema));
  }
  return known.get(schema);
}

function find(schema: Schema): ByteFields | undefined {
  if (schema.type === "scalar") return schema.scalar === "bytes" ? "bytes" : undefined;
  if (schema.type === "list" || schema.type === "map") {
    const each = byteFields(schema.type === "list" ? schema.items : schema.values);
    return each === undefined ? undefined : { each };
  }
  if (schema.type !== "struct") return undefined;
  const members = new Map<string, ByteFields>();
  for (const [name, field] of schema.fields) {
    const inside = byteFields(field.schema);
    if (inside !== undefined) members.set(name, inside);
  }
  return members.size === 0 ? undefined : { members };
}

/** Those of one member. */
export function byteFieldsOf(fields: ByteFields | undefined, name: string | number): ByteFields | undefined {
  if (fields === undefined || fields === "bytes") return undefined;
  return "each" in fields ? fields.each : fields.members.get(name as string);
}
