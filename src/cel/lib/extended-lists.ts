// The public list extension, version 3: slices, flattening, sorting, ranges, distinct elements.

import { atOnce, Pace, type Steps } from "../../base/steps.ts";
import { sizeOf } from "../cost/actual.ts";
import {
  addRanges,
  exactly,
  multiplyRanges,
  type Range,
  type SizedNode,
  scaleRange,
  TEXT_FACTOR,
  UNKNOWN_SIZE,
} from "../cost/sizes.ts";
import { declareFunction, globalOverload, type Library, memberOverload, type OverloadCosts } from "../declarations.ts";
import { CelError, noSuchOverload } from "../errors.ts";
import { MAX_RESULT_SIZE } from "../limits.ts";
import { compare, listContainsInSteps, PARTS_PER_STEP } from "../operations/equality.ts";
import { TOO_LARGE } from "../operations/operators.ts";
import { countWork } from "../operations/work.ts";
import type { Expr } from "../syntax/ast.ts";
import { expandBind, expandToList, MacroError, variableName } from "../syntax/macros.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  INT,
  LIST_OF_DYN,
  listOf,
  STRING,
  TIMESTAMP,
  typeParam,
  UINT,
} from "../types.ts";
import {
  type CelInt,
  type CelListValue,
  type CelValue,
  isList,
  listAt,
  listSize,
  listToArray,
  typeOf,
} from "../values.ts";

const T = typeParam("T");
const LIST_T = listOf(T);
const COMPARABLE = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES];
/** The call itself and the list that it makes. */
const ALLOCATION = 1 + 10;
/** What `lists.range` may make: more would only wait to be refused for its cost. */
const MAX_RANGE = 1_000_000;
const SORT_INPUT = "@__sortBy_input__";
const SORT_BY_KEYS = "@sortByAssociatedKeys";

const PER_RESULT: OverloadCosts = {
  resultCost: (result) => sizeOf(result) + ALLOCATION,
  estimate: ([list]) => allocating(1, size(list)),
};

const SLICE: OverloadCosts = {
  ...PER_RESULT,
  estimate: ([list, start, end]) => {
    const count = (end?.literalInt ?? size(list).max) - (start?.literalInt ?? 0);
    return allocating(1, exactly(count < 0 ? Number.POSITIVE_INFINITY : count));
  },
};

const RANGE: OverloadCosts = {
  ...PER_RESULT,
  estimate: ([count]) => {
    const literal = count?.literalInt ?? -1;
    return allocating(1, exactly(literal < 0 ? Number.POSITIVE_INFINITY : literal));
  },
};

const FLATTEN: OverloadCosts = {
  callInSteps: (list: CelValue, depth?: CelInt): Steps<CelValue> => flattenInSteps(list, depth),
  cost: ([list = null, depth = 1]) => Math.floor(sizeOf(list) * Number(depth)) + ALLOCATION,
  estimate: ([list, depth]) => {
    const levels = depth === undefined ? 1 : (depth.literalInt ?? -1);
    return allocating(levels < 0 ? Number.POSITIVE_INFINITY : levels, size(list));
  },
};

const DISTINCT: OverloadCosts = {
  callInSteps: (list: CelListValue): Steps<CelValue> => distinctInSteps(list),
  cost: ([list = null]) => selfCompareCost(list),
  estimate: ([list]) => allocating(2, multiplyRanges(size(list), size(list))),
};

/** Sorting by the last argument: every key may be held against every other. */
function sorting(type: CelType): OverloadCosts {
  const factor = type === STRING || type === BYTES ? 2 + TEXT_FACTOR : 2;
  return {
    costWhenKnown: true,
    cost: (args) => selfCompareCost(args.at(-1) ?? null),
    estimate: (args) => allocating(factor, multiplyRanges(size(args.at(-1)), size(args.at(-1)))),
  };
}

export const extendedListsLibrary: Library = {
  name: "extended lists v3",
  functions: [
    declareFunction("slice", memberOverload("list_slice", [LIST_T, INT, INT], LIST_T, slice, SLICE)),
    declareFunction(
      "flatten",
      {
        ...memberOverload("list_flatten", [listOf(LIST_T)], LIST_T, flatten, FLATTEN),
        unguarded: true,
      },
      memberOverload("list_flatten_int", [LIST_OF_DYN, INT], LIST_OF_DYN, flatten, FLATTEN),
    ),
    declareFunction("lists.range", globalOverload("lists_range", [INT], listOf(INT), range, RANGE)),
    declareFunction("reverse", memberOverload("list_reverse", [LIST_T], LIST_T, reverse, PER_RESULT)),
    declareFunction("distinct", memberOverload("list_distinct", [LIST_T], LIST_T, distinct, DISTINCT)),
    declareFunction(
      "sort",
      ...COMPARABLE.map((type) =>
        memberOverload(
          `list_${type.kind}_sort`,
          [listOf(type)],
          listOf(type),
          (list: CelListValue) => sortBy(list, list),
          sorting(type),
        ),
      ),
    ),
    declareFunction(
      SORT_BY_KEYS,
      ...COMPARABLE.map((type) =>
        memberOverload(`list_${type.kind}_sortByAssociatedKeys`, [LIST_T, listOf(type)], LIST_T, sortBy, sorting(type)),
      ),
    ),
  ],
  macros: [
    {
      name: "sortBy",
      arity: 2,
      member: true,
      expand(builder, target, args) {
        const [variable, key] = args;
        if (target === undefined || variable === undefined || key === undefined) return undefined;
        const name = variableName(variable);
        if (name instanceof MacroError) return name;
        const keys: Expr = expandToList(builder, builder.ident(SORT_INPUT), [name], undefined, key);
        const sorted = builder.memberCall(builder.ident(SORT_INPUT), SORT_BY_KEYS, keys);
        return expandBind(builder, SORT_INPUT, target, sorted);
      },
    },
  ],
};

