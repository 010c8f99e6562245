// Makes a schema of a custom resource's openAPIV3Schema. The readers then treat it as any other.

import { additionalOf, hasProperties, itemsOf, type Props, propertiesOf } from "./crd-props.ts";
import type {
  AnySchema,
  Constraints,
  Field,
  ListSchema,
  Logic,
  Schema,
  StructSchema,
  ValidationRule,
} from "./schema.ts";

/**
 * The schema that `props` says. What is not structural (see crd-rules.ts) must have been refused before; its remains
 * are ignored. The root is a struct that says of apiVersion, kind and metadata only what the definition says.
 */
export function schemaFromCrd(props: Props): StructSchema {
  const root = schemaOf({ ...props, type: "object" });
  return root.type === "struct" ? root : structOf(props, baseOf(props));
}

/**
 * The schema of whole objects: the root with apiVersion, kind and the metadata that every object has. For apply, tables
 * and protobuf-less encodings; validation and pruning take the root as it is.
 */
export function withObjectMeta(root: StructSchema, objectMeta: StructSchema): StructSchema {
  const text: Schema = { type: "scalar", scalar: "string" };
  const meta: Field[] = [
    { name: "apiVersion", schema: text, required: false, omitEmpty: true },
    { name: "kind", schema: text, required: false, omitEmpty: true },
    { name: "metadata", schema: objectMeta, required: false, omitEmpty: true },
  ];
  const names = new Set(meta.map((field) => field.name));
  const rest = [...root.fields.values()].filter((field) => !names.has(field.name));
  return { ...root, ...fieldsOf([...meta, ...rest]) };
}

type Base = Pick<StructSchema, "doc" | "nullable" | "constraints" | "rules">;

/** The schema of a part of a definition's schema. */
export function schemaOfProps(props: Props): Schema {
  return schemaOf(props);
}

function schemaOf(props: Props): Schema {
  const base = baseOf(props);
  if (props["x-kubernetes-int-or-string"])
    return { ...base, type: "scalar", scalar: "intOrString", ...formatOf(props) };
  switch (props.type) {
    case "object":
      return objectOf(props, base);
    case "array":
      return listOf(props, base);
    case "string":
      return { ...base, type: "scalar", scalar: "string", ...formatOf(props) };
    case "boolean":
      return { ...base, type: "scalar", scalar: "boolean" };
    case "integer":
      return { ...base, type: "scalar", scalar: "int64", ...formatOf(props) };
    case "number":
      return { ...base, type: "scalar", scalar: "double", ...formatOf(props) };
    default:
      return anyOf(props, base);
  }
}

/** Without a type, unknown fields are preserved; what is declared holds where the value has the form for it. */
function anyOf(props: Props, base: Base): AnySchema {
  return {
    ...base,
    type: "any",
    wire: "none",
    ...(hasProperties(props) || props.additionalProperties ? { object: structOf(props, {}) } : {}),
    ...(props.items === undefined ? {} : { list: listOf(props, {}) }),
  };
}

function objectOf(props: Props, base: Base): Schema {
  const additional = props.additionalProperties;
  const isMap = !hasProperties(props) && additional !== undefined && additional !== false;
  if (!isMap || props["x-kubernetes-embedded-resource"]) return structOf(props, base);
  const values = additionalOf(props);
  return {
    ...base,
    type: "map",
    values: values === undefined ? PRUNED : schemaOf(values),
    ...(values?.default === undefined ? {} : { valueDefault: values.default }),
    ...mapTypeOf(props),
    ...preserveOf(props),
  };
}

const PRUNED: AnySchema = { type: "any", wire: "none", pruned: true };

function structOf(props: Props, base: Base): StructSchema {
  const required = new Set(props.required);
  const fields = propertiesOf(props).map(([name, property]): Field => {
    const schema = schemaOf(property);
    return {
      name,
      schema,
      required: required.has(name),
      ...(property.default === undefined ? {} : { default: property.default }),
    };
  });
  const additional = additionalOf(props);
  return {
    ...base,
    type: "struct",
    ...fieldsOf(fields),
    ...mapTypeOf(props),
    ...preserveOf(props),
    ...(props["x-kubernetes-embedded-resource"] ? { embedded: true } : {}),
    ...(additional === undefined ? {} : { additional: schemaOf(additional) }),
    ...(props.additionalProperties === true ? { additional: PRUNED } : {}),
  };
}

