// What validation asks of a schema node, the same for schemas and for the value-only schemas inside their junctors.

import type { Constraints, Logic, Schema } from "./schema.ts";

export interface ValueNode {
  /** JSON types that are allowed; empty: any. */
  readonly types: readonly string[];
  readonly nullable: boolean;
  readonly constraints: Constraints;
  readonly required: readonly string[];
  property(name: string): ValueNode | undefined;
  /** For fields that are not properties; false: there may be none. */
  readonly others: ValueNode | false | undefined;
  readonly items: ValueNode | undefined;
  /** The fields that correlate the items of an old and a new list. */
  readonly mapKeys: readonly string[] | undefined;
  /** Whether constraints say allOf, anyOf, oneOf or not. */
  readonly hasJunctors: boolean;
}

export function nodeOfSchema(schema: Schema): ValueNode {
  return remember(schema, () => makeSchemaNode(schema));
}

export function nodeOfLogic(logic: Logic): ValueNode {
  return remember(logic, () => makeLogicNode(logic));
}

const NODES = new WeakMap<object, ValueNode>();

function remember(source: object, make: () => ValueNode): ValueNode {
  let node = NODES.get(source);
  if (node === undefined) {
    node = make();
    NODES.set(source, node);
  }
  return node;
}

const NO_CONSTRAINTS: Constraints = {};
const none = (): undefined => undefined;

function makeSchemaNode(schema: Schema): ValueNode {
  const constraints = schema.constraints ?? NO_CONSTRAINTS;
  const base: ValueNode = {
    types: typesOf(schema),
    nullable: schema.nullable === true,
    constraints,
    required: constraints.required ?? [],
    property: none,
    others: undefined,
    items: undefined,
    mapKeys: undefined,
    hasJunctors: hasJunctors(constraints),
  };
  switch (schema.type) {
    case "struct":
      return {
        ...base,
        property(name) {
          const field = schema.fields.get(name);
          return field === undefined ? undefined : nodeOfSchema(field.schema);
        },
        others: schema.additional === undefined ? undefined : nodeOfSchema(schema.additional),
      };
    case "map":
      return { ...base, others: nodeOfSchema(schema.values) };
    case "list": {
      const mapKeys = schema.listType === "map" ? schema.mapKeys : undefined;
      return { ...base, items: nodeOfSchema(schema.items), mapKeys };
    }
    case "any": {
      const { object, list } = schema;
      const ofObject = object && nodeOfSchema(object);
      const ofList = list && nodeOfSchema(list);
      return {
        ...base,
        property: ofObject?.property ?? none,
        others: ofObject?.others,
        items: ofList?.items,
        mapKeys: ofList?.mapKeys,
      };
    }
    default:
      return base;
  }
}

function typesOf(schema: Schema): readonly string[] {
  switch (schema.type) {
    case "struct":
    case "map":
      return ["object"];
    case "list":
      return ["array"];
    case "any":
      return schema.objectOnly ? ["object"] : [];
    case "scalar":
      return SCALAR_TYPES[schema.scalar] ?? ["string"];
  }
}

const SCALAR_TYPES: Readonly<Record<string, readonly string[]>> = {
  boolean: ["boolean"],
  int32: ["integer"],
  int64: ["integer"],
  double: ["number"],
  intOrString: ["integer", "string"],
};

function makeLogicNode(logic: Logic): ValueNode {
  const additional = logic.additionalProperties;
  return {
    types: logic.type === undefined ? [] : [logic.type],
    nullable: logic.nullable === true,
    constraints: logic,
    required: logic.required ?? [],
    property(name) {
      const property = logic.properties?.get(name);
      return property === undefined ? undefined : nodeOfLogic(property);
    },
    others: additional === undefined || additional === true ? undefined : additional && nodeOfLogic(additional),
    items: logic.items === undefined ? undefined : nodeOfLogic(logic.items),
    mapKeys: undefined,
    hasJunctors: hasJunctors(logic),
  };
}

function hasJunctors({ allOf = [], anyOf = [], oneOf = [], not }: Constraints): boolean {
  return allOf.length > 0 || anyOf.length > 0 || oneOf.length > 0 || not !== undefined;
}
