// The words with which built-in kinds declare their schemas. Every declaration also carries the TypeScript type of the
// values it describes, so that a type is never written twice: `type Pod = ObjectOf<typeof podSchema>`.
//
//   const ipBlock = s.struct("networking.v1.IPBlock", () => ({
//     cidr: s.string({ proto: 1 }),
//     except: s.list("string", { proto: 2, optional: true, listType: "atomic" }),
//   }));
//
// The type is that of a complete object as the server holds it: what upstream always writes is always there (a struct
// that is not a pointer, a scalar that is not `optional`), a list that is always written but may be missing is null.
//
// Nothing is computed before it is used: the members of a struct are made on the first look at them.

import type { Json, JsonObject } from "../base/json.ts";
import {
  type AnySchema,
  type Constraints,
  type Field,
  type Inline,
  isInline,
  type ListSchema,
  type MapSchema,
  type ScalarSchema,
  type ScalarType,
  type Schema,
  type StructSchema,
  type ValidationRule,
} from "./schema.ts";

declare const described: unique symbol;

/** Carries, for the compiler only, the type of the values that a schema describes. */
export interface Describes<T> {
  readonly [described]?: T;
}

export type Struct<T> = StructSchema & Describes<T>;

/** The type of the values that a schema (or a kind's schema) describes. */
export type ObjectOf<S> = S extends Describes<infer T> ? T : never;

/** The same object while it is being written by a client: everything may be left out. */
export type Draft<T> = T extends readonly (infer Item)[]
  ? Draft<Item>[]
  : T extends object
    ? { [K in keyof T]?: Draft<T[K]> }
    : T;

export interface FieldOptions {
  /** Protobuf field number; absent: not in protobuf. */
  readonly proto?: number;
  readonly protoName?: string;
  /** May be left out: neither required in OpenAPI nor written when empty. Without it a field is both. */
  readonly optional?: boolean;
  /** Where being required and being written when empty differ: `optional` says both. */
  readonly required?: boolean;
  readonly omitEmpty?: boolean;
  readonly omitZero?: boolean;
  readonly keepEmpty?: boolean;
  readonly pointer?: boolean;
  readonly default?: Json;
  readonly publishedDefault?: Json;
  readonly patchStrategy?: Field["patchStrategy"];
  readonly patchMergeKey?: string;
  readonly gate?: string;
  readonly doc?: string;
  readonly nullable?: boolean;
  /** What upstream calls the type in messages: of a list that of its items. */
  readonly alias?: string;
}

export interface ScalarOptions extends FieldOptions {
  readonly format?: string;
  readonly constraints?: Constraints;
}

export interface ListOptions extends FieldOptions {
  readonly listType?: ListSchema["listType"];
  readonly mapKeys?: readonly string[];
  readonly protoWrapper?: string;
  /** What upstream calls a list type that has a name of its own. */
  readonly listAlias?: string;
}

export interface MapOptions extends FieldOptions {
  readonly mapType?: MapSchema["mapType"];
}

export interface StructOptions {
  readonly doc?: string;
  readonly mapType?: StructSchema["mapType"];
  readonly preserveUnknown?: boolean;
  readonly embedded?: boolean;
  readonly opaque?: boolean;
  readonly rules?: readonly ValidationRule[];
  readonly unions?: StructSchema["unions"];
}

/** A field in the making: it gets its name from the key under which it stands. */
export interface FieldDeclaration<T, Presence extends "always" | "sometimes"> extends Describes<T> {
  readonly presence?: Presence;
  toField(name: string): Field;
}

export interface InlineDeclaration<T> extends Describes<T> {
  readonly presence?: "inline";
  toInline(): Inline;
}

export type AnyDeclaration = FieldDeclaration<unknown, "always" | "sometimes"> | InlineDeclaration<unknown>;
/** The members of a struct in the making, in JSON order. */
export type Members = Readonly<Record<string, AnyDeclaration>>;

/** What a list or a map holds: a scalar by its name, or any other schema. */
type Element = ScalarType | (Schema & Describes<unknown>);

