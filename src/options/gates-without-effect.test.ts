import { describe, expect, it } from "vitest";
import { serverGates } from "./feature-gate-table.ts";
import { gatesWithoutEffect } from "./gates-without-effect.ts";

describe("gatesWithoutEffect", () => {
  it.each([
    ["a gate that nothing reads", { APIServingWithRoutine: "true" }, ["APIServingWithRoutine"]],
    ["one that is on, off", { KubeletPSI: "false" }, ["KubeletPSI"]],
    ["one as it is anyway", { QOSReserved: "false", KubeletPSI: "true" }, []],
    ["one that something reads", { CBORServingAndStorage: "true" }, []],
    ["all of a stage", { AllAlpha: "true" }, []],
  ])("names of %s", (_, settings, expected) => {
    expect(gatesWithoutEffect(serverGates(new Map(Object.entries(settings)), "platform"))).toEqual(expected);
  });
});
