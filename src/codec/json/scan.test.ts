// A pass over a long document in pieces says what one over all of it says.

import { expect, it } from "vitest";
import { counted } from "../../base/steps.testing.ts";
import { countKeysInSteps, countKeysInText, crowdOf, crowdOfInSteps } from "./scan.ts";

const LIMITS = { values: 30_000, keys: 10_000 };
const members = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`"k${index}`, { n: [index, 1.5], s: "{,\\" }]));
const nested = (levels: number, inner: unknown): unknown =>
  levels === 0 ? inner : { in: [nested(levels - 1, inner)] };
const texts = (count: number) => Array.from({ length: count }, (_, index) => `a longer text, ${index}`);

it.each([
  ["long strings", { a: '",{['.repeat(40_000), b: 1 }],
  ["many members", members(5_000)],
  ["too many of them", members(9_999)],
  ["too many keys", Object.fromEntries(texts(10_001).map((text) => [text, 1]))],
  ["as many as may be", Object.fromEntries(texts(10_000).map((text) => [text, 1]))],
  ["too many values", { a: texts(20_000), b: texts(20_000) }],
  ["much inside of much", nested(40, members(5_000))],
  ["a number at the end that only the full parser reads", { a: texts(9_000), b: 1e21 }],
])("%s", (_what, value) => {
  const bytes = Buffer.from(JSON.stringify(value));
  const keys = counted(countKeysInSteps(bytes, 100));
  const crowd = counted(crowdOfInSteps(bytes, LIMITS));
  expect([keys.result, crowd.result]).toEqual([countKeysInText(bytes, 100), crowdOf(bytes, LIMITS)]);
  expect(keys.steps).toBeGreaterThan(1);
});

it("counts keys from one piece to the next", () => {
  expect(counted(countKeysInSteps(Buffer.from(JSON.stringify(members(5_000))), 100)).result).toBe(15_000);
});

it("counts how deep it is from one piece to the next", () => {
  const bytes = Buffer.from(JSON.stringify(nested(10, [texts(9_000), nested(10, 1)])));
  expect(countKeysInText(bytes, 30)).toBe(-1);
  expect(counted(countKeysInSteps(bytes, 30)).result).toBe(-1);
});

it.each([
  ["a long text", "a".repeat(1_000_000), 1],
  ["a long text of escapes", "\n".repeat(500_000), 1],
  ["half of a surrogate pair far within a long text", `${"a".repeat(500_000)}\ud800${"a".repeat(500_000)}`, -1],
])("goes over %s in steps", (_what, text, keyCount) => {
  const bytes = Buffer.from(JSON.stringify({ a: text }));
  const keys = counted(countKeysInSteps(bytes, 100));
  const crowd = counted(crowdOfInSteps(bytes, LIMITS));
  expect([keys.result, crowd.result]).toEqual([keyCount, undefined]);
  expect(Math.min(keys.steps, crowd.steps)).toBeGreaterThan(10);
});