export type ScalarValue<S extends ScalarType> = S extends "boolean"
  ? boolean
  : S extends "int32" | "double"
    ? number
    : // Beyond 2^53 an int64 is a bigint at run time; code that counts so far reads it with BigInt().
      S extends "int64"
      ? number
      : S extends "intOrString"
        ? number | string
        : string;

type ElementValue<E> = E extends ScalarType ? ScalarValue<E> : E extends Describes<infer T> ? T : never;

type IsOmitted<O> = O extends { readonly omitEmpty: infer Omit }
  ? Omit
  : O extends { readonly optional: true }
    ? true
    : false;

/** Scalars: absent when omitted, null when a pointer is always written. */
type ScalarField<T, O> =
  true extends IsOmitted<O>
    ? FieldDeclaration<T, "sometimes">
    : FieldDeclaration<O extends { readonly pointer: true } ? T | null : T, "always">;

/** A time that is always written is null when there is none. */
type TimeField<O> =
  true extends IsOmitted<O> ? FieldDeclaration<string, "sometimes"> : FieldDeclaration<string | null, "always">;

/** Lists and maps: absent when omitted, else null when there are none. */
type CollectionField<T, O> =
  true extends IsOmitted<O> ? FieldDeclaration<T, "sometimes"> : FieldDeclaration<T | null, "always">;

/** Structs are always there unless they are pointers. */
type StructField<T, O> = O extends { readonly pointer: true }
  ? true extends IsOmitted<O>
    ? FieldDeclaration<T, "sometimes">
    : FieldDeclaration<T | null, "always">
  : FieldDeclaration<T, O extends { readonly omitZero: true } ? "sometimes" : "always">;

type KeysWith<M, P> = { [K in keyof M]: M[K] extends { readonly presence?: P } ? K : never }[keyof M];

type UnionToIntersection<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void
  ? I
  : never;

type InlinedOf<M> = [KeysWith<M, "inline">] extends [never]
  ? unknown
  : UnionToIntersection<ObjectOf<M[KeysWith<M, "inline">]>>;

type Flat<T> = { [K in keyof T]: T[K] };

export type MembersValue<M> = Flat<
  { -readonly [K in KeysWith<M, "always">]: ObjectOf<M[K]> } & {
    -readonly [K in KeysWith<M, "sometimes">]?: ObjectOf<M[K]>;
  } & InlinedOf<M>
>;

function struct<M extends Members>(name: string, members: () => M): Struct<MembersValue<M>>;
function struct<M extends Members>(name: string, options: StructOptions, members: () => M): Struct<MembersValue<M>>;
/** With the type given, for structs that contain themselves. */
function struct<T>(name: string, options: StructOptions, members: () => Members): Struct<T>;
function struct(name: string, first: StructOptions | (() => Members), second?: () => Members): StructSchema {
  return typeof first === "function" ? new LazyStruct(name, {}, first) : new LazyStruct(name, first, second!);
}

function scalar<S extends ScalarType>(type: S) {
  return <const O extends ScalarOptions>(options: O): ScalarField<ScalarValue<S>, O> =>
    field(() => scalarSchema(type, options), options, ZERO_SCALARS[type]) as ScalarField<ScalarValue<S>, O>;
}

function time(type: "time" | "microTime") {
  return <const O extends FieldOptions>(options: O): TimeField<O> =>
    field(() => sharedScalar(type), options, undefined) as TimeField<O>;
}

/** A string of which upstream publishes the values it knows. Others are refused by validation, if at all. */
function enumOf<const V extends string, const O extends ScalarOptions>(
  values: readonly V[],
  options: O,
): ScalarField<V, O> {
  const schema = () => ({ ...scalarSchema("string", options), enum: values });
  return field(schema, options, "") as ScalarField<V, O>;
}

function list<const E extends Element, const O extends ListOptions>(
  element: E,
  options: O,
): CollectionField<ElementValue<E>[], O> {
  return field(() => listSchema(element, options), options, undefined) as CollectionField<ElementValue<E>[], O>;
}

