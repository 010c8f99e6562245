// The list library: order, sums, extremes and positions.

import { traversalCost } from "../cost/actual.ts";
import { addRanges, exactly, multiplyRanges, type SizedNode, textCost, UNKNOWN_SIZE } from "../cost/sizes.ts";
import {
  declareFunction,
  type FunctionDeclaration,
  type Library,
  memberOverload,
  type OverloadCosts,
} from "../declarations.ts";
import { CelError } from "../errors.ts";
import { compare, equals } from "../operations/equality.ts";
import { add } from "../operations/operators.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  firstParam,
  INT,
  listOf,
  STRING,
  TIMESTAMP,
  typeParam,
  UINT,
} from "../types.ts";
import { CelDouble, CelDuration, type CelListValue, CelUint, type CelValue, listAt, listSize } from "../values.ts";

const A = typeParam("A");
const COMPARABLE = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES];
const SUMMABLE: readonly [CelType, CelValue][] = [
  [INT, 0],
  [UINT, new CelUint(0)],
  [DOUBLE, new CelDouble(0)],
  [DURATION, new CelDuration(0, 0)],
];

/** One pass over the list with all that it holds. Of what may be no list only the size is known. */
const TRAVERSAL: OverloadCosts = {
  cost: ([list = null]) => traversalCost(list),
  estimate: ([list]) => {
    const size = list?.size ?? UNKNOWN_SIZE;
    return { cost: list?.type.kind === "list" ? multiplyRanges(size, elementCost(list)) : textCost(size) };
  },
};

export const listsLibrary: Library = {
  name: "lists",
  functions: [
    perType(
      "isSorted",
      COMPARABLE,
      (kind) => `list_${kind}_is_sorted_bool`,
      () => BOOL,
      isSorted,
    ),
    declareFunction(
      "sum",
      ...SUMMABLE.map(([type, zero]) =>
        memberOverload(
          `list_${type.kind}_sum_${type.kind}`,
          [listOf(type)],
          type,
          (list: CelListValue) => sum(list, zero),
          TRAVERSAL,
        ),
      ),
    ),
    perType(
      "max",
      COMPARABLE,
      (kind) => `list_${kind}_max_${kind}`,
      (type) => type,
      (list) => extreme(list, "max"),
    ),
    perType(
      "min",
      COMPARABLE,
      (kind) => `list_${kind}_min_${kind}`,
      (type) => type,
      (list) => extreme(list, "min"),
    ),
    declareFunction("indexOf", memberOverload("list_a_index_of_int", [listOf(A), A], INT, indexOf, TRAVERSAL)),
    declareFunction(
      "lastIndexOf",
      memberOverload("list_a_last_index_of_int", [listOf(A), A], INT, lastIndexOf, TRAVERSAL),
    ),
  ],
};

function perType(
  name: string,
  types: readonly CelType[],
  id: (kind: string) => string,
  result: (type: CelType) => CelType,
  call: (list: CelListValue) => CelValue,
): FunctionDeclaration {
  return declareFunction(
    name,
    ...types.map((type) => memberOverload(id(type.kind), [listOf(type)], result(type), call, TRAVERSAL)),
  );
}

function elementCost(list: SizedNode | undefined): { min: number; max: number } {
  const one = exactly(1);
  if (list === undefined) return one;
  const element = firstParam(list.type).kind;
  return element === "string" || element === "bytes" ? addRanges(one, textCost(list.itemSize())) : one;
}

function isSorted(list: CelListValue): CelValue {
  for (let index = 1; index < listSize(list); index++) {
    const order = compare(listAt(list, index - 1), listAt(list, index));
    if (order instanceof CelError) return order;
    if (order !== undefined && order > 0) return false;
  }
  return true;
}

function sum(list: CelListValue, zero: CelValue): CelValue {
  let total = zero;
  for (let index = 0; index < listSize(list); index++) {
    total = add(total, listAt(list, index));
    if (total instanceof CelError) return total;
  }
  return total;
}

function extreme(list: CelListValue, which: "min" | "max"): CelValue {
  if (listSize(list) === 0) return new CelError(`${which} called on empty list`);
  let found = listAt(list, 0);
  for (let index = 1; index < listSize(list); index++) {
    const item = listAt(list, index);
    const order = compare(item, found);
    if (order instanceof CelError) return order;
    if (order !== undefined && (which === "max" ? order > 0 : order < 0)) found = item;
  }
  return found;
}

function indexOf(list: CelListValue, value: CelValue): CelValue {
  for (let index = 0; index < listSize(list); index++) {
    if (equals(listAt(list, index), value)) return index;
  }
  return -1;
}

function lastIndexOf(list: CelListValue, value: CelValue): CelValue {
  for (let index = listSize(list) - 1; index >= 0; index--) {
    if (equals(listAt(list, index), value)) return index;
  }
  return -1;
}
