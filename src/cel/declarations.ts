// What an environment is declared with: functions with their overloads and costs, object types, libraries.

import type { Steps } from "../base/steps.ts";
import type { CallEstimate, SizedNode } from "./cost/sizes.ts";
import type { Adapter } from "./json.ts";
import type { Macro } from "./syntax/macros.ts";
import type { CelType } from "./types.ts";
import type { CelValue } from "./values.ts";

/** One version of a function. */
export interface Overload {
  /** Unique among all overloads, such as `string_index_of`. */
  readonly id: string;
  /** Called on its first parameter: `a.f(b)`. */
  readonly member: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  /** Whether its types have parameters. */
  readonly generic: boolean;
  /** Looks at the types of its arguments itself. */
  readonly unguarded?: boolean;
  /** Gets values of the declared types, never errors. Returns an error instead of throwing one. */
  readonly call: OverloadCall;
  /** The same where its arguments are large, so that others have their turn meanwhile; undefined where they are not. */
  readonly callInSteps?: ((...args: never[]) => Steps<CelValue> | undefined) | undefined;
  /** What one call costs, charged before it is made; 1 when not given. */
  readonly cost?: (args: readonly CelValue[]) => number;
  /** The same where only the result tells, charged after the call. */
  readonly resultCost?: (result: CelValue) => number;
  /** That cost counts only where the checker chose this very version; chosen when it runs, a call costs 1. */
  readonly costWhenKnown?: boolean;
  /** Bounds of that cost, and of the size of the result; exactly 1 when not given. */
  readonly estimate?: (args: readonly SizedNode[]) => CallEstimate;
}

/** Any function over values; its parameters are narrower than CelValue, as the overload's types promise. */
type OverloadCall = (...args: never[]) => CelValue;

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

/** A set of functions, macros and types that an environment takes as a whole. */
export interface Library {
  readonly name: string;
  readonly functions?: readonly FunctionDeclaration[];
  readonly macros?: readonly Macro[];
  /** Types that expressions may name. */
  readonly types?: readonly CelType[];
  readonly constants?: readonly { readonly name: string; readonly type: CelType; readonly value: CelValue }[];
}

/** An object type: its fields by the names that expressions use. */
export interface StructDeclaration {
  readonly type: CelType;
  field(name: string): CelType | undefined;
  fieldNames(): Iterable<string>;
  /** A quicker way to one field of many values; undefined for what has no such field. `CelObject.get` is the slow way. */
  accessor?(name: string): (value: CelValue) => CelValue | undefined;
  /** Where the values are objects of JSON: what makes them of it, and where a field stands in it. */
  readonly json?: {
    readonly adapt: Adapter;
    field(name: string): { readonly property: string; readonly adapt: Adapter } | undefined;
  };
  /** `Name{field: value}`; types without it cannot be written as literals. */
  create?(fields: ReadonlyMap<string, CelValue>): CelValue;
}

export interface TypeProvider {
  findStruct(name: string): StructDeclaration | undefined;
}

export type OverloadCosts = Pick<Overload, "callInSteps" | "cost" | "resultCost" | "costWhenKnown" | "estimate">;

type OverloadMaker = (
  id: string,
  params: readonly CelType[],
  result: CelType,
  call: OverloadCall,
  costs?: OverloadCosts,
) => Overload;

const overloadMaker =
  (member: boolean): OverloadMaker =>
  (id, params, result, call, costs = {}) => ({
    id,
    member,
    params,
    result,
    generic: isGeneric(params, result),
    call,
    ...costs,
  });

/** `size(list)` */
export const globalOverload = overloadMaker(false);
/** `list.size()` */
export const memberOverload = overloadMaker(true);

function isGeneric(params: readonly CelType[], result: CelType): boolean {
  return params.some(mentionsParam) || mentionsParam(result);
}

function mentionsParam(type: CelType): boolean {
  return type.kind === "param" || type.params.some(mentionsParam);
}

export function declareFunction(name: string, ...overloads: Overload[]): FunctionDeclaration {
  return { name, overloads };
}
