// The schema language: one tree from which validation, defaulting, pruning, OpenAPI, protobuf, merge and apply markers,
// CEL types and Table are derived. Built-in kinds build it with builder.ts, custom resources with from-crd.ts; the
// readers do not know which. Nothing here knows a kind.
//
// Built-in structs are named (`core.v1.PodSpec`), their members are computed on first use, so that recursion works and
// start-up does not pay for kinds that nobody touches.

import type { Json } from "../base/json.ts";

export type Schema = StructSchema | MapSchema | ListSchema | ScalarSchema | AnySchema;

interface SchemaBase {
  readonly doc?: string;
  /** Upstream's name of a named scalar, list or map type (PreemptionPolicy): decoding errors say it. */
  readonly alias?: string;
  /** Custom resources: null is a value of its own and not "absent". */
  readonly nullable?: boolean;
  readonly constraints?: Constraints;
  /** CEL rules (x-kubernetes-validations). */
  readonly rules?: readonly ValidationRule[];
  /** Custom resources: what stands in it or below, so that nobody has to look where there is nothing. */
  readonly inside?: Inside;
}

/** What some readers look for in all of a schema. */
export interface Inside {
  readonly defaults: boolean;
  readonly embedded: boolean;
  readonly rules: boolean;
}

/** Named fields. */
export interface StructSchema extends SchemaBase {
  readonly type: "struct";
  /** Package-qualified name of a built-in type, `core.v1.PodSpec`: its name in OpenAPI and protobuf. */
  readonly name?: string;
  /** In JSON order, inlined structs in their place. */
  readonly members: readonly (Field | Inline)[];
  /** Every field by its JSON name, inlined ones flattened, in JSON order. */
  readonly fields: ReadonlyMap<string, Field>;
  /** atomic: one manager owns the whole struct. */
  readonly mapType?: "atomic" | "granular";
  /** Keeps fields that the schema does not name (x-kubernetes-preserve-unknown-fields). */
  readonly preserveUnknown?: boolean;
  /** Has apiVersion, kind and metadata of its own (x-kubernetes-embedded-resource). */
  readonly embedded?: boolean;
  /** The schema of fields beyond the named ones (custom resources: additionalProperties beside properties). */
  readonly additional?: Schema;
  /** The struct as it is everywhere but in the one field that says otherwise. */
  readonly plain?: StructSchema;
  /** Published in OpenAPI without properties. */
  readonly opaque?: boolean;
  /** Published in OpenAPI (x-kubernetes-unions): the field that says which of the others is set. */
  readonly unions?: readonly { readonly discriminator: string; readonly fields: Readonly<Record<string, string>> }[];
  /** What goes with a feature gate beyond single fields. */
  readonly gated?: readonly GatedPart[];
}

/** Something in values of a struct that is only there when a feature gate is on; see gated-fields.ts. */
export interface GatedPart<T = never> {
  readonly gate: string;
  /** Whether there is anything of it. */
  readonly uses: (value: T) => boolean;
  readonly drop: (value: T) => void;
}

/** Fields of another struct that stand flat in JSON but nested in protobuf. */
export interface Inline {
  readonly inline: StructSchema;
  readonly proto?: number;
  readonly protoName?: string;
}

export interface Field {
  /** JSON name. */
  readonly name: string;
  readonly schema: Schema;
  /** Required in OpenAPI. (What an object must have is said by validation.) */
  readonly required: boolean;
  /** Protobuf field number; absent: not in protobuf. */
  readonly proto?: number;
  readonly protoName?: string;
  /** Upstream keeps absent apart from zero: protobuf and JSON write the zero value when it is set. */
  readonly pointer?: boolean;
  /** Dropped from JSON when empty (zero scalar, empty list or map; a struct only when absent). */
  readonly omitEmpty?: boolean;
  /** Dropped from JSON when it is a struct or time with nothing in it. */
  readonly omitZero?: boolean;
  /** Given but empty it is another thing than absent: validation refuses it. Only of what is omitted when empty. */
  readonly keepEmpty?: boolean;
  /** Applied when absent, for built-in kinds and custom resources alike. */
  readonly default?: Json;
  /** Published in OpenAPI as default although nothing is applied: the zero value upstream publishes. */
  readonly publishedDefault?: Json;
  /** Strategic merge. */
  readonly patchStrategy?: readonly ("merge" | "replace" | "retainKeys")[];
  readonly patchMergeKey?: string;
  /** Only there when this feature gate is on. */
  readonly gate?: string;
  /** What validation asks of the value beyond its type (built-in kinds; not published). */
  readonly must?: ValueCheck;
  /** Only for this field: what the struct it holds says otherwise (published beside the reference). */
  readonly mapType?: "atomic" | "granular";
  /** Published beside what is no list, where upstream marks it as if it were one. */
  readonly publishedListType?: "atomic";
  readonly doc?: string;
}