function size(node: SizedNode | undefined): Range {
  return node?.size ?? UNKNOWN_SIZE;
}

function allocating(factor: number, count: Range): { cost: Range; resultSize: Range } {
  return { cost: addRanges(scaleRange(count, factor), exactly(ALLOCATION)), resultSize: count };
}

function selfCompareCost(list: CelValue): number {
  const count = sizeOf(list);
  const first = isList(list) && count > 0 ? listAt(list, 0) : null;
  const textual = typeof first === "string" || first instanceof Uint8Array;
  return Math.floor(count * count * (textual ? 2 + TEXT_FACTOR : 2)) + ALLOCATION;
}

function slice(list: CelListValue, start: CelInt, end: CelInt): CelValue {
  const shown = `cannot slice(${start}, ${end})`;
  if (start < 0 || end < 0) return new CelError(`${shown}, negative indexes not supported`);
  if (start > end) return new CelError(`${shown}, start index must be less than or equal to end index`);
  if (listSize(list) < end) return new CelError(`${shown}, list is length ${listSize(list)}`);
  const items: CelValue[] = [];
  for (let index = Number(start); index < end; index++) items.push(listAt(list, index));
  return items;
}

function flatten(list: CelValue, depth: CelInt = 1): CelValue {
  return atOnce(flattenInSteps(list, depth, new Pace(Number.POSITIVE_INFINITY)));
}

/** Lists that are flat already may come, where types are dynamic. */
function* flattenInSteps(list: CelValue, depth: CelInt = 1, pace = new Pace(PARTS_PER_STEP)): Steps<CelValue> {
  if (!isList(list)) return noSuchOverload();
  if (depth < 0) return new CelError("level must be non-negative");
  const items: CelValue[] = [];
  return (yield* putFlat(list, Number(depth), items, pace)) ? items : TOO_LARGE;
}

/** False where there are too many. */
function* putFlat(list: CelListValue, depth: number, items: CelValue[], pace: Pace): Steps<boolean> {
  const size = listSize(list);
  countWork(size);
  for (let index = 0; index < size; index++) {
    if (pace.due()) yield;
    const item = listAt(list, index);
    if (depth > 0 && isList(item)) {
      if (!(yield* putFlat(item, depth - 1, items, pace))) return false;
    } else {
      items.push(item);
    }
    if (items.length > MAX_RESULT_SIZE) return false;
  }
  return true;
}

function range(count: CelInt): CelValue {
  if (count > MAX_RANGE) return new CelError(`lists.range is limited to ${MAX_RANGE} elements`);
  const items: number[] = [];
  for (let index = 0; index < count; index++) items.push(index);
  return items;
}

function reverse(list: CelListValue): CelValue {
  countWork(listSize(list));
  return [...listToArray(list)].reverse();
}

function distinct(list: CelListValue): CelValue {
  return atOnce(distinctInSteps(list, new Pace(Number.POSITIVE_INFINITY)));
}

function* distinctInSteps(list: CelListValue, pace = new Pace(PARTS_PER_STEP)): Steps<CelValue> {
  const seen = new Set<CelValue>();
  const kept: CelValue[] = [];
  for (const item of listToArray(list)) {
    if (pace.due()) yield;
    // Plain values are told apart by a set; the others one by one.
    const plain = typeof item === "string" || typeof item === "boolean";
    if (plain ? seen.has(item) : yield* listContainsInSteps(kept, item, pace)) continue;
    if (plain) seen.add(item);
    kept.push(item);
  }
  return kept;
}

function sortBy(list: CelListValue, keys: CelListValue): CelValue {
  const items = listToArray(list);
  const order = listToArray(keys).map((key, index) => ({ key, index }));
  const first = order[0];
  if (first === undefined) return items;
  if (order.some(({ key }) => typeOf(key) !== typeOf(first.key)))
    return new CelError("list elements must have the same type");
  if (compare(first.key, first.key) instanceof CelError) return new CelError("list elements must be comparable");
  order.sort((a, b) => {
    const found = compare(a.key, b.key);
    return typeof found === "number" && found !== 0 ? found : a.index - b.index;
  });
  return order.map(({ index }) => items[index] ?? null);
}
