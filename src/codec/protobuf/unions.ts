// Messages that stand for a value of one sort or another, as upstream keeps them: a schema, or a boolean or a list in its place.

import { opt, ptr, s } from "../../schema/builder.ts";
import type { Schema, StructSchema } from "../../schema/schema.ts";

interface Union {
  /** The message as a struct. */
  readonly struct: StructSchema;
  /** The value that it stands for. */
  readonly meant: (struct: Record<string, unknown>) => unknown;
}

/** Undefined for any other value. */
export function unionOf(schema: Schema): Union | undefined {
  if (schema.type !== "any" || schema.member === undefined) return undefined;
  const { wire, member } = schema;
  switch (wire) {
    case "propsOrBool":
      return {
        struct: s.struct("", () => ({ allows: opt.boolean(1), schema: ptr.of(member(), 2) })),
        meant: (struct) => struct["schema"] ?? struct["allows"] ?? false,
      };
    case "propsOrArray":
      return {
        struct: s.struct("", () => ({ schema: ptr.of(member(), 1), list: opt.list(member(), 2) })),
        meant: listOrSchema,
      };
    case "propsOrStringArray":
      return {
        struct: s.struct("", () => ({ schema: ptr.of(member(), 1), list: opt.list("string", 2) })),
        meant: listOrSchema,
      };
    default:
      return undefined;
  }
}

/** An empty list is none. */
const listOrSchema = (struct: Record<string, unknown>): unknown => struct["list"] ?? struct["schema"] ?? null;
