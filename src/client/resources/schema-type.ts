// The TypeScript type of the values that a schema of a CustomResourceDefinition describes, from the literal alone.
//
//   { type: "object", properties: { size: { type: "integer" } }, required: ["size"] }   ->   { size: number }

import type { Json } from "../../base/json.ts";

/** A structural schema as definitions hold it, as far as types depend on it. */
export interface JsonSchema {
  readonly type?: string | undefined;
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: JsonSchema | undefined;
  readonly additionalProperties?: JsonSchema | boolean | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly nullable?: boolean | undefined;
  readonly default?: unknown;
  readonly "x-kubernetes-int-or-string"?: boolean | undefined;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean | undefined;
  /** Everything else that a schema may say: formats, limits, rules, descriptions. */
  readonly [word: string]: unknown;
}

/** What the server answers for a value of this schema: fields with defaults are always there. */
export type FromSchema<S> = S extends { readonly nullable: true } ? Plain<S> | null : Plain<S>;

type Plain<S> = S extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : S extends { readonly "x-kubernetes-int-or-string": true }
    ? number | string
    : S extends { readonly type: "string" }
      ? string
      : S extends { readonly type: "integer" | "number" }
        ? number
        : S extends { readonly type: "boolean" }
          ? boolean
          : S extends { readonly type: "array"; readonly items: infer Item }
            ? FromSchema<Item>[]
            : S extends { readonly properties: infer Properties }
              ? Fields<Properties, AlwaysThere<S>> & Unknown<S>
              : S extends { readonly additionalProperties: infer Value }
                ? Record<string, Value extends boolean ? Json : FromSchema<Value>>
                : S extends { readonly type: "object" }
                  ? { [field: string]: Json }
                  : Json;

type Fields<Properties, Always> = Flat<
  { -readonly [K in keyof Properties as K extends Always ? K : never]: FromSchema<Properties[K]> } & {
    -readonly [K in keyof Properties as K extends Always ? never : K]?: FromSchema<Properties[K]>;
  }
>;

type Flat<T> = { [K in keyof T]: T[K] };

type AlwaysThere<S> =
  | (S extends { readonly required: readonly (infer Name)[] } ? Name : never)
  | (S extends { readonly properties: infer Properties } ? WithDefault<Properties> : never);

type WithDefault<Properties> = {
  [K in keyof Properties]: Properties[K] extends { readonly default: unknown } ? K : never;
}[keyof Properties];

type Unknown<S> = S extends { readonly "x-kubernetes-preserve-unknown-fields": true } ? Record<string, Json> : unknown;
