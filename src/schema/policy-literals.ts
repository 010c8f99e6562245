// What expressions of mutating policies build: `JSONPatch{op: ...}` and parts of the object, `Object{spec: Object.spec{...}}`.

import { isObject, type Json, setKey } from "../base/json.ts";
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
    for (const { 0: name, index } of text.matchAll(/\bObject(?:\.[A-Za-z_][A-Za-z0-9_]*)*/g)) {
      // Looked for behind the name: asked for with it, names that have none would be gone through again and again.
      OPENED.lastIndex = index + name.length;
      if (names.size < MAX_OBJECT_TYPES && OPENED.test(text)) names.add(name);
    }
  }
  return [JSON_PATCH, ...Array.from(names, objectType)];
}

const OPENED = /\s*\{/y;

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
  create: (fields) => build("JSONPatch", fields),
};

function objectType(name: string): StructDeclaration {
  return { type: structType(name), field: () => DYN, fieldNames: () => [], create: (fields) => build(name, fields) };
}

/** As which type a literal was written: `Object.spec`. */
const WRITTEN_AS = new WeakMap<object, string>();

/** Why a literal cannot be where it is: `Object{spec: Object.status{}}`. Undefined when all are in their places. */
export function misplacedLiteral(value: Json | undefined, place = "Object"): string | undefined {
  if (Array.isArray(value)) return firstOf(value, (each) => misplacedLiteral(each, place));
  if (!isObject(value)) return undefined;
  const name = WRITTEN_AS.get(value);
  if (name !== undefined && name !== place) {
    return `unexpected type name ${JSON.stringify(name)}, expected ${JSON.stringify(place)}, which matches field name path from root Object type`;
  }
  return firstOf(Object.entries(value), ([key, each]) =>
    misplacedLiteral(each, name === undefined ? place : `${place}.${key}`),
  );
}

function firstOf<T>(all: readonly T[], find: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

function build(name: string, fields: ReadonlyMap<string, CelValue>): CelValue {
  const made: Record<string, unknown> = {};
  WRITTEN_AS.set(made, name);
  for (const [field, value] of fields) {
    const json = toJson(value);
    if (json instanceof CelError) return json;
    setKey(made, field, json);
  }
  return new JsonMap(made, fromJson);
}
