// The list library: order, sums, extremes and positions.

import { Pace, type Steps } from "../../base/steps.ts";
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
import { compare, equals, equalsInSteps, PARTS_PER_STEP, positionInSteps } from "../operations/equality.ts";
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

const INDEX_OF: OverloadCosts = {
  ...TRAVERSAL,
  callInSteps: (list: CelListValue, value: CelValue): Steps<CelValue> => positionInSteps(list, value),
};

const LAST_INDEX_OF: OverloadCosts = { ...TRAVERSAL, callInSteps: lastIndexOfInSteps };

export const listsLibrary: Library = {
  name: "lists",
  functions: [
    perType(
      "isSorted",
      COMPARABLE,
      (kind) => `list_${kind}_is_sorted_bool`,
      () => BOOL,
      sorted,
    ),
    declareFunction(
      "sum",
      ...SUMMABLE.map(([type, zero]) =>
        memberOverload(`list_${type.kind}_sum_${type.kind}`, [listOf(type)], type, atOnceOver(sumFrom(zero)), {
          ...TRAVERSAL,
          callInSteps: inStepsOver(sumFrom(zero)),
        }),
      ),
    ),
    perType(
      "max",
      COMPARABLE,
      (kind) => `list_${kind}_max_${kind}`,
      (type) => type,
      extreme("max"),
    ),
    perType(
      "min",
      COMPARABLE,
      (kind) => `list_${kind}_min_${kind}`,
      (type) => type,
      extreme("min"),
    ),
    declareFunction("indexOf", memberOverload("list_a_index_of_int", [listOf(A), A], INT, indexOf, INDEX_OF)),
    declareFunction(
      "lastIndexOf",
      memberOverload("list_a_last_index_of_int", [listOf(A), A], INT, lastIndexOf, LAST_INDEX_OF),
    ),
  ],
};

function perType(
  name: string,
  types: readonly CelType[],
  id: (kind: string) => string,
  result: (type: CelType) => CelType,
  begin: () => Pass,
): FunctionDeclaration {
  const call = atOnceOver(begin);
  const costs = { ...TRAVERSAL, callInSteps: inStepsOver(begin) };
  return declareFunction(
    name,
    ...types.map((type) => memberOverload(id(type.kind), [listOf(type)], result(type), call, costs)),
  );
}

function elementCost(list: SizedNode | undefined): { min: number; max: number } {
  const one = exactly(1);
  if (list === undefined) return one;
  const element = firstParam(list.type).kind;
  return element === "string" || element === "bytes" ? addRanges(one, textCost(list.itemSize())) : one;
}

/** One way through a list, item by item. */
interface Pass {
  /** The result, as soon as it is known. */
  next(item: CelValue): CelValue | undefined;
  /** The result when all have come. */
  end(): CelValue;
}

function atOnceOver(begin: () => Pass): (list: CelListValue) => CelValue {
  return (list) => {
    const pass = begin();
    for (let index = 0; index < listSize(list); index++) {
      const known = pass.next(listAt(list, index));
      if (known !== undefined) return known;
    }
    return pass.end();
  };
}

function inStepsOver(begin: () => Pass): (list: CelListValue) => Steps<CelValue> {
  return function* (list) {
    const pass = begin();
    const pace = new Pace(PARTS_PER_STEP);
    for (let index = 0; index < listSize(list); index++) {
      if (pace.due()) yield;
      const known = pass.next(listAt(list, index));
      if (known !== undefined) return known;
    }
    return pass.end();
  };
}

function sorted(): Pass {
  let last: CelValue | undefined;
  return {
    next(item) {
      const order = last === undefined ? 0 : compare(last, item);
      last = item;
      if (order instanceof CelError) return order;
      return order !== undefined && order > 0 ? false : undefined;
    },
    end: () => true,
  };
}

function sumFrom(zero: CelValue): () => Pass {
  return () => {
    let total = zero;
    return {
      next(item) {
        total = add(total, item);
        return total instanceof CelError ? total : undefined;
      },
      end: () => total,
    };
  };
}

function extreme(which: "min" | "max"): () => Pass {
  return () => {
    let found: CelValue | undefined;
    return {
      next(item) {
        const order = found === undefined ? undefined : compare(item, found);
        if (order instanceof CelError) return order;
        if (found === undefined || (order !== undefined && (which === "max" ? order > 0 : order < 0))) found = item;
        return undefined;
      },
      end: () => (found === undefined ? new CelError(`${which} called on empty list`) : found),
    };
  };
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

function* lastIndexOfInSteps(list: CelListValue, value: CelValue): Steps<CelValue> {
  const pace = new Pace(PARTS_PER_STEP);
  for (let index = listSize(list) - 1; index >= 0; index--) {
    if (pace.due()) yield;
    if (yield* equalsInSteps(listAt(list, index), value, pace)) return index;
  }
  return -1;
}
