import { describe, expect, it } from "vitest";
import type { CapacityRequestPolicy, Device } from "../../kinds/resource/resource-slice-schema.ts";
import { formatQuantity } from "../../meta/quantity.ts";
import { amountsTaken } from "./capacity-policy.ts";

const device = (value: string, requestPolicy?: CapacityRequestPolicy): Device => ({
  name: "d",
  capacity: { memory: { value, ...(requestPolicy === undefined ? {} : { requestPolicy }) } },
});

const taken = (asked: string | undefined, value: string, policy?: CapacityRequestPolicy) => {
  const amounts = amountsTaken(device(value, policy), asked === undefined ? {} : { memory: asked });
  return amounts && formatQuantity(amounts.get("memory")!);
};

const VALUES: CapacityRequestPolicy = { default: "1Gi", validValues: ["1Gi", "2Gi", "4Gi"] };
const RANGE: CapacityRequestPolicy = { default: "2Gi", validRange: { min: "2Gi", max: "6Gi" } };
const STEPS: CapacityRequestPolicy = { default: "2Gi", validRange: { min: "2Gi", max: "6Gi", step: "2Gi" } };

describe("of a capacity a request takes", () => {
  it.each<[string, asked: string | undefined, policy: CapacityRequestPolicy | undefined, expected: string | undefined]>(
    [
      ["what it asks for", "3Gi", undefined, "3Gi"],
      ["all there is when it does not say", undefined, undefined, "8Gi"],
      ["nothing when there is not so much", "9Gi", undefined, undefined],
      ["the default when it does not say", undefined, VALUES, "1Gi"],
      ["one of the amounts, as it is", "2Gi", VALUES, "2Gi"],
      ["the next of the amounts", "3Gi", VALUES, "4Gi"],
      ["nothing above the last amount", "5Gi", VALUES, undefined],
      ["at least the least of the range", "1Gi", RANGE, "2Gi"],
      ["anything in the range", "2500Mi", RANGE, "2500Mi"],
      ["nothing above the range", "7Gi", RANGE, undefined],
      ["the next step of the range", "2500Mi", STEPS, "4Gi"],
      ["a step as it is", "6Gi", STEPS, "6Gi"],
      ["no step above the range", "6145Mi", STEPS, undefined],
      ["the default of a policy of nothing else", undefined, { default: "3Gi" }, "3Gi"],
    ],
  )("%s", (_what, asked, policy, expected) => {
    expect(taken(asked, "8Gi", policy)).toBe(expected);
  });

  it("nothing, where it asks for something that the device does not have", () => {
    expect(amountsTaken(device("8Gi"), { bandwidth: "1" })).toBe(undefined);
    expect(amountsTaken({ name: "d" }, { memory: "1" })).toBe(undefined);
    expect(amountsTaken({ name: "d" }, undefined)).toEqual(new Map());
  });
});
