import { expect, it } from "vitest";
import { isYesInQuery, parseBool } from "./truth-words.ts";

it.each([
  ["1", true, true],
  ["t", true, true],
  ["TRUE", true, true],
  ["0", false, false],
  ["False", false, false],
  ["f", false, true],
  ["fAlSe", undefined, false],
  ["yes", undefined, true],
  ["", undefined, true],
])("%j is %s in a flag, and %s in a query", (word, inFlag, inQuery) => {
  expect([parseBool(word), isYesInQuery(word)]).toEqual([inFlag, inQuery]);
});