/** What check-fields.ts asks of a value; each finding stands at the field in upstream's words. */
export interface ValueCheck {
  /** It must be there and not be empty; a text says why. */
  readonly filled?: boolean | string;
  /** An empty value is judged like any other, and so is an absent one where absent is no other thing than empty. */
  readonly strict?: boolean;
  /** A number must be at least this; together with `most`, in between. */
  readonly least?: number;
  readonly most?: number;
  /** What is wrong with a number, where upstream does not say it as bounds are said. */
  readonly amount?: (value: number | bigint) => readonly string[];
  /** A text must be one of those that its schema lists, or of these, in the order in which messages show them. */
  readonly listed?: boolean | readonly string[];
  readonly maxBytes?: number;
  /** What is wrong with a text. */
  readonly form?: (text: string) => readonly string[];
  readonly maxItems?: number;
  /** What is wrong with a list as a whole. */
  readonly whole?: (list: readonly unknown[]) => readonly string[];
  /** Asked of every item of a list. */
  readonly each?: ValueCheck;
  /** The struct that the field holds, or every struct in its list, is judged by its own declaration. */
  readonly inside?: boolean;
  /** No two items of a list are the same; a name: no two have the same value of that member. */
  readonly unique?: true | string;
  /** Asked after the others: a form comes before a length in some places, and after it in others. */
  readonly after?: ValueCheck;
}

/** Any keys, one schema for all values. */
export interface MapSchema extends SchemaBase {
  readonly type: "map";
  readonly values: Schema;
  /** Custom resources: what a null value becomes. */
  readonly valueDefault?: Json;
  readonly mapType?: "atomic" | "granular";
  /** What stands in the place of a map keeps fields that nobody names. */
  readonly preserveUnknown?: boolean;
}

export interface ListSchema extends SchemaBase {
  readonly type: "list";
  readonly items: Schema;
  /** Custom resources: what a null item becomes. */
  readonly itemDefault?: Json;
  readonly listType?: "atomic" | "set" | "map";
  /** With listType map: the fields that identify an element. */
  readonly mapKeys?: readonly string[];
  /** Items keep fields that their schema does not name. */
  readonly preserveUnknown?: boolean;
  /** Protobuf puts the list into a message of its own (upstream's named list types, for example ExtraValue): items=1. */
  readonly protoWrapper?: string;
}

export type ScalarType =
  | "string"
  | "boolean"
  | "int32"
  | "int64"
  | "double"
  /** Base64 text in JSON, bytes in protobuf. */
  | "bytes"
  | "quantity"
  | "intOrString"
  /** RFC 3339 with whole seconds, UTC. */
  | "time"
  /** RFC 3339 with microseconds. */
  | "microTime"
  /** Go's duration text, 1h2m3s. */
  | "duration";

export interface ScalarSchema extends SchemaBase {
  readonly type: "scalar";
  readonly scalar: ScalarType;
  /** Built-in enumerations, as OpenAPI publishes them. Validation is the kind's own. */
  readonly enum?: readonly string[];
  /** OpenAPI format, where it is not implied by the scalar. */
  readonly format?: string;
}

/** Any JSON value. */
export interface AnySchema extends SchemaBase {
  readonly type: "any";
  /**
   * How protobuf carries it: rawExtension and fieldsV1 hold JSON bytes in field 1; json is apiextensions' JSON message.
   * `unions` are the value-or-list types of the schema of custom resources (JSONSchemaPropsOrBool, ...OrArray,
   * ...OrStringArray), whose members are known.
   */
  readonly wire: "rawExtension" | "fieldsV1" | "json" | "propsOrBool" | "propsOrArray" | "propsOrStringArray" | "none";
  /** For the unions: the schema of one member. */
  readonly member?: () => StructSchema;
  /** Must be an object (custom resources: type object with preserve-unknown-fields and no properties). */
  readonly objectOnly?: boolean;
  /** Has apiVersion, kind and metadata of its own. */
  readonly embedded?: boolean;
  /** Objects in it lose all their fields (custom resources: additionalProperties true says nothing about the values). */
  readonly pruned?: boolean;
  /** Custom resources: what is declared, without saying a type, for the value where it is an object. */
  readonly object?: StructSchema;
  /** The same, where it is a list. */
  readonly list?: ListSchema;
}

/** JSON Schema's value constraints. Custom resources use all of them, built-in kinds hardly any. */
export interface Constraints {
  readonly format?: string;
  readonly enum?: readonly Json[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  /** Custom resources: fields that must be there, named in the schema or not. */
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly Logic[];
  readonly anyOf?: readonly Logic[];
  readonly oneOf?: readonly Logic[];
  readonly not?: Logic;
}

/** A value-only schema inside allOf, anyOf, oneOf, not. */
export interface Logic extends Constraints {
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  readonly properties?: ReadonlyMap<string, Logic>;
  readonly additionalProperties?: Logic | boolean;
  readonly items?: Logic;
  readonly nullable?: boolean;
}

export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** What a schema says of an object or list: one that takes anything may still say something of each. */
export function schemaFor(value: object, schema: Schema): Schema | undefined {
  if (schema.type !== "any") return schema;
  return Array.isArray(value) ? schema.list : schema.object;
}

export function isInline(member: Field | Inline): member is Inline {
  return "inline" in member;
}
