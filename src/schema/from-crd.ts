// Makes a schema of a custom resource's openAPIV3Schema. The readers then treat it as any other.

import { atOnce, Pace, type Steps } from "../base/steps.ts";
import { additionalOf, itemsOf, type Props, propertyNamesInStep } from "./crd-props.ts";
import { both, DEFAULTS, EMBEDDED, NOTHING, RULES } from "./inside.ts";
import type {
  AnySchema,
  Constraints,
  Field,
  Inside,
  ListSchema,
  Logic,
  MapSchema,
  ScalarSchema,
  Schema,
  StructSchema,
  ValidationRule,
} from "./schema.ts";

/**
 * The schema that `props` says. What is not structural (see crd-rules.ts) must have been refused before; its remains
 * are ignored. The root is a struct that says of apiVersion, kind and metadata only what the definition says.
 */
export function schemaFromCrd(props: Props): StructSchema {
  return atOnce(schemaFromCrdInSteps(props));
}

/** The same for large definitions. */
export function* schemaFromCrdInSteps(props: Props): Steps<StructSchema> {
  const pace = newPace();
  const root = yield* schemaOf({ ...props, type: "object" }, pace);
  return root.type === "struct" ? root : yield* structOf(props, yield* baseOf(props, pace), pace);
}

/**
 * The schema of whole objects: the root with apiVersion, kind and the metadata that every object has. For apply, tables
 * and protobuf-less encodings; validation and pruning take the root as it is.
 */
