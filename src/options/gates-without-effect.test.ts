import { describe, expect, it } from "vitest";
import { serverGates } from "./feature-gate-table.ts";
import { gatesOfFieldsOnly, gatesWithoutEffect } from "./gates-without-effect.ts";

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

  it("leaves those to another list that add fields on which nobody acts", () => {
    const gates = serverGates(new Map([["DRAExtendedResource", "true"]]), "platform");
    expect([gatesWithoutEffect(gates), gatesOfFieldsOnly(gates)]).toEqual([[], ["DRAExtendedResource"]]);
  });
});
