// A pass over a long document in pieces says what one over all of it says.

import { expect, it } from "vitest";
import { counted } from "../../base/steps.testing.ts";
import { countKeysInSteps, countKeysInText, crowdOf, crowdOfInSteps, endOfString } from "./scan.ts";

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

it.each<[document: string, keys: number]>([
  [String.raw`{"a\\":1,"\"":2,"\\\"b":3}`, 3],
  [String.raw`{"\u0022":"\u005c","\n\t\u003c\u003c":"\\\\"}`, 2],
  [String.raw`{"a":"\\ud800","b":"\ud7ff\ue000"}`, 2],
  [String.raw`{"a":"\ud83d\ude00","b":1}`, -1],
  [String.raw`{"a":"\n\n\uDFFF","b":1}`, -1],
  [String.raw`["abc\"d`, 0],
  [String.raw`["abcd\u00`, 0],
  [String.raw`["\\`, 0],
])("reads over what is escaped: %s", (document, keys) => {
  // Whatever comes behind: where words of four bytes end must not matter.
  for (const around of ["", " ", "  ", "   "]) expect(countKeysInText(Buffer.from(around + document), 100)).toBe(keys);
});

it("finds the end of a string of any escapes", () => {
  const parts = ["a", "\\\\", '\\"', "\\u0022", "\\n", "é", "\\u12aB", "abcd", "\\/"];
  for (let seed = 0; seed < 5_000; seed += 1) {
    const text = Array.from({ length: seed % 7 }, (_, index) => parts[(seed * 31 + index * (seed % 13)) % 9]).join("");
    const bytes = Buffer.from(`"${text}":1`);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    expect(bytes.subarray(endOfString(view, bytes, 1, bytes.length)).toString()).toBe(":1");
  }
});
