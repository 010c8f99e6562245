// The walk of the write path: shapes a decoded JSON value as upstream's typed decoding and re-encoding would. It checks
// types, finds unknown fields, drops what is empty, writes the zero values that are always there, brings quantities, times
// and durations into canonical form and orders members. Requirements: document 1, "Field validation".

import type { Steps } from "../base/steps.ts";
import type { StructSchema } from "./schema.ts";
import { shaperOf } from "./shape.ts";
import { type ConformOptions, Walk } from "./walk.ts";

export { ShapeError } from "./walk.ts";

interface Conformed {
  /** Fresh all through: the caller may change it. */
  readonly value: Record<string, unknown>;
  /** `unknown field "spec.bogus"`, in the order of the text, each once, at most MAX_UNKNOWN_REPORTED. */
  readonly unknown: readonly string[];
  /**
   * How many keys the input has in all its objects, those within dropped fields left out. Fewer than its text had: some
   * were repeated there, or fields were dropped.
   */
  readonly keys: number;
}

/**
 * The value in the schema's shape. Throws ShapeError when a value is of another type than the schema's or cannot be
 * read, or nests deeper than MAX_DEPTH. Without `reuse` the input is left as it was and shares nothing with the result.
 */
export function conform(value: unknown, schema: StructSchema, options: ConformOptions): Conformed {
  const walk = new Walk(schema, options);
  // A struct is always shaped into an object.
  const shaped = shaperOf(schema).shape(value, walk) as Record<string, unknown>;
  return { value: shaped, unknown: walk.unknown, keys: walk.keys };
}

const VISITS_PER_STEP = 1_000;

/** The same for large values: a step goes through `visitsPerStep` keys and items. Mistakes are found in the same order. */
export function* conformInSteps(
  value: unknown,
  schema: StructSchema,
  options: ConformOptions,
  visitsPerStep = VISITS_PER_STEP,
): Steps<Conformed> {
  const walk = new Walk(schema, options, visitsPerStep);
  let shaped: unknown;
  let mistake: unknown;
  try {
    shaped = shaperOf(schema).shape(value, walk);
  } catch (error) {
    mistake = error;
  }
  // What was put off stands before the mistake in the text: one there comes first.
  while (walk.isBehind()) {
    yield;
    try {
      yield* walk.catchUp();
    } catch (error) {
      mistake = error;
    }
  }
  if (mistake !== undefined) throw mistake;
  return { value: shaped as Record<string, unknown>, unknown: walk.unknown, keys: walk.keys };
}
