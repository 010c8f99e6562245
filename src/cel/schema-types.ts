// Types from schemas: a small structural description becomes declared types, adapters that read plain JSON in place,
// and the bounds that estimates need. Serves document 1, "Expression language (CEL) in API fields", type mapping.

import { Pace, type Steps } from "../base/steps.ts";
import { Boxed } from "./boxed.ts";
import type { SizeHints } from "./cost/estimate.ts";
import type { StructDeclaration } from "./declarations.ts";
import type { Variable } from "./environment.ts";
import { type Adapter, fromJson, JsonList, JsonMap } from "./json.ts";
import { MAX_REQUEST_BYTES } from "./limits.ts";
import { escapePropertyName, keywordField } from "./property-names.ts";
import { MapList, SetList } from "./schema/list-kinds.ts";
import {
  readBoolean,
  readBytes,
  readDate,
  readDateTime,
  readDouble,
  readDuration,
  readInt,
  readIntOrString,
  readString,
  unfit,
} from "./schema/scalars.ts";
import { fieldAccessor, SchemaObject, type SchemaStruct } from "./schema/schema-object.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  STRING,
  structType,
  TIMESTAMP,
} from "./types.ts";
import type { CelValue } from "./values.ts";

/** As much of a schema as the language needs; schemas of custom resources and of kinds both reduce to it. */
export interface CelSchema {
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean" | "null";
  readonly format?: string;
  readonly properties?: ReadonlyMap<string, CelSchema>;
  readonly additionalProperties?: CelSchema;
  readonly items?: CelSchema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly hasDefault?: boolean;
  readonly intOrString?: boolean;
  /** apiVersion, kind, metadata.name and metadata.generateName are there even if not listed. */
  readonly embeddedResource?: boolean;
  /** No schema for what is inside: taken as it comes, checked only when it runs. */
  readonly dynamic?: boolean;
  readonly listType?: "atomic" | "set" | "map";
  readonly listMapKeys?: readonly string[];
  readonly maxLength?: number | bigint;
  readonly maxItems?: number | bigint;
  readonly maxProperties?: number | bigint;
}

export interface SchemaDeclaration {
  readonly type: CelType;
  /** The object types inside, for the environment. */
  readonly structs: readonly StructDeclaration[];
  readonly adapt: Adapter;
  /** Sizes in a variable of this schema, whatever its name is. */
  readonly sizes: SizeHints;
  /** Bytes of the smallest value in JSON: says how often it can stand in one request. */
  readonly minBytes: number;
}

/**
 * The declaration of a schema; undefined for a schema without a type, whose values expressions cannot reach.
 * `name` names the object types in messages and must be unique in an environment.
 */
export function* declareSchema(schema: CelSchema, name: string): Steps<SchemaDeclaration | undefined> {
  const structs: StructDeclaration[] = [];
  const node = yield* declareNode(schema, name, { structs, pace: new Pace(FIELDS_PER_STEP) });
  if (node === undefined) return undefined;
  const { type, adapt } = node;
  return {
    type,
    structs,
    adapt,
    sizes: (path) => sizeAt(node, path.slice(1)),
    minBytes: node.minBytes,
  };
}

const FIELDS_PER_STEP = 500;

interface Declaring {
  readonly structs: StructDeclaration[];
  readonly pace: Pace;
}

/** A variable with the type of a schema. */
export function schemaVariable(name: string, declaration: SchemaDeclaration): Variable {
  const { type, adapt } = declaration;
  return { name, type, adapt };
}

interface SchemaNode {
  readonly type: CelType;
  readonly adapt: Adapter;
  /** What estimates count with; nothing for what has no size. */
  readonly maxElements: number;
  /** Bytes of the smallest value in JSON. */
  readonly minBytes: number;
  readonly element?: SchemaNode;
  readonly key?: SchemaNode;
  readonly fields?: ReadonlyMap<string, SchemaNode>;
}

