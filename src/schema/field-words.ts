// The words for fields, as the compiler sees them: what each takes, and the declaration it makes.

import type { Json, JsonObject } from "../base/json.ts";
import type {
  CollectionField,
  Describes,
  Element,
  ElementValue,
  Presence,
  ScalarField,
  Struct,
  StructField,
} from "./declared-types.ts";
import type { AnySchema, Constraints, Field, ListSchema, MapSchema, Schema, ValueCheck } from "./schema.ts";

export interface FieldOptions {
  readonly protoName?: string;
  /** Where being required and being written when empty differ from what the presence says. */
  readonly required?: boolean;
  readonly omitEmpty?: boolean;
  readonly omitZero?: boolean;
  readonly keepEmpty?: boolean;
  readonly pointer?: boolean;
  readonly default?: Json;
  readonly publishedDefault?: Json;
  readonly publishedListType?: Field["publishedListType"];
  readonly patchStrategy?: Field["patchStrategy"];
  readonly patchMergeKey?: string;
  readonly gate?: string;
  /** What validation asks of the value; see check-fields.ts. */
  readonly must?: ValueCheck;
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

/** The protobuf number of a field; undefined: not in protobuf. */
export type Proto = number | undefined;

type ScalarWord<T, P> = <const O extends ScalarOptions>(
  proto?: number,
  doc?: string,
  options?: O,
) => ScalarField<T, P, O>;

/** A time that is always written is null when there is none. */
type TimeWord<P> = <const O extends FieldOptions>(
  proto: Proto,
  doc?: string,
  options?: O,
) => CollectionField<string, P, O>;

type ListWord<P> = <const E extends Element, const O extends ListOptions>(
  element: E,
  proto: Proto,
  doc?: string,
  options?: O,
) => CollectionField<ElementValue<E>[], P, O>;

/** The words for fields of one presence. */
export interface FieldWords<P extends Presence> {
  readonly string: ScalarWord<string, P>;
  readonly boolean: ScalarWord<boolean, P>;
  readonly int32: ScalarWord<number, P>;
  readonly int64: ScalarWord<number, P>;
  readonly double: ScalarWord<number, P>;
  readonly bytes: ScalarWord<string, P>;
  readonly quantity: ScalarWord<string, P>;
  readonly intOrString: ScalarWord<number | string, P>;
  readonly duration: ScalarWord<string, P>;
  readonly time: TimeWord<P>;
  readonly microTime: TimeWord<P>;
  /** A string whose type has a name upstream. */
  named<const O extends ScalarOptions>(
    alias: string,
    proto: Proto,
    doc?: string,
    options?: O,
  ): ScalarField<string, P, O>;
  /** A named string of which upstream publishes the values it knows. Others are refused by validation, if at all. */
  enumOf<const V extends string, const O extends ScalarOptions>(
    alias: string,
    values: readonly V[],
    proto: Proto,
    doc?: string,
    options?: O,
  ): ScalarField<V, P, O>;
  readonly list: ListWord<P>;
  /** A list that one manager owns as a whole. */
  readonly atomic: ListWord<P>;
  /** A list of values that are all different. */
  readonly set: ListWord<P>;
  /** A list whose elements are told apart, also in strategic merges, by a field or several. */
  listBy<const E extends Element, const O extends ListOptions>(
    keys: string | readonly [string, ...string[]],
    element: E,
    proto: Proto,
    doc?: string,
    options?: O,
  ): CollectionField<ElementValue<E>[], P, O>;
  map<const E extends Element, const O extends MapOptions>(
    element: E,
    proto: Proto,
    doc?: string,
    options?: O,
  ): CollectionField<Record<string, ElementValue<E>>, P, O>;
  /** A field that holds a struct. A `mapType` here overrides that of the struct. */
  of<T, const O extends MapOptions>(schema: Struct<T>, proto: Proto, doc?: string, options?: O): StructField<T, P, O>;
  /** A field whose schema is not a struct but shared: a named list type, a free form value. */
  typed<T, const O extends FieldOptions>(
    schema: Schema & Describes<T>,
    proto: Proto,
    doc?: string,
    options?: O,
  ): CollectionField<T, P, O>;
  /** A field that holds any JSON value, carried in protobuf as `wire` says. */
  any<const O extends FieldOptions>(
    wire: AnySchema["wire"],
    proto: Proto,
    doc?: string,
    options?: O,
  ): CollectionField<Json, P, O>;
  /** A field that holds any JSON object. */
  anyObject<const O extends FieldOptions>(
    wire: AnySchema["wire"],
    proto: Proto,
    doc?: string,
    options?: O,
  ): CollectionField<JsonObject, P, O>;
}
