// Object literals of mutation expressions: `Object{spec: Object.spec{replicas: 3}}` and `JSONPatch{op: "add", ...}`.
// An object type is named by the path to it and takes any field; values go out as JSON.

import { type Json, setKey } from "../base/json.ts";
import type { StructDeclaration, TypeProvider } from "./declarations.ts";
import { CelError } from "./errors.ts";
import { toJson } from "./json.ts";
import { equals } from "./runtime/equality.ts";
import { type CelType, DYN, STRING, structType } from "./types.ts";
import { CelObject, type CelValue } from "./values.ts";

/** Longer paths are no object types. */
const MAX_TYPE_NAME_LENGTH = 1_024;

const PATCH_FIELDS: ReadonlyMap<string, CelType> = new Map([
  ["op", STRING],
  ["path", STRING],
  ["from", STRING],
  ["value", DYN],
]);

export const OBJECT_TYPE = structType("Object");
export const JSON_PATCH_TYPE = structType("JSONPatch");

/** Finds `Object`, every `Object.path.below.it`, and `JSONPatch`. */
export const objectLiterals: TypeProvider = {
  findStruct(name) {
    if (name === JSON_PATCH_TYPE.name) {
      return declare(JSON_PATCH_TYPE, (field) => PATCH_FIELDS.get(field), PATCH_FIELDS.keys());
    }
    if (name !== OBJECT_TYPE.name && !name.startsWith(`${OBJECT_TYPE.name}.`)) return undefined;
    if (name.length > MAX_TYPE_NAME_LENGTH) return undefined;
    return declare(structType(name), () => DYN, []);
  },
};

export class ObjectLiteral extends CelObject {
  readonly type: CelType;
  readonly fields: ReadonlyMap<string, CelValue>;

  constructor(type: CelType, fields: ReadonlyMap<string, CelValue>) {
    super();
    this.type = type;
    this.fields = fields;
  }

  override get size(): number {
    return this.fields.size;
  }

  get(field: string): CelValue | undefined {
    return this.fields.get(field);
  }

  equals(other: CelObject): boolean {
    if (!(other instanceof ObjectLiteral) || other.type.name !== this.type.name || other.size !== this.size)
      return false;
    for (const [name, value] of this.fields) {
      const theirs = other.fields.get(name);
      if (theirs === undefined || !equals(value, theirs)) return false;
    }
    return true;
  }

  toJson(): Json | CelError {
    const result: Record<string, Json> = {};
    for (const [name, value] of this.fields) {
      const json = toJson(value);
      if (json instanceof CelError) return json;
      setKey(result, name, json);
    }
    return result;
  }
}

function declare(
  type: CelType,
  field: (name: string) => CelType | undefined,
  fieldNames: Iterable<string>,
): StructDeclaration {
  return { type, field, fieldNames: () => fieldNames, create: (fields) => createLiteral(type, fields) };
}

/** An object inside another must be of the type that its place has, so that a patch cannot land elsewhere. */
function createLiteral(type: CelType, fields: ReadonlyMap<string, CelValue>): CelValue {
  if (type.name !== JSON_PATCH_TYPE.name) {
    for (const [name, value] of fields) {
      const expected = `${type.name}.${name}`;
      if (value instanceof ObjectLiteral && value.type.name !== expected) {
        return new CelError(
          `unexpected type name "${value.type.name}", expected "${expected}", which matches field name path from root Object type`,
        );
      }
    }
  }
  return new ObjectLiteral(type, fields);
}
