// The words with which built-in kinds declare their schemas. Every declaration also carries the TypeScript type of the
// values it describes, so that a type is never written twice: `type IPBlock = ObjectOf<typeof ipBlock>`.
//
//   const ipBlock = s.struct("networking.v1.IPBlock", "A range of addresses.", () => ({
//     cidr: s.string(1, "The range."),
//     except: opt.atomic("string", 2, "Ranges in it that are left out."),
//   }));
//
// A field is a word of what it holds, under one of four that say whether it is there: `s` required, `shown` not required
// but always written, `opt` optional, `ptr` optional with absent apart from empty. Then come its protobuf number, its
// text and, for few, further options.
//
// Nothing is computed before it is used: the members of a struct are made on the first look at them.

import type { Json } from "../base/json.ts";
import type {
  Describes,
  Element,
  ElementValue,
  FieldDeclaration,
  InlineDeclaration,
  Members,
  MembersValue,
  Presence,
  Struct,
} from "./declared-types.ts";
import type { FieldOptions, FieldWords, ListOptions, MapOptions, Proto, ScalarOptions } from "./field-words.ts";
import { copyOf, LazyStruct, type StructOptions } from "./lazy-struct.ts";
import { listSchema, mapSchema, scalarSchema } from "./leaf-schemas.ts";
import type { AnySchema, Field, ListSchema, ScalarSchema, ScalarType, Schema, StructSchema } from "./schema.ts";

export type { Describes, Draft, Members, MembersValue, ObjectOf, Struct } from "./declared-types.ts";

function struct<M extends Members>(name: string, members: () => M): Struct<MembersValue<M>>;
function struct<M extends Members>(name: string, doc: string, members: () => M): Struct<MembersValue<M>>;
function struct<M extends Members>(
  name: string,
  doc: string,
  options: StructOptions,
  members: () => M,
): Struct<MembersValue<M>>;
/** With the type given, for structs that contain themselves. */
function struct<T>(name: string, doc: string, options: StructOptions, members: () => Members): Struct<T>;
function struct(name: string, ...rest: readonly (string | StructOptions | (() => Members))[]): StructSchema {
  let options: StructOptions & { readonly doc?: string } = {};
  let members: () => Members = () => ({});
  for (const part of rest) {
    if (typeof part === "function") members = part;
    else options = { ...options, ...(typeof part === "string" ? { doc: part } : part) };
  }
  return new LazyStruct(name, options, members);
}

/** The same struct under another name: for another version, or another kind. */
function copy<T>(name: string, original: Struct<T>): Struct<T> {
  return copyOf(original, { name });
}

/** The fields of another struct in place of this member; protobuf, if it has a number, holds them nested. */
function inline<T>(schema: Struct<T>, proto?: number, protoName = memberName(schema)): InlineDeclaration<T> {
  return { toInline: () => ({ inline: schema, ...(proto !== undefined && { proto, protoName }) }) };
}

/** The same members, some under other protobuf numbers: the given ones, or what a function makes of each. */
function renumbered<M extends Members>(
  members: M,
  numbers: { readonly [K in keyof M]?: number } | ((number: number) => number),
): M {
  if (typeof numbers === "object") return changed(members, numbers, (field, proto) => ({ ...field, proto }));
  const each = Object.fromEntries(Object.keys(members).map((key) => [key, numbers])) as {
    [K in keyof M]: typeof numbers;
  };
  return changed(members, each, (field, move) => ({ ...field, ...(field.proto && { proto: move(field.proto) }) }));
}

