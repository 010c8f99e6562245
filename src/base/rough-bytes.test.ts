import { describe, expect, it } from "vitest";
import { roughBytes } from "./rough-bytes.ts";

describe("roughBytes", () => {
  it.each([
    ["a text", "x".repeat(1_000), 2_000],
    ["bytes", new Uint8Array(1_000), 1_000],
    ["a list", Array(1_000).fill(1), 8_000],
    ["the keys and values of an object", { ["k".repeat(500)]: ["v".repeat(500)] }, 2_000],
    ["a map and a set", [new Map([["k".repeat(500), 1]]), new Set(["v".repeat(500)])], 2_000],
  ])("counts %s", (_, value, expected) => {
    expect(roughBytes(value)).toBeGreaterThanOrEqual(expected);
    expect(roughBytes(value)).toBeLessThanOrEqual(expected + 300);
  });

  it("counts once what is met again, also on the way round", () => {
    const shared = "x".repeat(1_000).split("");
    const round: unknown[] = [shared, shared];
    round.push(round, { round, by: new Map([[round, new Set([round])]]) });
    expect(roughBytes(round)).toBeLessThan(roughBytes(shared) + 1_000);
  });

  it("takes deep values", () => {
    let deep: unknown = [];
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(roughBytes(deep)).toBeGreaterThan(100_000);
  });
});
