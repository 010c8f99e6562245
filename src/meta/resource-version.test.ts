import { expect, it } from "vitest";
import { compareResourceVersions } from "./resource-version.ts";

const cases: [a: string, b: string, sign: number | undefined][] = [
  ["7", "8", -1],
  ["8", "8", 0],
  ["10", "9", 1],
  ["90071992547409930", "90071992547409929", 1],
  ["0", "1", -1],
  ["", "1", undefined],
  ["01", "1", undefined],
  ["1", "x", undefined],
  ["9".repeat(65), "1", undefined],
];
it.each(cases)("of versions %s and %s the sign is %s", (a, b, sign) => {
  const compared = compareResourceVersions(a, b);
  expect(compared === undefined ? undefined : Math.sign(compared)).toBe(sign);
});
