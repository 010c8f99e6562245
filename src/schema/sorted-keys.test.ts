// Whether many texts are in order, found out in steps.

import { expect, it } from "vitest";
import { counted } from "../base/steps.testing.ts";
import { areSorted } from "./sorted-keys.ts";

const texts = Array.from({ length: 3_500 }, (_, index) => String(index).padStart(5, "0"));

it("finds many texts in order, with a turn for others", () => {
  expect(counted(areSorted(texts))).toEqual({ result: true, steps: 3 });
});

it.each([1, 999, 1_000, 1_001, 2_000, 3_499])("finds the text at %d out of order", (index) => {
  expect(counted(areSorted(texts.with(index, ""))).result).toBe(false);
});
