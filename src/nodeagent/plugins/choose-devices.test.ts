import { describe, expect, it } from "vitest";
import { chooseDevices } from "./choose-devices.ts";
import { deviceNeeds } from "./device-needs.ts";

describe("which devices a container gets", () => {
  it.each([
    ["the first free ones", { wanted: 2, healthy: ["c", "b", "a"] }, ["a", "b"]],
    ["none that somebody has", { wanted: 1, healthy: ["a", "b"], taken: ["a"] }, ["b"]],
    ["those of its pod's init containers first", { wanted: 2, healthy: ["a", "b", "c"], inherited: ["c"] }, ["c", "a"]],
    ["none that is not healthy any more", { wanted: 1, healthy: ["b"], inherited: ["a"] }, ["b"]],
    ["what the plug-in prefers", { wanted: 2, healthy: ["a", "b", "c"], preferred: ["b", "c", "x"] }, ["b", "c"]],
    [
      "what is near, before what is preferred",
      { wanted: 2, healthy: ["a", "b", "c"], preferred: ["a"], far: ["a"] },
      ["b", "c"],
    ],
    ["what is far where there is nothing else", { wanted: 2, healthy: ["a", "b"], far: ["a"] }, ["b", "a"]],
    ["nothing where there are too few", { wanted: 2, healthy: ["a", "b"], taken: ["b"] }, undefined],
    [
      "none that a sidecar took over from an init container",
      { wanted: 1, healthy: ["a"], inherited: ["a"], taken: ["a"] },
      undefined,
    ],
  ])("gives %s", (_, { wanted, healthy, taken, inherited, preferred = [], far = [] }: Choice, chosen) => {
    const held = { taken: new Set(taken), inherited: new Set(inherited) };
    const near = new Map(far.map((id) => [id, 1]));
    expect(chooseDevices({ wanted, healthy, ...held, preferred, near })).toEqual(chosen);
  });
});

describe("what a container asks for", () => {
  it("counts the resources that plug-ins have and no others", () => {
    const limits = { cpu: "2", "example.com/widget": "3", "example.com/other": "1", "example.com/none": "0" };
    const isDevice = (name: string) => name === "example.com/widget" || name === "example.com/none";
    expect([...deviceNeeds({ resources: { limits } }, isDevice)]).toEqual([["example.com/widget", 3]]);
  });
});

interface Choice {
  readonly wanted: number;
  readonly healthy: readonly string[];
  readonly taken?: readonly string[];
  readonly inherited?: readonly string[];
  readonly preferred?: readonly string[];
  readonly far?: readonly string[];
}