const MAX_TEXT = MAX_REQUEST_BYTES - 2;
const MIN_STRING_BYTES = 2;
const NO_OBJECT = "invalid data, expected a map for the provided schema with type=object";
const NO_LIST = "invalid data, expected an array for the provided schema with type=array";
/** Bytes that a code point may take. */
const MAX_UTF8_BYTES = 4;

function* declareNode(schema: CelSchema, name: string, declaring: Declaring): Steps<SchemaNode | undefined> {
  if (schema.dynamic) return { type: DYN, adapt: fromJson, maxElements: MAX_TEXT, minBytes: 1 };
  if (schema.intOrString) {
    const maxElements = schema.maxLength === undefined ? MAX_TEXT : textLength(schema.maxLength);
    return { type: DYN, adapt: readIntOrString, maxElements, minBytes: 1 };
  }
  switch (schema.type) {
    case "array":
      return schema.items === undefined ? undefined : yield* declareList(schema, schema.items, name, declaring);
    case "object":
      if (schema.additionalProperties !== undefined)
        return yield* declareMap(schema, schema.additionalProperties, name, declaring);
      return yield* declareObject(schema, name, declaring);
    case "string":
      return declareString(schema);
    case "boolean":
      return { type: BOOL, adapt: readBoolean, maxElements: 0, minBytes: 4 };
    case "number":
      return { type: DOUBLE, adapt: readDouble, maxElements: 0, minBytes: 1 };
    case "integer":
      return { type: INT, adapt: readInt, maxElements: 0, minBytes: 1 };
    case "null":
      return { type: NULL, adapt: () => null, maxElements: 0, minBytes: 4 };
    default:
      return undefined;
  }
}

function declareString(schema: CelSchema): SchemaNode {
  switch (schema.format) {
    case "byte":
      return {
        type: BYTES,
        adapt: readBytes,
        maxElements: Math.max(Number(schema.maxLength ?? MAX_TEXT), 0),
        minBytes: MIN_STRING_BYTES,
      };
    case "duration":
      return { type: DURATION, adapt: readDuration, maxElements: 32, minBytes: 3 };
    case "date":
      return { type: TIMESTAMP, adapt: readDate, maxElements: 12, minBytes: 12 };
    case "date-time":
    case "datetime":
      return { type: TIMESTAMP, adapt: readDateTime, maxElements: 32, minBytes: 21 };
    default:
      return { type: STRING, adapt: readString, maxElements: stringLength(schema), minBytes: MIN_STRING_BYTES };
  }
}

function stringLength(schema: CelSchema): number {
  if (schema.maxLength !== undefined) return textLength(schema.maxLength);
  if (schema.enum === undefined || schema.enum.length === 0) return MAX_TEXT;
  return schema.enum.reduce<number>(
    (longest, value) => Math.max(longest, typeof value === "string" ? Buffer.byteLength(value) : 0),
    0,
  );
}

/** Upstream counts the bytes that the characters may take. */
function textLength(maxLength: number | bigint): number {
  return Math.max(Number(maxLength), 0) * MAX_UTF8_BYTES;
}

function* declareList(
  schema: CelSchema,
  items: CelSchema,
  name: string,
  declaring: Declaring,
): Steps<SchemaNode | undefined> {
  const element = yield* declareNode(items, `${name}.@idx`, declaring);
  if (element === undefined) return undefined;
  const maxElements = Math.max(Number(schema.maxItems ?? Math.floor(MAX_TEXT / (element.minBytes + 1))), 0);
  return { type: listOf(element.type), adapt: listAdapter(schema, element.adapt), maxElements, minBytes: 2, element };
}

function listAdapter(schema: CelSchema, adapt: Adapter): Adapter {
  const make = (raw: readonly unknown[]): CelValue => {
    if (schema.listType === "set") return new SetList(raw, adapt);
    if (schema.listType === "map") return new MapList(raw, adapt, schema.listMapKeys ?? []);
    return new JsonList(raw, adapt);
  };
  return (raw) => (Array.isArray(raw) ? make(raw) : unfit(raw, NO_LIST));
}

