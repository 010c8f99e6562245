import { describe, expect, it } from "vitest";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityAsFloat,
  quantityAsInt64,
  quantityProblem,
  quantitySign,
  quantityToInteger,
  roundQuantityUp,
  subtractQuantities,
} from "./quantity.ts";

function quantity(text: string): Quantity {
  const parsed = parseQuantity(text);
  if (parsed === undefined) throw new Error(`not a quantity: ${text}`);
  return parsed;
}

describe("the canonical form of a quantity", () => {
  it.each([
    ["0", "0"],
    ["0n", "0"],
    ["100m", "100m"],
    ["1000m", "1"],
    ["0.5", "500m"],
    ["0.1", "100m"],
    ["1.5", "1500m"],
    ["-1", "-1"],
    ["1024Mi", "1Gi"],
    ["1000Mi", "1000Mi"],
    ["1.5Gi", "1536Mi"],
    ["1Ei", "1Ei"],
    ["512Ki", "512Ki"],
    ["1000k", "1M"],
    ["12e6", "12e6"],
    ["1e3", "1e3"],
    ["10e3", "10e3"],
    ["1000e3", "1e6"],
    ["0.3Ki", "307200m"],
    ["1n", "1n"],
    ["0.1n", "1n"],
    ["100E", "100E"],
    ["1.500", "1.500"],
    [".5", "500m"],
    ["5.", "5."],
    ["9999999999999999999", "9999999999999999999"],
    ["99999999Ei", "9223372036854775807"],
  ])("of %s is %s", (text, canonical) => {
    expect(formatQuantity(quantity(text))).toBe(canonical);
  });
});

describe("a text that is no quantity", () => {
  it.each(["", "1.1.M", "1+1.0M", "0.1mi", "aoeu", ".5i", "1i", "-3.01e-", " 1", "1 ", "1KiB", "10Zz", "1e5000", "١"])(
    "%j is refused with a reason",
    (text) => {
      expect(parseQuantity(text)).toBeUndefined();
      expect(quantityProblem(text)).toMatch(/quantit/);
    },
  );

  it("is refused at the first look, however many there are", () => {
    for (let digit = 0; digit < 20_000; digit++) {
      expect(parseQuantity(`${"0".repeat(2_040)}${digit}x`)).toBeUndefined();
    }
  });

  it("is refused when its digits are beyond the limit", () => {
    expect(parseQuantity("9".repeat(100_000))).toBeUndefined();
  });
});

describe("arithmetic", () => {
  it.each([
    ["1k", "1k", "2k", "0"],
    ["2Mi", "1Mi", "3Mi", "1Mi"],
    ["100m", "1", "1100m", "-900m"],
    ["0", "1Gi", "1Gi", "-1Gi"],
  ])("%s and %s add to %s and differ by %s", (a, b, sum, difference) => {
    expect(formatQuantity(addQuantities(quantity(a), quantity(b)))).toBe(sum);
    expect(formatQuantity(subtractQuantities(quantity(a), quantity(b)))).toBe(difference);
  });

  it.each([
    ["1", "1000m", 0],
    ["1Gi", "1G", 1],
    ["999m", "1", -1],
    ["1e30", "1", 1],
    ["-1", "0", -1],
  ])("compares %s with %s as %i", (a, b, order) => {
    expect(compareQuantities(quantity(a), quantity(b))).toBe(order);
  });

  it.each([
    ["5k", 5000n],
    ["1500m", undefined],
    ["9223372036854775807", undefined],
    ["1Gi", 1073741824n],
    ["100E", undefined],
  ])("reads %s as the integer %s", (text, integer) => {
    expect(quantityAsInt64(quantity(text))).toBe(integer);
  });

  it("gives sign, float and rounded forms", () => {
    expect(quantitySign(quantity("-5"))).toBe(-1);
    expect(quantityAsFloat(quantity("1500m"))).toBe(1.5);
    expect(quantityToInteger(quantity("1500m"))).toBe(2n);
    expect(quantityToInteger(quantity("2k"))).toBe(2000n);
    expect(formatQuantity(roundQuantityUp(quantity("1500u"), -3))).toBe("2m");
  });
});
