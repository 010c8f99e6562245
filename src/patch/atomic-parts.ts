// Parts of a configuration that merging would replace as a whole: a policy that sets them would lose what it does not name.
// Serves mutating admission policies.

import { isObject, type Json } from "../base/json.ts";
import type { Schema } from "../schema/schema.ts";
import { type Atom, atomOf } from "./typed/atom.ts";

/** Their paths, as upstream writes them: `.spec.template.list`. */
export function atomicParts(configuration: Json, schema: Schema): string[] {
  return [...find(configuration, atomOf(schema), "")];
}

function* find(value: Json, { map, list }: Atom, path: string): Generator<string> {
  if (Array.isArray(value)) {
    if (list === undefined) return;
    if (list.atomic) yield path;
    for (const [index, each] of value.entries()) yield* find(each, list.item, `${path}[${index}]`);
  } else if (isObject(value) && map !== undefined) {
    if (map.atomic) yield path;
    for (const [name, each] of Object.entries(value)) {
      const field = map.field(name);
      if (field !== undefined && each !== undefined) yield* find(each, field.atom, `${path}.${name}`);
    }
  }
}
