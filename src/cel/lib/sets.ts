// The sets library: lists taken as sets.

import { sizeOf } from "../cost/actual.ts";
import { addRanges, exactly, multiplyRanges, type SizedNode, scaleRange, UNKNOWN_SIZE } from "../cost/sizes.ts";
import { declareFunction, globalOverload, type Library, type OverloadCosts } from "../declarations.ts";
import { listContains } from "../operations/equality.ts";
import { BOOL, listOf, typeParam } from "../types.ts";
import { type CelListValue, listToArray } from "../values.ts";

const T = typeParam("T");
const LISTS = [listOf(T), listOf(T)];

export const setsLibrary: Library = {
  name: "sets",
  functions: [
    declareFunction("sets.contains", globalOverload("list_sets_contains_list", LISTS, BOOL, containsAll, pairwise(1))),
    declareFunction(
      "sets.equivalent",
      globalOverload(
        "list_sets_equivalent_list",
        LISTS,
        BOOL,
        (a: CelListValue, b: CelListValue) => containsAll(a, b) && containsAll(b, a),
        pairwise(2),
      ),
    ),
    declareFunction(
      "sets.intersects",
      globalOverload("list_sets_intersects_list", LISTS, BOOL, intersects, pairwise(1)),
    ),
  ],
};

/** Every element of one list may be held against every element of the other. */
function pairwise(factor: number): OverloadCosts {
  return {
    cost: ([a = null, b = null]) => 1 + factor * sizeOf(a) * sizeOf(b),
    estimate: ([a, b]) => ({ cost: addRanges(exactly(1), scaleRange(multiplyRanges(size(a), size(b)), factor)) }),
  };
}

function size(node: SizedNode | undefined): { min: number; max: number } {
  return node?.size ?? UNKNOWN_SIZE;
}

function containsAll(list: CelListValue, wanted: CelListValue): boolean {
  return listToArray(wanted).every((item) => listContains(list, item));
}

function intersects(a: CelListValue, b: CelListValue): boolean {
  return listToArray(a).some((item) => listContains(b, item));
}
