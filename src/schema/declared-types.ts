// The TypeScript types that declarations carry: what a field holds and whether it is always there.
//
// The type is that of a complete object as the server holds it: what upstream always writes is always there (a struct
// that is not a pointer, a scalar that is not optional), a list that is always written but may be missing is null.

import type { Field, Inline, ScalarType, Schema, StructSchema } from "./schema.ts";

declare const described: unique symbol;

/** Carries, for the compiler only, the type of the values that a schema describes. */
export interface Describes<T> {
  readonly [described]?: T;
}

export type Struct<T> = StructSchema & Describes<T>;

/** The type of the values that a schema (or a kind's schema) describes. */
export type ObjectOf<S> = S extends Describes<infer T> ? T : never;

/** The same object while it is being written by a client: everything may be left out, or undefined, which is the same. */
export type Draft<T> = T extends readonly (infer Item)[]
  ? Draft<Item>[]
  : T extends object
    ? { [K in keyof T]?: Draft<T[K]> | undefined }
    : T;

/**
 * Whether a client must give a field and whether the server writes it when it is empty.
 * - `required`: both.
 * - `shown`: it may be left out, but is always written.
 * - `optional`: neither.
 * - `pointer`: neither, and absent is another thing than empty.
 */
export type Presence = "required" | "shown" | "optional" | "pointer";

/** A field in the making: it gets its name from the key under which it stands. */
export interface FieldDeclaration<T, There extends "always" | "sometimes"> extends Describes<T> {
  readonly there?: There;
  toField(name: string): Field;
}

export interface InlineDeclaration<T> extends Describes<T> {
  readonly there?: "inline";
  toInline(): Inline;
}

type AnyDeclaration = FieldDeclaration<unknown, "always" | "sometimes"> | InlineDeclaration<unknown>;
/** The members of a struct in the making, in JSON order. */
export type Members = Readonly<Record<string, AnyDeclaration>>;

/** What a list or a map holds: a scalar by its name, or any other schema. */
export type Element = ScalarType | (Schema & Describes<unknown>);

type ScalarValue<S extends ScalarType> = S extends "boolean"
  ? boolean
  : S extends "int32" | "double"
    ? number
    : // Beyond 2^53 an int64 is a bigint at run time; code that counts so far reads it with BigInt().
      S extends "int64"
      ? number
      : S extends "intOrString"
        ? number | string
        : string;

export type ElementValue<E> = E extends ScalarType ? ScalarValue<E> : E extends Describes<infer T> ? T : never;

type IsOmitted<P, O> = O extends { readonly omitEmpty: infer Omit }
  ? Omit
  : P extends "optional" | "pointer"
    ? true
    : false;

type IsPointer<P, O> = P extends "pointer" ? true : O extends { readonly pointer: true } ? true : false;

/** Scalars: absent when omitted, null when a pointer is always written. */
export type ScalarField<T, P, O> =
  true extends IsOmitted<P, O>
    ? FieldDeclaration<T, "sometimes">
    : FieldDeclaration<true extends IsPointer<P, O> ? T | null : T, "always">;

/** Times, lists and maps: absent when omitted, else null when there are none. */
export type CollectionField<T, P, O> =
  true extends IsOmitted<P, O> ? FieldDeclaration<T, "sometimes"> : FieldDeclaration<T | null, "always">;

/** Structs are always there unless they are pointers. */
export type StructField<T, P, O> =
  true extends IsPointer<P, O>
    ? CollectionField<T, P, O>
    : FieldDeclaration<T, O extends { readonly omitZero: true } ? "sometimes" : "always">;

type KeysWith<M, There> = { [K in keyof M]: M[K] extends { readonly there?: There } ? K : never }[keyof M];

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
