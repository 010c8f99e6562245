// The language in which configuration files of components are declared: each field says once what it holds and what it is by
// default; what a file may say, how files are merged, what /configz shows and the TypeScript type are derived.

import type { Json } from "../base/json.ts";

/** A field, and (never set) the type of what the program gets of it. */
export type Field<Value = unknown> = Shape & {
  readonly value?: Value;
  /** 0, "", 0s and an empty list are the same as nothing: the default. */
  readonly emptyIsUnset?: true;
  /** A path, which counts from the folder of the file that says it. */
  readonly isPath?: true;
};

type Shape =
  | { readonly type: "string"; readonly default: string | undefined; readonly choices?: readonly string[] }
  | { readonly type: "bool"; readonly default: boolean }
  | { readonly type: "int" | "number"; readonly default: number | undefined }
  /** Text in files ("1m30s"), milliseconds in the program, where the name of the field ends in Ms. */
  | { readonly type: "duration"; readonly default: string }
  | { readonly type: "list"; readonly of: Field; readonly default: readonly unknown[] }
  | { readonly type: "map"; readonly of: Field; readonly default: Readonly<Record<string, unknown>> }
  | { readonly type: "struct"; readonly fields: FieldTable }
  /** Whatever it is: somebody else reads it. */
  | { readonly type: "json"; readonly default: undefined };

export interface FieldTable {
  readonly [name: string]: Field;
}

type ValueOf<F> = F extends { readonly value?: infer Value } ? Exclude<Value, Absent> | Maybe<Value> : never;
// `value?: X | undefined` and `value?: X` infer alike; a mark says which fields may be absent.
interface Absent {
  readonly absent: true;
}
type Maybe<Value> = Absent extends Value ? undefined : never;

/** What the program gets of a table of fields. */
export type StructOf<Fields extends FieldTable> = {
  readonly [Name in keyof Fields as Fields[Name] extends { type: "duration" } ? `${Name & string}Ms` : Name]: ValueOf<
    Fields[Name]
  >;
};

type Duration = Extract<Shape, { type: "duration" }> & { readonly value?: number };

/** Without a default a field may be undefined. */
export const f = {
  string,
  choice<const Word extends string>(choices: readonly Word[], initial: NoInfer<Word>): Field<Word> {
    return { type: "string", choices, default: initial };
  },
  bool: (initial: boolean): Field<boolean> => ({ type: "bool", default: initial }),
  int,
  number: (initial: number): Field<number> => ({ type: "number", default: initial }),
  duration: (initial: string): Duration => ({ type: "duration", default: initial }),
  list<Value>(of: Field<Value>, initial: readonly Value[] = []): Field<readonly Value[]> {
    return { type: "list", of, default: initial };
  },
  map<Value>(of: Field<Value>, initial: Readonly<Record<string, Value>> = {}): Field<Readonly<Record<string, Value>>> {
    return { type: "map", of, default: initial };
  },
  struct: <const Fields extends FieldTable>(fields: Fields): Field<StructOf<Fields>> => ({ type: "struct", fields }),
  json: (): Field<Json | Absent> => ({ type: "json", default: undefined }),
  /** Text that is a path: from the folder of its file, where it does not begin with a slash. */
  path: <Text extends Field>(field: Text): Text => ({ ...field, isPath: true }),
  /** A field that cannot be set to 0, "", 0s or an empty list: its default is meant. */
  filled: <Filled extends Field>(field: Filled): Filled => ({ ...field, emptyIsUnset: true }),
} as const;

function string(): Field<string | Absent>;
function string(initial: string): Field<string>;
function string(initial?: string): Field {
  return { type: "string", default: initial };
}

function int(): Field<number | Absent>;
function int(initial: number): Field<number>;
function int(initial?: number): Field {
  return { type: "int", default: initial };
}