function* declareMap(
  schema: CelSchema,
  values: CelSchema,
  name: string,
  declaring: Declaring,
): Steps<SchemaNode | undefined> {
  const element = yield* declareNode(values, `${name}.@elem`, declaring);
  if (element === undefined) return undefined;
  const maxElements = Math.max(Number(schema.maxProperties ?? Math.floor(MAX_TEXT / (element.minBytes + 6))), 0);
  // Upstream counts keys as texts without length.
  const key: SchemaNode = { type: STRING, adapt: readString, maxElements: 0, minBytes: MIN_STRING_BYTES };
  const adapt: Adapter = (raw) => (isPlain(raw) ? new JsonMap(raw, element.adapt) : unfit(raw, NO_OBJECT));
  return { type: mapOf(STRING, element.type), adapt, maxElements, minBytes: 2, element, key };
}

function* declareObject(schema: CelSchema, name: string, { structs, pace }: Declaring): Steps<SchemaNode> {
  const nodes = new Map<string, SchemaNode>();
  const fields = new Map<string, { property: string; adapt: Adapter }>();
  const meant = (field: string): string => (nodes.has(field) ? field : (keywordField(field) ?? field));
  const required = new Set(schema.required ?? []);
  let minBytes = 2;
  for (const [property, inner] of membersOf(schema)) {
    if (pace.due()) yield;
    const node = yield* declareNode(inner, `${name}.${property}`, { structs, pace });
    if (node === undefined) continue;
    const field = escapePropertyName(property);
    if (field !== undefined) {
      nodes.set(field, node);
      fields.set(field, { property, adapt: node.adapt });
    }
    if (required.has(property) && !inner.hasDefault) minBytes += property.length + node.minBytes + 4;
  }
  const type = structType(name);
  const struct: SchemaStruct = { type, fields };
  const adapt: Adapter = (raw) => (isPlain(raw) ? new SchemaObject(raw, struct) : unfit(raw, NO_OBJECT));
  structs.push({
    type,
    field: (field) => nodes.get(meant(field))?.type,
    fieldNames: () => nodes.keys(),
    accessor: (field) => fieldAccessor(struct, meant(field)),
    json: { adapt, field: (field) => fields.get(meant(field)) },
  });
  return { type, adapt, maxElements: 0, minBytes, fields: nodes };
}

const TEXT: CelSchema = { type: "string" };

/** With what every object at the root of a resource has, whether its schema lists it or not. */
function* membersOf({ embeddedResource, properties = NO_PROPERTIES }: CelSchema): Iterable<[string, CelSchema]> {
  if (!embeddedResource) {
    yield* properties;
    return;
  }
  for (const name of ["apiVersion", "kind"]) yield [name, properties.get(name) ?? TEXT];
  const listed = properties.get("metadata")?.properties ?? NO_PROPERTIES;
  const metadata = new Map([["name", TEXT], ["generateName", TEXT], ...listed]);
  yield ["metadata", { type: "object", properties: metadata }];
  for (const [name, schema] of properties) if (!OF_EVERY_OBJECT.has(name)) yield [name, schema];
}

const NO_PROPERTIES: ReadonlyMap<string, CelSchema> = new Map();
const OF_EVERY_OBJECT: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

function sizeAt(root: SchemaNode, path: readonly string[]): { min: number; max: number } | undefined {
  let node: SchemaNode | undefined = root;
  for (const name of path) {
    if (name === "@items" || name === "@values") node = node.element;
    else if (name === "@keys") node = node.key;
    else node = node.fields?.get(name) ?? node.fields?.get(keywordField(name) ?? "");
    if (node === undefined) return undefined;
  }
  return { min: 0, max: node.maxElements };
}

/** Objects of JSON; values of the language pass as they are. */
function isPlain(raw: unknown): raw is Readonly<Record<string, unknown>> {
  return typeof raw === "object" && raw !== null && !Array.isArray(raw) && !(raw instanceof Boxed);
}
