// What upstream says of a value of the wrong type that a strategic merge patch leaves. It fills its types from the patched
// members directly, not through JSON, and so has other words for the same mistake.

import type { Json } from "../base/json.ts";
import type { ShapeError } from "../schema/conform.ts";
import type { ScalarSchema } from "../schema/schema.ts";
import { goType } from "./go-text.ts";

/** The error's own words where upstream goes through JSON after all. */
export function restoreProblem({ mismatch, message }: ShapeError): string {
  if (mismatch === undefined)
    return message.startsWith("illegal base64") ? `error decoding from json: ${message}` : message;
  const { schema } = mismatch;
  const value = mismatch.value as Json;
  switch (schema.type) {
    case "struct":
      return `cannot restore struct from: ${kindOf(value)}`;
    case "map":
      return `cannot restore map from ${kindOf(value)}`;
    case "list":
      return `cannot restore slice from ${kindOf(value)}`;
    case "scalar":
      return scalarProblem(value, schema) ?? message;
    case "any":
      return message;
  }
}

function scalarProblem(value: Json, schema: ScalarSchema): string | undefined {
  if (schema.scalar === "bytes") return `cannot restore slice from ${kindOf(value)}`;
  const kind = KINDS[schema.scalar];
  if (kind === undefined) return undefined;
  const isNumber = typeof value === "number" || typeof value === "bigint";
  // Go can turn every number into another and an integer into a text, but upstream does not want it.
  const converts = isNumber && kind !== "bool" && (kind !== "string" || kindOf(value) === "int64");
  return converts ? `cannot convert ${kindOf(value)} to ${schema.alias ?? kind}` : `unrecognized type: ${kind}`;
}

const KINDS: Readonly<Record<string, string>> = {
  string: "string",
  boolean: "bool",
  int32: "int32",
  int64: "int64",
  double: "float64",
};

/** The sort of a value: `map` where its type is a map of something. */
function kindOf(value: Json): string {
  const type = goType(value);
  if (type.startsWith("map[")) return "map";
  return type.startsWith("[]") ? "slice" : type;
}
