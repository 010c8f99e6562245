// Optional values: `optional.of`, `a.?b`, `orValue` and the macros over them.

import { declareFunction, globalOverload, type Library, memberOverload } from "../declarations.ts";
import { CelError } from "../errors.ts";
import { index, optionalIndex } from "../operations/operators.ts";
import { isZeroTimestamp } from "../operations/time.ts";
import { countWork } from "../operations/work.ts";
import { type Expr, Op } from "../syntax/ast.ts";
import { expandBind, type Macro, type MacroBuilder, MacroError, variableName } from "../syntax/macros.ts";
import { BOOL, INT, listOf, mapOf, OPTIONAL_NAME, opaqueType, optionalOf, typeParam } from "../types.ts";
import {
  CelDouble,
  CelDuration,
  type CelListValue,
  CelMap,
  CelObject,
  CelOptional,
  CelTimestamp,
  CelUint,
  type CelValue,
  isList,
  listAt,
  listSize,
  listToArray,
  NONE,
} from "../values.ts";

const V = typeParam("V");
const K = typeParam("K");
const OPTIONAL_V = optionalOf(V);
const LIST_V = listOf(V);
const MAP_KV = mapOf(K, V);
const NO_VALUE = new CelError("optional.none() dereference");

export const optionalLibrary: Library = {
  name: "optional types",
  types: [opaqueType(OPTIONAL_NAME)],
  functions: [
    declareFunction(
      "optional.of",
      globalOverload("optional_of", [V], OPTIONAL_V, (value: CelValue) => new CelOptional(value)),
    ),
    declareFunction(
      "optional.ofNonZeroValue",
      globalOverload("optional_ofNonZeroValue", [V], OPTIONAL_V, (value: CelValue) =>
        isZero(value) ? NONE : new CelOptional(value),
      ),
    ),
    declareFunction(
      "optional.none",
      globalOverload("optional_none", [], OPTIONAL_V, () => NONE),
    ),
    declareFunction("optional.unwrap", globalOverload("optional_unwrap", [listOf(OPTIONAL_V)], LIST_V, unwrapAll)),
    declareFunction("unwrapOpt", memberOverload("optional_unwrapOpt", [listOf(OPTIONAL_V)], LIST_V, unwrapAll)),
    declareFunction(
      "value",
      memberOverload(
        "optional_value",
        [OPTIONAL_V],
        V,
        (optional: CelOptional) => optional.value ?? valueOrError(optional),
      ),
    ),
    declareFunction(
      "hasValue",
      memberOverload("optional_hasValue", [OPTIONAL_V], BOOL, (optional: CelOptional) => optional.value !== undefined),
    ),
    declareFunction(
      "or",
      memberOverload("optional_or_optional", [OPTIONAL_V, OPTIONAL_V], OPTIONAL_V, (a: CelOptional, b: CelOptional) => {
        return a.value === undefined ? b : a;
      }),
    ),
    declareFunction(
      "orValue",
      memberOverload("optional_orValue_value", [OPTIONAL_V, V], V, (optional: CelOptional, otherwise: CelValue) => {
        return optional.value === undefined ? otherwise : optional.value;
      }),
    ),
    declareFunction(
      "first",
      memberOverload("list_first", [LIST_V], OPTIONAL_V, (list: CelListValue) => elementAt(list, 0)),
    ),
    declareFunction(
      "last",
      memberOverload("list_last", [LIST_V], OPTIONAL_V, (list: CelListValue) => elementAt(list, listSize(list) - 1)),
    ),
    declareFunction(
      Op.index,
      globalOverload("optional_list_index_int", [optionalOf(LIST_V), INT], OPTIONAL_V, index),
      globalOverload("optional_map_index_value", [optionalOf(MAP_KV), K], OPTIONAL_V, index),
    ),
    declareFunction(
      Op.optIndex,
      globalOverload("list_optindex_optional_int", [LIST_V, INT], OPTIONAL_V, optionalIndex),
      globalOverload("optional_list_optindex_optional_int", [optionalOf(LIST_V), INT], OPTIONAL_V, optionalIndex),
      globalOverload("map_optindex_optional_value", [MAP_KV, K], OPTIONAL_V, optionalIndex),
      globalOverload("optional_map_optindex_optional_value", [optionalOf(MAP_KV), K], OPTIONAL_V, optionalIndex),
    ),
  ],
  macros: [optionalMacro("optMap", true), optionalMacro("optFlatMap", false)],
};

/** `o.optMap(x, e)`: `e` over the value, wrapped again unless it is optional itself. */
function optionalMacro(name: string, wrap: boolean): Macro {
  return {
    name,
    arity: 2,
    member: true,
    expand(builder: MacroBuilder, target: Expr | undefined, args: readonly Expr[]) {
      const [variable, body] = args;
      if (target === undefined || variable === undefined || body === undefined) return undefined;
      const bound = variableName(variable);
      if (bound instanceof MacroError) return bound;
      const value = expandBind(builder, bound, builder.memberCall(builder.copy(target), "value"), body);
      return builder.call(
        Op.conditional,
        builder.memberCall(target, "hasValue"),
        wrap ? builder.call("optional.of", value) : value,
        builder.call("optional.none"),
      );
    },
  };
}

function valueOrError(optional: CelOptional): CelValue {
  return optional.value === null ? null : NO_VALUE;
}

function elementAt(list: CelListValue, index: number): CelValue {
  return listSize(list) === 0 ? NONE : new CelOptional(listAt(list, index));
}

function unwrapAll(list: CelValue): CelValue {
  const values: CelValue[] = [];
  const items = isList(list) ? listToArray(list) : [];
  countWork(items.length);
  for (const item of items) if (item instanceof CelOptional && item.value !== undefined) values.push(item.value);
  return values;
}

/** The value that a field of its type has when nobody sets it. */
function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0 || value === "") return true;
  if (value instanceof CelDouble || value instanceof CelUint) return value.value === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (isList(value)) return listSize(value) === 0;
  if (value instanceof CelMap || value instanceof CelObject) return value.size === 0;
  if (value instanceof CelDuration) return value.seconds === 0 && value.nanos === 0;
  if (value instanceof CelTimestamp) return isZeroTimestamp(value);
  if (value instanceof CelOptional) return value.value === undefined;
  return false;
}
