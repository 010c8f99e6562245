// What expressions of mutating policies build: `JSONPatch{op: ...}` and parts of the object, `Object{spec: Object.spec{...}}`.

import { setKey } from "../base/json.ts";
import type { StructDeclaration } from "../cel/declarations.ts";
import { CelError } from "../cel/errors.ts";
import { fromJson, JsonMap, toJson } from "../cel/json.ts";
import { DYN, STRING, structType } from "../cel/types.ts";
import type { CelValue } from "../cel/values.ts";

/** More parts of objects than a policy needs are left unknown. */
const MAX_OBJECT_TYPES = 1_000;

/** The types that the texts mention; every field of an object type may hold anything. */
export function policyLiterals(texts: readonly string[]): StructDeclaration[] {
  const names = new Set<string>(["Object"]);
  for (const text of texts) {
    for (const [name] of text.matchAll(/\bObject(?:\.[A-Za-z_][A-Za-z0-9_]*)*(?=\s*\{)/g)) {
      if (names.size < MAX_OBJECT_TYPES) names.add(name);
    }
  }
  return [JSON_PATCH, ...Array.from(names, objectType)];
}

const PATCH_FIELDS = new Map([
  ["op", STRING],
  ["path", STRING],
  ["from", STRING],
  ["value", DYN],
]);

const JSON_PATCH: StructDeclaration = {
  type: structType("JSONPatch"),
  field: (name) => PATCH_FIELDS.get(name),
  fieldNames: () => PATCH_FIELDS.keys(),
  create: build,
};

function objectType(name: string): StructDeclaration {
  return { type: structType(name), field: () => DYN, fieldNames: () => [], create: build };
}

function build(fields: ReadonlyMap<string, CelValue>): CelValue {
  const made: Record<string, unknown> = {};
  for (const [name, value] of fields) {
    const json = toJson(value);
    if (json instanceof CelError) return json;
    setKey(made, name, json);
  }
  return new JsonMap(made, fromJson);
}