function map<const E extends Element, const O extends MapOptions>(
  element: E,
  options: O,
): CollectionField<Record<string, ElementValue<E>>, O> {
  const schema = (): MapSchema => ({
    type: "map",
    values: elementSchema(element),
    ...(options.mapType && { mapType: options.mapType }),
    ...(options.alias !== undefined && { alias: options.alias }),
  });
  return field(schema, options, undefined) as CollectionField<Record<string, ElementValue<E>>, O>;
}

/** A field that holds a struct. A `mapType` here overrides that of the struct. */
function of<T, const O extends MapOptions>(schema: Struct<T>, options: O): StructField<T, O> {
  const made = () => (options.mapType === undefined ? schema : withMapType(schema, options.mapType));
  return field(made, options, options.pointer ? undefined : {}) as StructField<T, O>;
}

/** A field whose schema is not a struct but shared: a named list type, a free form value. */
function typed<T, const O extends FieldOptions>(schema: Schema & Describes<T>, options: O): CollectionField<T, O> {
  return field(() => schema, options, undefined) as CollectionField<T, O>;
}

/** A field that holds any JSON value, carried in protobuf as `wire` says. */
function any<const O extends FieldOptions>(wire: AnySchema["wire"], options: O): CollectionField<Json, O> {
  return field(() => ({ type: "any", wire }), options, undefined) as CollectionField<Json, O>;
}

/** A field that holds any JSON object. */
function anyObject<const O extends FieldOptions>(wire: AnySchema["wire"], options: O): CollectionField<JsonObject, O> {
  return field(() => ({ type: "any", wire }), options, undefined) as CollectionField<JsonObject, O>;
}

/** The fields of another struct in place of this member. */
function inline<T>(schema: Struct<T>, options: { proto?: number; protoName?: string } = {}): InlineDeclaration<T> {
  return { toInline: () => ({ inline: schema, ...options }) };
}

/** A list as a schema of its own, for lists of lists and maps of lists. */
function listOf<const E extends Element>(
  element: E,
  options: ListOptions = {},
): ListSchema & Describes<ElementValue<E>[]> {
  return listSchema(element, options);
}

/** Any JSON value as a schema of its own, for lists and maps of them. */
function anyValue(wire: AnySchema["wire"]): AnySchema & Describes<Json> {
  return { type: "any", wire };
}

/** An enumeration as a schema of its own, for lists and maps of them. */
function enumValue<const V extends string>(values: readonly V[]): ScalarSchema & Describes<V> {
  return { type: "scalar", scalar: "string", enum: values };
}

export const s = {
  struct,
  string: scalar("string"),
  boolean: scalar("boolean"),
  int32: scalar("int32"),
  int64: scalar("int64"),
  double: scalar("double"),
  bytes: scalar("bytes"),
  quantity: scalar("quantity"),
  intOrString: scalar("intOrString"),
  time: time("time"),
  microTime: time("microTime"),
  duration: scalar("duration"),
  enumOf,
  list,
  listOf,
  map,
  of,
  typed,
  any,
  anyObject,
  anyValue,
  enumValue,
  inline,
} as const;

class LazyStruct implements StructSchema {
  readonly type = "struct";
  readonly name: string;
  readonly doc?: string;
  readonly mapType?: "atomic" | "granular";
  readonly preserveUnknown?: boolean;
  readonly embedded?: boolean;
  readonly opaque?: boolean;
  readonly rules?: readonly ValidationRule[];
  readonly unions?: NonNullable<StructSchema["unions"]>;
  readonly #declare: () => Members;
  #members: readonly (Field | Inline)[] | undefined;
  #fields: ReadonlyMap<string, Field> | undefined;

  constructor(name: string, options: StructOptions, declare: () => Members) {
    this.name = name;
    Object.assign(this, options);
    this.#declare = declare;
  }

