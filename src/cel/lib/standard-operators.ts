// The standard operators: the overloads that the checker chooses from, with what each costs.

import { comparisonCost, equalityCost, joinCost, sizeOf } from "../cost/actual.ts";
import { addRanges, exactly, type Range, type SizedNode, TEXT_FACTOR, textCost } from "../cost/sizes.ts";
import {
  declareFunction,
  type FunctionDeclaration,
  globalOverload,
  type Library,
  type Overload,
  type OverloadCosts,
} from "../declarations.ts";
import { noSuchOverload } from "../errors.ts";
import { compare, equals } from "../operations/equality.ts";
import { negate } from "../operations/numbers.ts";
import { add, contains, divide, index, modulo, multiply, subtract } from "../operations/operators.ts";
import { Op } from "../syntax/ast.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  INT,
  isOptionalType,
  listOf,
  mapOf,
  STRING,
  TIMESTAMP,
  typeParam,
  UINT,
} from "../types.ts";
import type { CelValue } from "../values.ts";

const COMPARISON: OverloadCosts = {
  cost: ([x = null, y = null]) => comparisonCost(x, y),
  estimate: ([x, y]) => ({ cost: comparisonRange(x, y) }),
};

/** Values of libraries are compared as one value, whatever they were made of. Upstream counts so only where `==` is. */
const EQUALITY: OverloadCosts = {
  cost: ([x = null, y = null]) => equalityCost(x, y),
  estimate: ([x, y]) => ({ cost: libraryEquality(x, y) ?? comparisonRange(x, y) }),
};

const JOIN: OverloadCosts = {
  cost: (args) => joinCost(args[0] ?? null, args[1] ?? null),
  estimate: ([x, y]) => {
    const joined = addRanges(size(x), size(y));
    return { cost: textCost(joined), resultSize: joined };
  },
};

const ORDERED = [BOOL, INT, UINT, DOUBLE, STRING, BYTES, TIMESTAMP, DURATION];

/** Without comparison between numbers of different types. */
export const standardOperators: Library = { name: "standard operators", functions: operators() };

/** `1 < 1.5`, `1u >= 1`: what the environment has since 1.28. */
export const crossTypeComparisons: Library = {
  name: "cross-type numeric comparisons",
  functions: orderOperators((name) => crossTypeOverloads(name)),
};

function operators(): FunctionDeclaration[] {
  const a = typeParam("A");
  const b = typeParam("B");
  const bool2 = [BOOL, BOOL];
  return [
    declareFunction(
      Op.conditional,
      globalOverload("conditional", [BOOL, a, a], a, () => noSuchOverload()),
    ),
    declareFunction(
      Op.and,
      globalOverload("logical_and", bool2, BOOL, (x: boolean, y: boolean) => x && y),
    ),
    declareFunction(
      Op.or,
      globalOverload("logical_or", bool2, BOOL, (x: boolean, y: boolean) => x || y),
    ),
    declareFunction(
      Op.not,
      globalOverload("logical_not", [BOOL], BOOL, (x: boolean) => !x),
    ),
    declareFunction(
      Op.notStrictlyFalse,
      globalOverload("not_strictly_false", [BOOL], BOOL, (x: CelValue) => x !== false),
    ),
    declareFunction(Op.equals, globalOverload("equals", [a, a], BOOL, equals, EQUALITY)),
    declareFunction(
      Op.notEquals,
      globalOverload("not_equals", [a, a], BOOL, (x: CelValue, y: CelValue) => !equals(x, y), COMPARISON),
    ),
    ...orderOperators((name, test) => ORDERED.map((type) => orderOverload(name, test, type))),
    declareFunction(
      Op.add,
      globalOverload("add_bytes", [BYTES, BYTES], BYTES, add, JOIN),
      globalOverload("add_double", [DOUBLE, DOUBLE], DOUBLE, add),
      globalOverload("add_duration_duration", [DURATION, DURATION], DURATION, add),
      globalOverload("add_duration_timestamp", [DURATION, TIMESTAMP], TIMESTAMP, add),
      globalOverload("add_timestamp_duration", [TIMESTAMP, DURATION], TIMESTAMP, add),
      globalOverload("add_int64", [INT, INT], INT, add),
      globalOverload("add_list", [listOf(a), listOf(a)], listOf(a), add, {
        estimate: ([left, right]) => ({ cost: exactly(1), resultSize: addRanges(size(left), size(right)) }),
      }),
      globalOverload("add_string", [STRING, STRING], STRING, add, JOIN),
      globalOverload("add_uint64", [UINT, UINT], UINT, add),
    ),
    declareFunction(
      Op.subtract,
      globalOverload("subtract_double", [DOUBLE, DOUBLE], DOUBLE, subtract),
      globalOverload("subtract_duration_duration", [DURATION, DURATION], DURATION, subtract),
      globalOverload("subtract_int64", [INT, INT], INT, subtract),
      globalOverload("subtract_timestamp_duration", [TIMESTAMP, DURATION], TIMESTAMP, subtract),
      globalOverload("subtract_timestamp_timestamp", [TIMESTAMP, TIMESTAMP], DURATION, subtract),
      globalOverload("subtract_uint64", [UINT, UINT], UINT, subtract),
    ),
    declareFunction(Op.multiply, ...arithmetic("multiply", multiply, [DOUBLE, INT, UINT])),
    declareFunction(Op.divide, ...arithmetic("divide", divide, [DOUBLE, INT, UINT])),
    declareFunction(Op.modulo, ...arithmetic("modulo", modulo, [INT, UINT])),
    declareFunction(
      Op.negate,
      globalOverload("negate_double", [DOUBLE], DOUBLE, negate),
      globalOverload("negate_int64", [INT], INT, negate),
    ),
    declareFunction(
      Op.index,
      globalOverload("index_list", [listOf(a), INT], a, index),
      globalOverload("index_map", [mapOf(a, b), a], b, index),
    ),
    declareFunction(
      Op.in,
      globalOverload("in_list", [a, listOf(a)], BOOL, contains, {
        cost: (args) => sizeOf(args[1] ?? null),
        estimate: ([, list]) => ({ cost: size(list) }),
      }),
      globalOverload("in_map", [a, mapOf(a, b)], BOOL, contains),
    ),
  ];
}

