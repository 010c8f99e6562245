import { describe, expect, it } from "vitest";
import { maskOf, nodesOf } from "../topology/numa-mask.ts";
import {
  chooseNodes,
  emptyMap,
  isSameMap,
  type MemoryAssignments,
  memoryHints,
  withAssignments,
} from "./memory-map.ts";

/** Four nodes of 100, of which 10 are the system's; node 3 has 20 in huge pages. */
const EMPTY = emptyMap(
  [0, 1, 2, 3].map((id) => ({
    id,
    memoryBytes: 100,
    hugePages: new Map([["hugepages-2Mi", id === 3 ? 20 : 0]]),
    distances: [],
  })),
  (_, resource) => (resource === "memory" ? 10 : 0),
);

/** "0+1:120" is a container with 120 of the nodes 0 and 1. */
function given(...texts: readonly string[]): MemoryAssignments {
  const sets = texts.map((text, index) => {
    const [nodes = "", size] = text.split(":");
    return [`c${index}`, [{ numaAffinity: nodes.split("+").map(Number), type: "memory", size: Number(size) }]] as const;
  });
  return new Map([["pod", new Map(sets)]]);
}

const shown = (mask: number | undefined) => nodesOf(mask ?? 0).join("+");
const none = () => 0;

describe("the memory of nodes", () => {
  it("is what they have without huge pages and without the system's", () => {
    const free = [...EMPTY].map(([, { memoryMap }]) => memoryMap.get("memory")?.free);
    expect(free).toEqual([90, 90, 90, 70]);
  });

  it("is taken from one node after the other, and the nodes of a block belong together", () => {
    const map = withAssignments(EMPTY, given("0+1:120"))!;
    expect(map.get(0)).toMatchObject({ numberOfAssignments: 1, cells: [0, 1] });
    expect([0, 1].map((id) => map.get(id)?.memoryMap.get("memory")?.free)).toEqual([0, 60]);
  });

  it("is unknown with nodes or sorts that there are not", () => {
    expect(withAssignments(EMPTY, given("7:1"))).toBeUndefined();
  });

  it("is the same however the nodes of a group share it", () => {
    const [one, other] = [withAssignments(EMPTY, given("0+1:120"))!, withAssignments(EMPTY, given("1+0:120"))!];
    expect(isSameMap(one, other)).toBe(true);
    expect(isSameMap(one, withAssignments(EMPTY, given("0+1:121"))!)).toBe(false);
  });
});

describe("a container could have memory of", () => {
  it.each<[string, readonly string[], number, string]>([
    ["any node, and preferably one", [], 80, "0* 1* 2* 0+1 0+2 1+2 0+3 1+3 2+3"],
    ["two where one cannot do", [], 100, "0+1* 0+2* 1+2* 0+3* 1+3* 2+3*"],
    ["no group with a node that lends alone", ["0:10"], 100, "1+2* 1+3* 2+3*"],
    ["no node alone of a group, and the group itself", ["0+1:100"], 75, "2* 0+1 2+3"],
    ["nothing where nothing is left", ["0:90", "1:90", "2:90", "3:70"], 1, ""],
  ])("%s", (_, before, bytes, expected) => {
    const hints = memoryHints(withAssignments(EMPTY, given(...before))!, new Map([["memory", bytes]]), none);
    const texts = hints
      .filter(({ mask }) => nodesOf(mask ?? 0).length < 3)
      .map(({ mask, isPreferred }) => `${shown(mask)}${isPreferred ? "*" : ""}`);
    expect(texts.join(" ")).toBe(expected);
  });

  it("what the pod does not need any more", () => {
    const map = withAssignments(EMPTY, given("0:90", "1:90", "2:90", "3:70"))!;
    const hints = memoryHints(map, new Map([["memory", 80]]), (mask) => (mask === maskOf([1]) ? 80 : 0));
    expect(hints.map(({ mask }) => shown(mask))).toEqual(["1"]);
  });

  it("huge pages only where there are some", () => {
    const needs = new Map([
      ["memory", 10],
      ["hugepages-2Mi", 20],
    ]);
    expect(memoryHints(EMPTY, needs, none).filter(({ isPreferred }) => isPreferred)).toEqual([
      { mask: 8, isPreferred: true },
    ]);
  });
});

describe("a container gets memory of", () => {
  it.each<[string, readonly string[], number, readonly number[] | undefined, string]>([
    ["the lowest node that can do", ["0:80"], 50, undefined, "1"],
    ["the nodes that it is put near", [], 50, [2], "2"],
    ["more nodes where these are not enough", [], 150, [2], "0+2"],
  ])("%s", (_, before, bytes, wanted, expected) => {
    const map = withAssignments(EMPTY, given(...before))!;
    const mask = chooseNodes(map, new Map([["memory", bytes]]), wanted && maskOf(wanted), none);
    expect(shown(mask)).toBe(expected);
  });

  it.each([
    [undefined, "failed to get the default NUMA affinity, no NUMA nodes with enough memory is available"],
    [maskOf([1]), "failed to find NUMA nodes to extend the current topology hint"],
  ])("none where there is not enough", (wanted, message) => {
    expect(() => chooseNodes(EMPTY, new Map([["memory", 500]]), wanted, none)).toThrow(message);
  });
});
