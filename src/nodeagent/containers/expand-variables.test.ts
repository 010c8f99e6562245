import { describe, expect, it } from "vitest";
import { expandVariables } from "./expand-variables.ts";

const KNOWN = new Map([
  ["A", "a"],
  ["B", "$(A)"],
  ["EMPTY", ""],
]);

describe("references to variables", () => {
  it.each([
    ["plain", "plain"],
    ["$(A)", "a"],
    ["x$(A)y$(A)z", "xayaz"],
    ["$(UNKNOWN)", "$(UNKNOWN)"],
    ["$(EMPTY)|", "|"],
    ["$$(A)", "$(A)"],
    ["$$$(A)", "$a"],
    ["$$$$(A)", "$$(A)"],
    ["$A", "$A"],
    ["costs 5$", "costs 5$"],
    ["$$", "$"],
    ["$(A", "$(A"],
    ["$(A$$", "$(A$"],
    ["$()", "$()"],
    // What a variable holds is not expanded again.
    ["$(B)", "$(A)"],
    // As upstream reads it: the name is everything up to the next parenthesis.
    ["$($(A))", "$($(A))"],
  ])("in %j give %j", (text, expanded) => {
    expect(expandVariables(text, (name) => KNOWN.get(name))).toBe(expanded);
  });

  it("cost linear work, whatever the text", () => {
    const text = "$(".repeat(200_000);
    expect(expandVariables(text, () => undefined)).toBe(text);
  });
});