  get members(): readonly (Field | Inline)[] {
    this.#members ??= Object.entries(this.#declare()).map(([name, declaration]) =>
      "toField" in declaration ? declaration.toField(name) : declaration.toInline(),
    );
    return this.#members;
  }

  get fields(): ReadonlyMap<string, Field> {
    if (this.#fields === undefined) {
      const fields = new Map<string, Field>();
      for (const member of this.members) {
        if (!isInline(member)) fields.set(member.name, member);
        else for (const [name, inlined] of member.inline.fields) fields.set(name, inlined);
      }
      this.#fields = fields;
    }
    return this.#fields;
  }
}

function withMapType(struct: StructSchema, mapType: "atomic" | "granular"): StructSchema {
  return {
    type: "struct",
    ...(struct.name !== undefined && { name: struct.name }),
    ...(struct.doc !== undefined && { doc: struct.doc }),
    mapType,
    get members() {
      return struct.members;
    },
    get fields() {
      return struct.fields;
    },
  };
}

const ZERO_SCALARS: { readonly [S in ScalarType]?: Json } = {
  string: "",
  boolean: false,
  int32: 0,
  int64: 0,
  double: 0,
};

function field(
  schema: () => Schema,
  options: FieldOptions,
  zero: Json | undefined,
): FieldDeclaration<unknown, "always" | "sometimes"> {
  return {
    toField(name) {
      const { optional = false, required = !optional, omitEmpty = optional, nullable, ...rest } = options;
      const made = schema();
      // Upstream publishes the zero value of whatever is always there.
      const published = isStruct(made) || !(omitEmpty || options.pointer) ? zero : undefined;
      return {
        name,
        schema: nullable ? { ...made, nullable } : made,
        required,
        ...(omitEmpty && { omitEmpty }),
        ...(published !== undefined && options.default === undefined && { publishedDefault: published }),
        ...fieldMarkers(rest),
      };
    },
  };
}

function fieldMarkers(options: MapOptions): Omit<Field, "name" | "schema" | "required"> {
  return {
    ...(options.proto !== undefined && { proto: options.proto }),
    ...(options.protoName !== undefined && { protoName: options.protoName }),
    ...(options.pointer && { pointer: true }),
    ...(options.omitZero && { omitZero: true }),
    ...(options.keepEmpty && { keepEmpty: true }),
    ...(options.default !== undefined && { default: options.default }),
    ...(options.publishedDefault !== undefined && { publishedDefault: options.publishedDefault }),
    ...(options.patchStrategy && { patchStrategy: options.patchStrategy }),
    ...(options.patchMergeKey !== undefined && { patchMergeKey: options.patchMergeKey }),
    ...(options.mapType && { mapType: options.mapType }),
    ...(options.gate !== undefined && { gate: options.gate }),
    ...(options.doc !== undefined && { doc: options.doc }),
  };
}

function isStruct(schema: Schema): schema is StructSchema {
  return schema.type === "struct";
}

function scalarSchema(type: ScalarType, { format, constraints, alias }: ScalarOptions): ScalarSchema {
  if (format === undefined && constraints === undefined && alias === undefined) return sharedScalar(type);
  return {
    type: "scalar",
    scalar: type,
    ...(format !== undefined && { format }),
    ...(constraints && { constraints }),
    ...(alias !== undefined && { alias }),
  };
}

const SHARED_SCALARS = new Map<ScalarType, ScalarSchema>();

/** One schema for all fields of a plain scalar type: readers compile it once. */
function sharedScalar(type: ScalarType): ScalarSchema {
  let schema = SHARED_SCALARS.get(type);
  if (schema === undefined) {
    schema = { type: "scalar", scalar: type };
    SHARED_SCALARS.set(type, schema);
  }
  return schema;
}

function listSchema(element: Element, options: ListOptions): ListSchema {
  const { listType, mapKeys, protoWrapper, alias, listAlias = protoWrapper } = options;
  const items = elementSchema(element);
  return {
    type: "list",
    items: alias === undefined ? items : { ...items, alias },
    ...(listType && { listType }),
    ...(mapKeys && { mapKeys }),
    ...(protoWrapper !== undefined && { protoWrapper }),
    ...(listAlias !== undefined && { alias: listAlias }),
  };
}

function elementSchema(element: Element): Schema {
  return typeof element === "string" ? sharedScalar(element) : element;
}