/** The same members, some with other texts. */
function retold<M extends Members>(members: M, texts: { readonly [K in keyof M]?: string }): M {
  return changed(members, texts, (field, doc) => ({ ...field, doc }));
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

/** What is required and always written; and the words that are about no field. */
export const s = {
  ...wordsFor("required"),
  struct,
  copy,
  inline,
  renumbered,
  retold,
  listOf,
  anyValue,
  enumValue,
} as const;
/** What may be left out but is always written. */
export const shown: FieldWords<"shown"> = wordsFor("shown");
/** What may be left out and is not written when it is empty. */
export const opt: FieldWords<"optional"> = wordsFor("optional");
/** What may be left out; given but empty it is written. */
export const ptr: FieldWords<"pointer"> = wordsFor("pointer");

function wordsFor<P extends Presence>(presence: P): FieldWords<P> {
  const make = (schema: () => Schema, zero: Json | undefined, proto: Proto, doc?: string, options: MapOptions = {}) =>
    field(schema, zero, { ...MARKERS[presence], proto, doc, ...options });
  const scalar =
    (type: ScalarType, shared: ScalarOptions = {}) =>
    (proto: Proto, doc?: string, options?: ScalarOptions) =>
      make(() => scalarSchema(type, { ...shared, ...options }), ZERO_SCALARS[type], proto, doc, options);
  const list = (shared: ListOptions) => (element: Element, proto: Proto, doc?: string, options?: ListOptions) => {
    const all = { ...shared, ...options };
    return make(() => listSchema(element, all), undefined, proto, doc, all);
  };
  const any = (wire: AnySchema["wire"], proto: Proto, doc?: string, options?: FieldOptions) =>
    make(() => ({ type: "any", wire }), undefined, proto, doc, options);
  const words = {
    string: scalar("string"),
    boolean: scalar("boolean"),
    int32: scalar("int32"),
    int64: scalar("int64"),
    double: scalar("double"),
    bytes: scalar("bytes"),
    quantity: scalar("quantity"),
    intOrString: scalar("intOrString"),
    duration: scalar("duration"),
    time: scalar("time"),
    microTime: scalar("microTime"),
    named: (alias: string, proto: Proto, doc?: string, options?: ScalarOptions) =>
      scalar("string", { alias })(proto, doc, options),
    enumOf: (alias: string, values: readonly string[], proto: Proto, doc?: string, options?: ScalarOptions) =>
      make(() => ({ ...scalarSchema("string", { alias, ...options }), enum: values }), "", proto, doc, options),
    list: list({}),
    atomic: list({ listType: "atomic" }),
    set: list({ listType: "set" }),
    listBy(keys: string | readonly string[], element: Element, proto: Proto, doc?: string, options?: ListOptions) {
      const mapKeys = typeof keys === "string" ? [keys] : keys;
      const markers = { listType: "map", mapKeys, patchStrategy: ["merge"], patchMergeKey: mapKeys[0]! } as const;
      return list(markers)(element, proto, doc, options);
    },
    map: (element: Element, proto: Proto, doc?: string, options: MapOptions = {}) =>
      make(() => mapSchema(element, options), undefined, proto, doc, options),
    of(schema: StructSchema, proto: Proto, doc?: string, options: MapOptions = {}) {
      const { mapType, pointer = presence === "pointer" } = options;
      const made = () => (mapType === undefined ? schema : copyOf(schema, { mapType }));
      return make(made, pointer ? undefined : {}, proto, doc, options);
    },
    typed: (schema: Schema, proto: Proto, doc?: string, options?: FieldOptions) =>
      make(() => schema, undefined, proto, doc, options),
    any,
    anyObject: any,
  };
  // The types that values have are known to the compiler alone.
  return words as unknown as FieldWords<P>;
}

interface FieldMarkers extends MapOptions {
  readonly optional?: boolean;
  readonly proto: Proto;
  readonly doc: string | undefined;
}

const MARKERS = {
  required: {},
  shown: { required: false },
  optional: { optional: true },
  pointer: { optional: true, pointer: true },
} as const;

const ZERO_SCALARS: { readonly [S in ScalarType]?: Json } = {
  string: "",
  boolean: false,
  int32: 0,
  int64: 0,
  double: 0,
};

function field(
  schema: () => Schema,
  zero: Json | undefined,
  options: FieldMarkers,
): FieldDeclaration<unknown, "always" | "sometimes"> {
  return {
    toField(name) {
      const { optional = false, required = !optional, omitEmpty = optional } = options;
      const made = schema();
      // Upstream publishes the zero value of whatever is always there.
      const published = made.type === "struct" || !(omitEmpty || options.pointer) ? zero : undefined;
      return {
        name,
        schema: made,
        required,
        ...(omitEmpty && { omitEmpty }),
        ...(published !== undefined && options.default === undefined && { publishedDefault: published }),
        ...setMarkers(options),
      };
    },
  };
}

function setMarkers(options: FieldMarkers): Omit<Field, "name" | "schema" | "required"> {
  return {
    ...(options.proto !== undefined && { proto: options.proto }),
    ...(options.protoName !== undefined && { protoName: options.protoName }),
    ...(options.pointer && { pointer: true }),
    ...(options.omitZero && { omitZero: true }),
    ...(options.keepEmpty && { keepEmpty: true }),
    ...(options.default !== undefined && { default: options.default }),
    ...(options.publishedDefault !== undefined && { publishedDefault: options.publishedDefault }),
    ...(options.publishedListType && { publishedListType: options.publishedListType }),
    ...(options.patchStrategy && { patchStrategy: options.patchStrategy }),
    ...(options.patchMergeKey !== undefined && { patchMergeKey: options.patchMergeKey }),
    ...(options.mapType && { mapType: options.mapType }),
    ...(options.gate !== undefined && { gate: options.gate }),
    ...(options.must && { must: options.must }),
    ...(options.doc !== undefined && { doc: options.doc }),
  };
}

function changed<M extends Members, V>(
  members: M,
  values: { readonly [K in keyof M]?: V },
  change: (field: Field, value: V) => Field,
): M {
  const copies = Object.entries(members).map(([key, declaration]) => {
    const value = values[key];
    if (value === undefined || !("toField" in declaration)) return [key, declaration];
    return [key, { toField: (name: string) => change(declaration.toField(name), value) }];
  });
  return Object.fromEntries(copies) as M;
}

/** `localObjectReference` for `core.v1.LocalObjectReference`. */
function memberName({ name = "" }: StructSchema): string {
  const word = name.slice(name.lastIndexOf(".") + 1);
  return word.charAt(0).toLowerCase() + word.slice(1);
}
