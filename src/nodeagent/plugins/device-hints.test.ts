import { describe, expect, it } from "vitest";
import { nodesOf } from "../topology/numa-mask.ts";
import { deviceHints, nearDevices } from "./device-hints.ts";

/** a and b are near node 0, c near node 1, d near both, e nowhere. */
const DEVICES = [
  ["a", [0]],
  ["b", [0]],
  ["c", [1]],
  ["d", [0, 1]],
  ["e", []],
].map(([id, nodes]) => ({
  id: id as string,
  health: "Healthy",
  topology: { nodes: (nodes as number[]).map((each) => ({ id: each })) },
}));

describe("devices could be had", () => {
  it.each([
    ["near each node where there are enough", 1, ["a", "b", "c", "d"], [], "0* 1* 0+1"],
    ["near one node alone", 3, ["a", "b", "d"], [], "0* 0+1"],
    ["near one, of which some are taken: not as well as could be", 3, ["a", "c", "d"], [], "0+1"],
    ["where the pod has some already", 1, ["a", "c"], ["c"], "1* 0+1"],
    ["nowhere", 2, ["a"], [], ""],
  ])("%s", (_, count, free, inherited, expected) => {
    const hints = deviceHints(DEVICES, { count, free, inherited, nodes: [0, 1] });
    const texts = hints?.map(({ mask, isPreferred }) => `${nodesOf(mask ?? 0).join("+")}${isPreferred ? "*" : ""}`);
    expect(texts?.join(" ")).toBe(expected);
  });

  it("anywhere when nobody says where they are", () => {
    const wish = { count: 1, free: ["e"], inherited: [], nodes: [0, 1] };
    expect(deviceHints(DEVICES.slice(4), wish)).toBeUndefined();
  });

  it("in an order: near, elsewhere, nobody knows where", () => {
    expect([...nearDevices(DEVICES, 2)]).toEqual([
      ["a", 1],
      ["b", 1],
      ["c", 0],
      ["d", 0],
      ["e", 2],
    ]);
  });
});
