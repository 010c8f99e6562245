// The sets library: lists taken as sets.

import { atOnce, Pace, type Steps } from "../../base/steps.ts";
import { sizeOf } from "../cost/actual.ts";
import { addRanges, exactly, multiplyRanges, type SizedNode, scaleRange, UNKNOWN_SIZE } from "../cost/sizes.ts";
import { declareFunction, type FunctionDeclaration, globalOverload, type Library } from "../declarations.ts";
import { listContainsInSteps, PARTS_PER_STEP } from "../operations/equality.ts";
import { BOOL, listOf, typeParam } from "../types.ts";
import { type CelListValue, listToArray } from "../values.ts";

const T = typeParam("T");
const LISTS = [listOf(T), listOf(T)];

export const setsLibrary: Library = {
  name: "sets",
  functions: [
    pairwise("contains", containsAll, 1),
    pairwise("equivalent", equivalent, 2),
    pairwise("intersects", intersects, 1),
  ],
};

type Comparison = (a: CelListValue, b: CelListValue, pace: Pace) => Steps<boolean>;

/** Every element of one list may be held against every element of the other. */
function pairwise(name: string, compare: Comparison, factor: number): FunctionDeclaration {
  const atOnceToo = (a: CelListValue, b: CelListValue) => atOnce(compare(a, b, new Pace(Number.POSITIVE_INFINITY)));
  return declareFunction(
    `sets.${name}`,
    globalOverload(`list_sets_${name}_list`, LISTS, BOOL, atOnceToo, {
      callInSteps: (a: CelListValue, b: CelListValue) => compare(a, b, new Pace(PARTS_PER_STEP)),
      cost: ([a = null, b = null]) => 1 + factor * sizeOf(a) * sizeOf(b),
      estimate: ([a, b]) => ({ cost: addRanges(exactly(1), scaleRange(multiplyRanges(size(a), size(b)), factor)) }),
    }),
  );
}

function size(node: SizedNode | undefined): { min: number; max: number } {
  return node?.size ?? UNKNOWN_SIZE;
}

function* containsAll(list: CelListValue, wanted: CelListValue, pace: Pace): Steps<boolean> {
  for (const item of listToArray(wanted)) if (!(yield* listContainsInSteps(list, item, pace))) return false;
  return true;
}

function* equivalent(a: CelListValue, b: CelListValue, pace: Pace): Steps<boolean> {
  return (yield* containsAll(a, b, pace)) && (yield* containsAll(b, a, pace));
}

function* intersects(a: CelListValue, b: CelListValue, pace: Pace): Steps<boolean> {
  for (const item of listToArray(a)) if (yield* listContainsInSteps(b, item, pace)) return true;
  return false;
}
