import { describe, expect, it } from "vitest";
import { compareNaturally } from "./natural-order.ts";

describe("the order of keys in YAML", () => {
  it.each([
    ["numbers by value", ["k10", "k9", "k1", "k010"], ["k1", "k9", "k10", "k010"]],
    ["letters after everything else", ["a", "-", "1", "B", "_"], ["-", "_", "1", "B", "a"]],
    ["shorter first", ["ab", "a", ""], ["", "a", "ab"]],
    ["zeros inside numbers", ["a100", "a10", "a1"], ["a1", "a10", "a100"]],
  ])("has %s", (_name, keys, expected) => {
    expect([...keys].sort(compareNaturally)).toEqual(expected);
  });

  it("copes with endless digits", () => {
    expect(compareNaturally(`a${"9".repeat(100_000)}`, `a1${"0".repeat(100_000)}`)).toBeLessThan(0);
  });
});
