// What the expression language needs to know of a schema: types, which fields there are, and what bounds their sizes.
// Requirements: document 1, "Expression language (CEL) in API fields".

import { Pace, type Steps } from "../base/steps.ts";
import type { CelSchema } from "../cel/schema-types.ts";
import type { AnySchema, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from "./schema.ts";

/**
 * The description of a schema. `root`: it is that of a custom resource, whose apiVersion, kind, metadata.name and
 * metadata.generateName are there though its schema need not name them. A struct inside itself is left open.
 */
export function* celSchemaOf(schema: Schema, options: { readonly root?: boolean } = {}): Steps<CelSchema> {
  const described = yield* describe(schema, { around: new Set(), pace: new Pace(FIELDS_PER_STEP) });
  return options.root ? { ...described, embeddedResource: true } : described;
}

const FIELDS_PER_STEP = 1_000;

interface Describing {
  readonly around: Set<Schema>;
  readonly pace: Pace;
}

function* describe(schema: Schema, describing: Describing): Steps<CelSchema> {
  switch (schema.type) {
    case "struct":
      return yield* describeStruct(schema, describing);
    case "map":
      return yield* describeMap(schema, describing);
    case "list":
      return yield* describeList(schema, describing);
    case "any":
      return describeAny(schema);
    case "scalar":
      return describeScalar(schema);
  }
}

function* describeStruct(schema: StructSchema, describing: Describing): Steps<CelSchema> {
  const { around, pace } = describing;
  if (around.has(schema)) return OPEN;
  around.add(schema);
  const properties = new Map<string, CelSchema>();
  const required = new Set(schema.constraints?.required);
  for (const field of schema.fields.values()) {
    if (pace.due()) yield;
    const inner = yield* describe(field.schema, describing);
    properties.set(field.name, field.default === undefined ? inner : { ...inner, hasDefault: true });
    if (field.required) required.add(field.name);
  }
  around.delete(schema);
  return {
    type: "object",
    properties,
    ...(required.size === 0 ? {} : { required: [...required] }),
    ...(schema.embedded ? { embeddedResource: true } : {}),
  };
}

/** Any value, looked at only when an expression runs. */
const OPEN: CelSchema = { dynamic: true };
/** No type: expressions cannot reach it. */
const UNREACHABLE: CelSchema = {};

function* describeMap(schema: MapSchema, describing: Describing): Steps<CelSchema> {
  const maxProperties = schema.constraints?.maxProperties;
  // A map of which only the keys are known is an object without fields.
  if (schema.values.type === "any" && schema.values.pruned) return { type: "object" };
  return {
    type: "object",
    additionalProperties: yield* describe(schema.values, describing),
    ...(maxProperties === undefined ? {} : { maxProperties }),
  };
}

function* describeList(schema: ListSchema, describing: Describing): Steps<CelSchema> {
  const maxItems = schema.constraints?.maxItems;
  return {
    type: "array",
    items: yield* describe(schema.items, describing),
    ...(schema.listType === undefined ? {} : { listType: schema.listType }),
    ...(schema.mapKeys === undefined ? {} : { listMapKeys: schema.mapKeys }),
    ...(maxItems === undefined ? {} : { maxItems }),
  };
}

// Custom resources have values without a type only where unknown fields are preserved; built-in kinds carry the objects
// of others there, which expressions may look into.
function describeAny(schema: AnySchema): CelSchema {
  return schema.wire === "none" ? UNREACHABLE : OPEN;
}

function describeScalar(schema: ScalarSchema): CelSchema {
  switch (schema.scalar) {
    case "boolean":
      return { type: "boolean" };
    case "int32":
    case "int64":
      return { type: "integer" };
    case "double":
      return { type: "number" };
    case "intOrString":
      return { intOrString: true, ...lengthOf(schema) };
    case "bytes":
      return { type: "string", format: "byte", ...lengthOf(schema) };
    case "time":
    case "microTime":
      return { type: "string", format: "date-time" };
    // A quantity may be written as a number too.
    case "quantity":
      return { intOrString: true };
    case "duration":
      return { type: "string" };
    case "string": {
      const values = schema.constraints?.enum ?? schema.enum;
      return {
        type: "string",
        ...(schema.format === undefined ? {} : { format: schema.format }),
        ...(values === undefined ? {} : { enum: values }),
        ...lengthOf(schema),
      };
    }
  }
}

function lengthOf(schema: ScalarSchema): { maxLength?: number } {
  const maxLength = schema.constraints?.maxLength;
  return maxLength === undefined ? {} : { maxLength };
}
