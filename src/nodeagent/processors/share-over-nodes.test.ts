import { describe, expect, it } from "vitest";
import { formatCpuSet, parseCpuSet } from "../config/cpu-set.ts";
import type { CpuTopology } from "./cpu-topology.ts";
import { takeOverNodes } from "./share-over-nodes.ts";

/** Four NUMA nodes of four cores of two threads, two nodes in a socket: threads of a core are sixteen apart. */
const MACHINE: CpuTopology = Array.from({ length: 32 }, (_, id) => {
  const core = id % 16;
  const numaNode = Math.floor(core / 4);
  return { id, core, socket: numaNode >> 1, numaNode, uncoreCache: numaNode };
});
const ALL = "0-31";

describe("with distribute-cpus-across-numa a container gets", () => {
  it.each([
    ["one node where one is enough", ALL, 8, 1, "0-3,16-19"],
    ["as many of two nodes where it needs two", ALL, 10, 1, "0-2,4-6,16-17,20-21"],
    ["as many of three nodes", ALL, 18, 1, "0-2,4-6,8-10,16-18,20-22,24-26"],
    ["whole cores only, where it is told so", ALL, 12, 2, "0-2,4-6,16-18,20-22"],
    ["a node after the other where the number is none of whole cores", "1-15,17-31", 9, 2, "1,4-7,20-23"],
    ["everything", ALL, 32, 1, ALL],
    ["nothing when there are not enough", "0-3", 5, 1, undefined],
  ])("%s", (_, free, count, groupSize, taken) => {
    const found = takeOverNodes(MACHINE, parseCpuSet(free)!, { count, groupSize, rules: {} });
    expect(found && formatCpuSet(found)).toBe(taken);
  });
});
