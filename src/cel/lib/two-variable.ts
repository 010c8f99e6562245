// Comprehensions with two variables: index and element of a list, key and value of a map.

import { declareFunction, globalOverload, type Library } from "../declarations.ts";
import { CelError, noSuchOverload } from "../errors.ts";
import { LiteralMap } from "../operations/maps.ts";
import { keyText } from "../operations/operators.ts";
import { countWork } from "../operations/work.ts";
import { ACCUMULATOR, type Expr, Op } from "../syntax/ast.ts";
import {
  expandAll,
  expandExists,
  expandExistsOne,
  expandToList,
  loopMacro,
  type MacroBuilder,
  MacroError,
} from "../syntax/macros.ts";
import { mapOf, typeParam } from "../types.ts";
import { CelMap, type CelValue } from "../values.ts";

const K = typeParam("K");
const V = typeParam("V");
const MAP_KV = mapOf(K, V);
const INSERT = "cel.@mapInsert";

export const twoVariableLibrary: Library = {
  name: "two-variable comprehensions",
  functions: [
    declareFunction(
      INSERT,
      globalOverload("@mapInsert_map_map", [MAP_KV, MAP_KV], MAP_KV, insertAll),
      globalOverload("@mapInsert_map_key_value", [MAP_KV, K, V], MAP_KV, insert),
    ),
  ],
  macros: [
    loopMacro("all", 3, 2, (b, range, names, [p]) => expandAll(b, range, names, p as Expr)),
    loopMacro("exists", 3, 2, (b, range, names, [p]) => expandExists(b, range, names, p as Expr)),
    loopMacro("exists_one", 3, 2, (b, range, names, [p]) => expandExistsOne(b, range, names, p as Expr)),
    loopMacro("existsOne", 3, 2, (b, range, names, [p]) => expandExistsOne(b, range, names, p as Expr)),
    loopMacro("transformList", 3, 2, (b, range, names, [e]) => expandToList(b, range, names, undefined, e as Expr)),
    loopMacro("transformList", 4, 2, (b, range, names, [p, e]) => expandToList(b, range, names, p, e as Expr)),
    loopMacro("transformMap", 3, 2, (b, range, names, [e]) => toMap(b, range, names, undefined, sameKey(b, names, e))),
    loopMacro("transformMap", 4, 2, (b, range, names, [p, e]) => toMap(b, range, names, p, sameKey(b, names, e))),
    loopMacro("transformMapEntry", 3, 2, (b, range, names, [e]) => toEntries(b, range, names, undefined, e as Expr)),
    loopMacro("transformMapEntry", 4, 2, (b, range, names, [p, e]) => toEntries(b, range, names, p, e as Expr)),
  ],
};

function sameKey(builder: MacroBuilder, names: readonly string[], value: Expr | undefined): Expr {
  return builder.call(INSERT, builder.ident(ACCUMULATOR), builder.ident(names[0] ?? ""), value as Expr);
}

function toEntries(
  builder: MacroBuilder,
  range: Expr,
  names: readonly string[],
  predicate: Expr | undefined,
  entry: Expr,
): Expr | MacroError {
  if (entry.kind === "map" && entry.entries.length !== 1) {
    return new MacroError(entry, "transformMapEntry() needs a map with exactly one entry");
  }
  return toMap(builder, range, names, predicate, builder.call(INSERT, builder.ident(ACCUMULATOR), entry));
}

function toMap(
  builder: MacroBuilder,
  range: Expr,
  names: readonly string[],
  predicate: Expr | undefined,
  step: Expr,
): Expr {
  const [iterVar = "", iterVar2 = ""] = names;
  return builder.comprehension({
    range,
    iterVar,
    iterVar2,
    init: builder.emptyMap(),
    condition: builder.literal(true),
    step: predicate === undefined ? step : builder.call(Op.conditional, predicate, step, builder.ident(ACCUMULATOR)),
    result: builder.ident(ACCUMULATOR),
  });
}

function insertAll(map: CelMap, entries: CelMap): CelValue {
  let result: CelValue = map;
  for (const key of entries.keys()) {
    if (!(result instanceof CelMap)) return result;
    result = insert(result, key, entries.get(key) ?? null);
  }
  return result;
}

const WORK_PER_ENTRY = 10;

/** Only the macros call this, on the map they have just made: nobody else sees it, so it grows in place. */
function insert(map: CelMap, key: CelValue, value: CelValue): CelValue {
  countWork(WORK_PER_ENTRY);
  if (!(map instanceof LiteralMap)) return noSuchOverload();
  if (map.has(key)) return new CelError(`insert failed: key ${keyText(key)} already exists`);
  return map.insert(key, value) ?? map;
}
