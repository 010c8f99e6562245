// Large sets in steps come to the same as at once.

import { describe, expect, it } from "vitest";
import { counted } from "../base/steps.testing.ts";
import { type FieldSet, intersectSets, isSubset, LEAF, subtractSets, unionSets } from "./field-set.ts";
import { intersectInSteps, isSubsetInSteps, listPathsInSteps, subtractInSteps, unionOf } from "./field-set-in-steps.ts";

/** Fields with fields below them, of which some are members themselves. */
function large(count: number, keep: (index: number) => boolean): FieldSet {
  const below = (index: number): FieldSet =>
    new Map([...(index % 2 === 0 ? [["f:even", LEAF] as const] : []), ["f:all", LEAF] as const]);
  const nodes = Array.from({ length: count }, (_, index) => index)
    .filter(keep)
    .map((index) => [`f:${index}`, { member: index % 3 === 0, children: below(keep(1) ? index : index + 1) }] as const);
  return new Map([["f:spec", { member: false, children: new Map(nodes) }]]);
}

const all = large(9_000, () => true);
const some = large(9_000, (index) => index % 5 !== 1);

describe.each([
  ["all and some", all, some],
  ["some and all", some, all],
  ["twice all", all, all],
  ["equal ones", all, large(9_000, () => true)],
  ["nothing and all", new Map() as FieldSet, all],
])("%s", (_what, a, b) => {
  it("have the same in either, the same in common, and the same left", () => {
    expect(counted(unionOf(a, b, true)).result).toEqual(unionSets(a, b));
    expect(counted(intersectInSteps(a, b)).result).toEqual(intersectSets(a, b));
    expect(counted(subtractInSteps(a, b)).result).toEqual(subtractSets(a, b));
  });

  it("are subsets or not", () => {
    expect(counted(isSubsetInSteps(a, b)).result).toBe(isSubset(a, b));
  });
});

it("lets others have their turn", () => {
  const equal = large(9_000, () => true);
  for (const steps of [
    intersectInSteps(all, some),
    unionOf(all, some, true),
    subtractInSteps(all, some),
    isSubsetInSteps(all, equal),
  ])
    expect(counted<unknown>(steps).steps).toBeGreaterThan(20);
  expect(counted(listPathsInSteps(all)).steps).toBeGreaterThan(60);
});
