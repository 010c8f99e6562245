import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keepOrder } from "./keep-order.ts";

describe("the order of slots", () => {
  it.each([
    ["", "a b c", "a b c"],
    ["a b c", "c b a", "a b c"],
    ["a b c", "a b c d", "a b c d"],
    ["a b c", "a b", "a b"],
    ["a b c", "b c", "c b"],
    ["a b c d", "c", "c"],
    ["a b c", "b c x", "x b c"],
    ["a b c", "x y", "x y"],
    ["a b c", "", ""],
  ])("after %j, for %j is %j", (before, wanted, expected) => {
    const list = (text: string) => text.split(" ").filter((each) => each !== "");
    expect(keepOrder(list(before), list(wanted)).join(" ")).toBe(expected);
  });

  it("holds everybody once, and moves no more than have left", () => {
    const some = fc.uniqueArray(fc.integer({ min: 0, max: 30 }).map(String));
    fc.assert(
      fc.property(some, some, (before, wanted) => {
        const after = keepOrder(before, wanted);
        expect([...after].sort()).toEqual([...wanted].sort());
        const left = before.filter((each) => !wanted.includes(each)).length;
        const moved = after.filter((each, index) => before.includes(each) && before[index] !== each).length;
        expect(moved).toBeLessThanOrEqual(left);
      }),
    );
  });
});
