// Integers that are not written as such: upstream refuses `replicas: 1e2` although it is a hundred, and so do we. Only the
// decoder still knows the text, only the schema knows where integers stand. Custom resources are read as they come: there
// a hundred is one however it is written.

import type { Schema, StructSchema } from "../schema/schema.ts";
import type { OddNumber } from "./decode-error.ts";

/** Upstream's words for the first such number at a field of an integer type; undefined when there is none. */
export function oddNumberProblem(numbers: readonly OddNumber[], schema: StructSchema): string | undefined {
  for (const { path, text } of numbers) {
    const place = placeOf(path, schema);
    if (place?.schema.type !== "scalar" || place.owner === "") continue;
    const { scalar } = place.schema;
    if (scalar === "intOrString") return `json: cannot unmarshal number ${text} into Go value of type int32`;
    if (scalar !== "int32" && scalar !== "int64") continue;
    const names = path.filter((part) => typeof part === "string");
    return `json: cannot unmarshal number ${text} into Go struct field ${place.owner}.${names.join(".")} of type ${scalar}`;
  }
  return undefined;
}

/** The schema at a path, and the name of the struct that has the field: none in custom resources. */
function placeOf(
  path: readonly (string | number)[],
  root: StructSchema,
): { readonly schema: Schema; readonly owner: string } | undefined {
  let schema: Schema = root;
  let owner = "";
  for (const part of path) {
    let next: Schema | undefined;
    if (schema.type === "struct") {
      owner = schema.name?.split(".").at(-1) ?? "";
      next = schema.fields.get(String(part))?.schema;
    } else if (schema.type === "map") next = schema.values;
    else if (schema.type === "list") next = schema.items;
    if (next === undefined) return undefined;
    schema = next;
  }
  return { schema, owner };
}
