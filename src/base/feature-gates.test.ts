import { describe, expect, it } from "vitest";
import { FeatureGates, type GateSpec } from "./feature-gates.ts";
import { UsageError } from "./start-error.ts";

const specs = new Map<string, GateSpec>([
  ["Alpha", { stage: "alpha", default: false }],
  ["Beta", { stage: "beta", default: true }],
  ["QuietBeta", { stage: "beta", default: false, needs: "Beta" }],
  ["Stable", { stage: "ga", default: true, locked: true }],
  ["Old", { stage: "deprecated", default: false }],
]);

const gates = (settings: Record<string, string> = {}) => new FeatureGates(specs, new Map(Object.entries(settings)));
const on = (settings: Record<string, string>) =>
  gates(settings)
    .all()
    .filter(({ enabled }) => enabled)
    .map(({ name }) => name);

describe("feature gates", () => {
  it.each([
    [{}, ["Beta", "Stable"]],
    [{ Alpha: "true" }, ["Alpha", "Beta", "Stable"]],
    [{ Beta: "false" }, ["Stable"]],
    [{ Beta: "false", QuietBeta: "true" }, ["Stable"]],
    [{ QuietBeta: "true" }, ["Beta", "QuietBeta", "Stable"]],
    [{ AllAlpha: "true" }, ["Alpha", "Beta", "Stable"]],
    [{ AllAlpha: "true", Alpha: "false" }, ["Beta", "Stable"]],
    [{ AllBeta: "false" }, ["Stable"]],
    [{ AllBeta: "false", Beta: "true" }, ["Beta", "Stable"]],
    [{ AllBeta: "true" }, ["Beta", "QuietBeta", "Stable"]],
    [{ Stable: "true" }, ["Beta", "Stable"]],
  ])("%j", (settings, expected) => {
    expect(on(settings as Record<string, string>)).toEqual(expected);
  });

  it.each([
    ["an unknown gate", { Nope: "true" }, "unrecognized feature gate: Nope"],
    ["a prototype key", { constructor: "true" }, "unrecognized feature gate: constructor"],
    ["a value that is no truth value", { Beta: "maybe" }, 'invalid value of Beta: "maybe" is neither true nor false'],
    [
      "to disable a gate without effect",
      { Stable: "false" },
      "cannot set feature gate Stable to false, feature is locked to true",
    ],
  ])("refuse %s", (_, settings, message) => {
    expect(() => gates(settings as Record<string, string>)).toThrow(UsageError);
    expect(() => gates(settings as Record<string, string>)).toThrow(message);
  });

  it("warn about gates that will go away, and about no others", () => {
    expect(gates({ Alpha: "true", Stable: "true", Old: "true" }).warnings).toEqual([
      "Setting GA feature gate Stable=true. It will be removed in a future release.",
      "Setting deprecated feature gate Old=true. It will be removed in a future release.",
    ]);
  });

  it("do not answer for a name that nobody declared", () => {
    expect(() => gates().enabled("Typo")).toThrow("no feature gate Typo");
  });
});
