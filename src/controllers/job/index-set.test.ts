import { describe, expect, it } from "vitest";
import { IndexSet } from "./index-set.ts";

describe("a set of indexes", () => {
  const texts: [text: string, completions: number, read: string, size: number][] = [
    ["", 10, "", 0],
    ["0", 10, "0", 1],
    ["0,2-5,7", 10, "0,2-5,7", 6],
    ["3,4", 10, "3,4", 2],
    ["3-4,5", 10, "3-5", 3],
    ["1-8", 5, "1-4", 4],
    ["7,9", 5, "", 0],
    ["x,1,-3,2-,4-y,99999999999999", 10, "1", 1],
    ["5-3", 10, "", 0],
    ["7,1-3,2-5", 10, "1-5,7", 6],
  ];
  it.each(texts)("%j of %s is read as %j", (text, completions, read, size) => {
    const set = IndexSet.parse(text, completions);
    expect(set.text).toBe(read);
    expect(set.size).toBe(size);
  });

  it("knows its members", () => {
    const set = IndexSet.parse("0,2-5,7", 10);
    expect([0, 1, 2, 3, 4, 5, 6, 7, 8].filter((index) => set.has(index))).toEqual([0, 2, 3, 4, 5, 7]);
    expect(IndexSet.EMPTY.has(0)).toBe(false);
  });

  const unions: [a: string, b: number[], union: string][] = [
    ["", [3, 1, 2], "1-3"],
    ["0-2,6", [3, 4], "0-4,6"],
    ["1", [1, 1], "1"],
    ["5-9", [0, 20], "0,5-9,20"],
  ];
  it.each(unions)("%j with %j is %j", (a, b, union) => {
    expect(IndexSet.parse(a, 100).union(IndexSet.of(b)).text).toBe(union);
  });

  const overlaps: [a: string, b: string, common: number][] = [
    ["0-4", "2-7", 3],
    ["0,2,4", "1,3,5", 0],
    ["0-9", "0-9", 10],
    ["1-2,5-6,8", "2-5,8-9", 3],
    ["", "1", 0],
  ];
  it.each(overlaps)("%j and %j have %s in common", (a, b, common) => {
    expect(IndexSet.parse(a, 100).overlap(IndexSet.parse(b, 100))).toBe(common);
    expect(IndexSet.parse(b, 100).overlap(IndexSet.parse(a, 100))).toBe(common);
  });

  const missing: [text: string, count: number, completions: number, missing: number[]][] = [
    ["", 2, 5, [0, 1]],
    ["0-2,4", 3, 6, [3, 5]],
    ["1", 3, 3, [0, 2]],
    ["0-9", 3, 5, []],
    ["2-3", 0, 5, []],
    ["7", 9, 5, [0, 1, 2, 3, 4]],
  ];
  it.each(missing)("%j lacks, of %s wanted below %s, %j", (text, count, completions, lacking) => {
    expect(IndexSet.parse(text, 100).firstMissing(count, completions)).toEqual(lacking);
  });
});