type Test = (order: number) => boolean;

function orderOperators(overloads: (name: string, test: Test) => Overload[]): FunctionDeclaration[] {
  return [
    declareFunction(Op.less, ...overloads("less", (order) => order < 0)),
    declareFunction(Op.lessEquals, ...overloads("less_equals", (order) => order <= 0)),
    declareFunction(Op.greater, ...overloads("greater", (order) => order > 0)),
    declareFunction(Op.greaterEquals, ...overloads("greater_equals", (order) => order >= 0)),
  ];
}

function orderOverload(name: string, test: Test, type: CelType): Overload {
  const textual = type === STRING || type === BYTES;
  return globalOverload(`${name}_${overloadName(type)}`, [type, type], BOOL, ordered(test), textual ? COMPARISON : {});
}

function crossTypeOverloads(name: string): Overload[] {
  const numeric = [INT, UINT, DOUBLE];
  const tests: Record<string, Test> = {
    less: (order) => order < 0,
    less_equals: (order) => order <= 0,
    greater: (order) => order > 0,
    greater_equals: (order) => order >= 0,
  };
  return numeric.flatMap((left) =>
    numeric
      .filter((right) => right !== left)
      .map((right) => {
        const id = `${name}_${overloadName(left)}_${overloadName(right)}`;
        return globalOverload(id, [left, right], BOOL, ordered(tests[name] ?? (() => false)));
      }),
  );
}

function ordered(test: Test): (x: CelValue, y: CelValue) => CelValue {
  return (x, y) => {
    const order = compare(x, y);
    if (order === undefined) return false;
    return typeof order === "number" ? test(order) : order;
  };
}

function arithmetic(
  name: string,
  apply: (x: CelValue, y: CelValue) => CelValue,
  types: readonly CelType[],
): Overload[] {
  return types.map((type) => globalOverload(`${name}_${overloadName(type)}`, [type, type], type, apply));
}

function overloadName(type: CelType): string {
  if (type === INT) return "int64";
  if (type === UINT) return "uint64";
  return type.kind;
}

function size(node: SizedNode | undefined): Range {
  return node?.size ?? exactly(0);
}

/** Comparing ends where the shorter one does. */
function comparisonRange(x: SizedNode | undefined, y: SizedNode | undefined): Range {
  const longest = Math.min(size(x).max, size(y).max);
  return { min: longest > 0 ? 1 : 0, max: Math.ceil(longest * TEXT_FACTOR) };
}

function libraryEquality(x: SizedNode | undefined, y: SizedNode | undefined): Range | undefined {
  if (x?.type.kind !== "opaque" || isOptionalType(x.type) || x.type.name !== y?.type.name) return undefined;
  if (x.type.name.endsWith(".URL")) return { min: 1, max: Math.ceil((y.knownSize?.max ?? 1) * TEXT_FACTOR) };
  if (x.type.name.endsWith(".NamedFormat")) return { min: 1, max: Math.ceil(MAX_FORMAT_NAME * TEXT_FACTOR) };
  return exactly(1);
}

/** How long the name of a format is taken to be. */
const MAX_FORMAT_NAME = 64;