export function withObjectMeta({ inside: _, ...root }: StructSchema, objectMeta: StructSchema): StructSchema {
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
export function schemaOfProps(props: Props): Steps<Schema> {
  return schemaOf(props, newPace());
}

const PARTS_PER_STEP = 250;

const newPace = (): Pace => new Pace(PARTS_PER_STEP);

function* schemaOf(props: Props, pace: Pace): Steps<Schema> {
  const base = yield* baseOf(props, pace);
  switch (props["x-kubernetes-int-or-string"] ? "" : props.type) {
    case "object":
      return yield* objectOf(props, base, pace);
    case "array":
      return yield* listOf(props, base, pace);
    default:
      return scalarOf(props, base) ?? (yield* anyOf(props, base, pace));
  }
}

/** Most parts of a schema are scalars of which nothing but their own members says anything: they need no steps. */
function plainScalarOf(props: Props): Schema | undefined {
  return hasLogic(props) ? undefined : scalarOf(props, plainBaseOf(props));
}

function scalarOf(props: Props, base: Base): Schema | undefined {
  const scalar = props["x-kubernetes-int-or-string"] ? "intOrString" : SCALARS.get(props.type);
  if (scalar === undefined) return undefined;
  const format = scalar === "boolean" ? {} : formatOf(props);
  return { ...base, type: "scalar", scalar, ...format, inside: insideOf(base) };
}

const SCALARS: ReadonlyMap<string | undefined, ScalarSchema["scalar"]> = new Map([
  ["string", "string"],
  ["boolean", "boolean"],
  ["integer", "int64"],
  ["number", "double"],
]);

/** Without a type, unknown fields are preserved; what is declared holds where the value has the form for it. */
function* anyOf(props: Props, base: Base, pace: Pace): Steps<AnySchema> {
  const struct = yield* structOf(props, {}, pace);
  const object = struct.fields.size > 0 || props.additionalProperties ? struct : undefined;
  const list = props.items === undefined ? undefined : yield* listOf(props, {}, pace);
  return {
    ...base,
    type: "any",
    wire: "none",
    ...(object === undefined ? {} : { object }),
    ...(list === undefined ? {} : { list }),
    inside: insideOf(base, object, list),
  };
}

function* objectOf(props: Props, base: Base, pace: Pace): Steps<StructSchema | MapSchema> {
  const struct = yield* structOf(props, base, pace);
  const additional = props.additionalProperties;
  const isMap = struct.fields.size === 0 && additional !== undefined && additional !== false;
  if (!isMap || props["x-kubernetes-embedded-resource"]) return struct;
  const valueDefault = additionalOf(props)?.default;
  const values = struct.additional ?? PRUNED;
  return {
    ...base,
    type: "map",
    values,
    ...(valueDefault === undefined ? {} : { valueDefault }),
    ...mapTypeOf(props),
    ...preserveOf(props),
    inside: withDefault(insideOf(base, values), valueDefault),
  };
}

const PRUNED: AnySchema = { type: "any", wire: "none", pruned: true, inside: NOTHING };

function* structOf(props: Props, base: Base, pace: Pace): Steps<StructSchema> {
  const required = new Set(props.required);
  const fields: Field[] = [];
  let inside = insideOf(base);
  for (const name of yield* propertyNamesInStep(props)) {
    if (pace.due()) yield;
    const property = props.properties![name]!;
    const schema = plainScalarOf(property) ?? (yield* schemaOf(property, pace));
    inside = withDefault(both(inside, schema.inside), property.default);
    fields.push({
      name,
      schema,
      required: required.has(name),
      ...(property.default === undefined ? {} : { default: property.default }),
    });
  }
  const declared = additionalOf(props);
  const additional =
    props.additionalProperties === true ? PRUNED : declared === undefined ? undefined : yield* schemaOf(declared, pace);
  const embedded = props["x-kubernetes-embedded-resource"] === true;
  inside = both(inside, additional?.inside);
  return {
    ...base,
    type: "struct",
    ...fieldsOf(fields),
    ...mapTypeOf(props),
    ...preserveOf(props),
    ...(embedded ? { embedded } : {}),
    ...(additional === undefined ? {} : { additional }),
    inside: embedded ? both(inside, EMBEDDED) : inside,
  };
}

function fieldsOf(fields: readonly Field[]): Pick<StructSchema, "members" | "fields"> {
  return { members: fields, fields: new Map(fields.map((field) => [field.name, field])) };
}

function* listOf(props: Props, base: Base, pace: Pace): Steps<ListSchema> {
  const declared = itemsOf(props);
  const items = declared === undefined ? PRUNED : yield* schemaOf(declared, pace);
  const itemDefault = declared?.default;
  const listType = props["x-kubernetes-list-type"];
  const mapKeys = props["x-kubernetes-list-map-keys"];
  return {
    ...base,
    type: "list",
    items,
    ...(itemDefault === undefined ? {} : { itemDefault }),
    ...(listType === "atomic" || listType === "set" || listType === "map" ? { listType } : {}),
    ...(mapKeys === undefined ? {} : { mapKeys }),
    ...preserveOf(props),
    inside: withDefault(insideOf(base, items), itemDefault),
  };
}

/** With what a default adds. */
const withDefault = (inside: Inside, fallback: unknown): Inside =>
  fallback === undefined ? inside : both(inside, DEFAULTS);

/** What stands in a schema with these rules, and in those that it is made of. */
function insideOf({ rules }: Base, ...parts: readonly (Schema | undefined)[]): Inside {
  return parts.reduce((inside, part) => both(inside, part?.inside), rules === undefined ? NOTHING : RULES);
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

function* baseOf(props: Props, pace: Pace): Steps<Base> {
  if (!hasLogic(props)) return plainBaseOf(props);
  return { ...plainBaseOf(props), constraints: yield* constraintsOf(props, pace) };
}

function plainBaseOf(props: Props): Base {
  const constraints = plainConstraintsOf(props);
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

const hasLogic = ({ allOf, anyOf, oneOf, not }: Props): boolean =>
  allOf !== undefined || anyOf !== undefined || oneOf !== undefined || not !== undefined;

function plainConstraintsOf(props: Props): Constraints | undefined {
  let found: { -readonly [K in keyof Constraints]: unknown } | undefined;
  for (const name of PLAIN_CONSTRAINTS) {
    if (props[name] === undefined) continue;
    found ??= {};
    found[name] = props[name];
  }
  if (found === undefined) return undefined;
  // Bounds are doubles, also where they were written as integers that no double holds exactly.
  for (const name of BOUNDS) if (found[name] !== undefined) found[name] = Number(found[name]);
  return found as Constraints;
}

function* constraintsOf(props: Props, pace: Pace): Steps<Constraints> {
  const found: { -readonly [K in keyof Constraints]: unknown } = { ...plainConstraintsOf(props) };
  for (const name of JUNCTORS) {
    const declared = props[name];
    if (declared === undefined) continue;
    const parts: Logic[] = [];
    for (const part of declared) parts.push(yield* logicOf(part, pace));
    found[name] = parts;
  }
  if (props.not !== undefined) found.not = yield* logicOf(props.not, pace);
  return found as Constraints;
}

function* logicOf(props: Props, pace: Pace): Steps<Logic> {
  if (pace.due()) yield;
  const constraints = hasLogic(props) ? yield* constraintsOf(props, pace) : plainConstraintsOf(props);
  const items = itemsOf(props);
  const properties = new Map<string, Logic>();
  for (const name of yield* propertyNamesInStep(props))
    properties.set(name, yield* logicOf(props.properties![name]!, pace));
  const additional = props.additionalProperties;
  return {
    ...constraints,
    ...typeOf(props.type),
    ...(props.nullable ? { nullable: true } : {}),
    ...(items === undefined ? {} : { items: yield* logicOf(items, pace) }),
    ...(properties.size === 0 ? {} : { properties }),
    ...(additional === undefined
      ? {}
      : { additionalProperties: typeof additional === "boolean" ? additional : yield* logicOf(additional, pace) }),
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