function fieldsOf(fields: readonly Field[]): Pick<StructSchema, "members" | "fields"> {
  return { members: fields, fields: new Map(fields.map((field) => [field.name, field])) };
}

function listOf(props: Props, base: Base): ListSchema {
  const items = itemsOf(props);
  const listType = props["x-kubernetes-list-type"];
  const mapKeys = props["x-kubernetes-list-map-keys"];
  return {
    ...base,
    type: "list",
    items: items === undefined ? PRUNED : schemaOf(items),
    ...(items?.default === undefined ? {} : { itemDefault: items.default }),
    ...(listType === "atomic" || listType === "set" || listType === "map" ? { listType } : {}),
    ...(mapKeys === undefined ? {} : { mapKeys }),
    ...preserveOf(props),
  };
}

function preserveOf(props: Props): { preserveUnknown?: true } {
  return props["x-kubernetes-preserve-unknown-fields"] ? { preserveUnknown: true } : {};
}

function mapTypeOf(props: Props): { mapType?: "atomic" | "granular" } {
  const mapType = props["x-kubernetes-map-type"];
  return mapType === "atomic" || mapType === "granular" ? { mapType } : {};
}

function formatOf(props: Props): { format?: string } {
  return props.format === undefined ? {} : { format: props.format };
}

function baseOf(props: Props): Base {
  const constraints = constraintsOf(props);
  const rules = props["x-kubernetes-validations"];
  return {
    ...(props.description === undefined ? {} : { doc: props.description }),
    ...(props.nullable ? { nullable: true } : {}),
    ...(constraints === undefined ? {} : { constraints }),
    // Reasons were checked against the closed list before.
    ...(rules === undefined || rules.length === 0 ? {} : { rules: rules as readonly ValidationRule[] }),
  };
}

const PLAIN_CONSTRAINTS = [
  "format",
  "enum",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "uniqueItems",
  "required",
  "minProperties",
  "maxProperties",
] as const satisfies readonly (keyof Constraints & keyof Props)[];

const BOUNDS = ["minimum", "maximum", "multipleOf"] as const;
const JUNCTORS = ["allOf", "anyOf", "oneOf"] as const;

function constraintsOf(props: Props): Constraints | undefined {
  const found: { -readonly [K in keyof Constraints]: unknown } = {};
  for (const name of PLAIN_CONSTRAINTS) if (props[name] !== undefined) found[name] = props[name];
  // Bounds are doubles, also where they were written as integers that no double holds exactly.
  for (const name of BOUNDS) if (found[name] !== undefined) found[name] = Number(found[name]);
  for (const name of JUNCTORS) if (props[name] !== undefined) found[name] = props[name].map(logicOf);
  if (props.not !== undefined) found.not = logicOf(props.not);
  return Object.keys(found).length === 0 ? undefined : (found as Constraints);
}

function logicOf(props: Props): Logic {
  const items = itemsOf(props);
  const properties = propertiesOf(props);
  const additional = props.additionalProperties;
  return {
    ...constraintsOf(props),
    ...typeOf(props.type),
    ...(props.nullable ? { nullable: true } : {}),
    ...(items === undefined ? {} : { items: logicOf(items) }),
    ...(properties.length === 0
      ? {}
      : { properties: new Map(properties.map(([name, property]) => [name, logicOf(property)])) }),
    ...(additional === undefined
      ? {}
      : { additionalProperties: typeof additional === "boolean" ? additional : logicOf(additional) }),
  };
}

function typeOf(type: string | undefined): Pick<Logic, "type"> {
  switch (type) {
    case "object":
    case "array":
    case "string":
    case "integer":
    case "number":
    case "boolean":
      return { type };
    default:
      return {};
  }
}
