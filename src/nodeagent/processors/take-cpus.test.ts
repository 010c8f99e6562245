import { describe, expect, it } from "vitest";
import { formatCpuSet, parseCpuSet } from "../config/cpu-set.ts";
import type { CpuTopology } from "./cpu-topology.ts";
import { takeCpus } from "./take-cpus.ts";

/** Two sockets of four cores of two threads: threads of a core are eight apart. */
const MACHINE: CpuTopology = Array.from({ length: 16 }, (_, id) => {
  const core = id % 8;
  const socket = Math.floor(core / 4);
  // Two cores share a cache.
  return { id, core, socket, numaNode: socket, uncoreCache: core & ~1 };
});
const ALL = "0-15";

describe("a container gets", () => {
  it.each([
    ["a whole core for two", ALL, 2, "", "0,8"],
    ["one thread for one", ALL, 1, "", "0"],
    ["a thread of a broken core before a whole one", "1-15", 1, "", "8"],
    ["whole cores first and then a thread", ALL, 3, "", "0-1,8"],
    ["a whole socket for as many", ALL, 8, "", "0-3,8-11"],
    ["a socket that is whole, when the other is not", "1-15", 8, "", "4-7,12-15"],
    ["everything", ALL, 16, "", ALL],
    ["cores of the fuller socket, to leave the other whole", "2-7,10-15", 2, "", "2,10"],
    ["what the pod has already", ALL, 2, "5,13", "5,13"],
    ["nothing when there are not enough", "0-2", 4, "", undefined],
  ])("%s", (_, free, count, preferred, taken) => {
    const found = takeCpus(MACHINE, parseCpuSet(free)!, count, { preferred: parseCpuSet(preferred)! });
    expect(found && formatCpuSet(found)).toBe(taken);
  });
});

describe("with distribute-cpus-across-cores a container gets", () => {
  it.each([
    ["a thread of each core", ALL, 4, "0-3"],
    ["the second threads once all cores have given one", ALL, 6, "0-3,8-9"],
    ["a whole socket where it needs one", ALL, 8, "0-3,8-11"],
    ["threads of the fuller socket first", "1-15", 4, "1-3,8"],
  ])("%s", (_, free, count, taken) => {
    const found = takeCpus(MACHINE, parseCpuSet(free)!, count, { spreadsOverCores: true });
    expect(found && formatCpuSet(found)).toBe(taken);
  });
});

describe("with prefer-align-cpus-by-uncorecache a container gets", () => {
  it.each([
    ["what shares one cache", ALL, 4, "0-1,8-9"],
    ["a cache that is whole before parts of two", "1-15", 4, "2-3,10-11"],
    ["the first cache whose first cores have as many", "0-1,3-15", 2, "0,8"],
    ["a whole one and the rest of one other", ALL, 6, "0-2,8-10"],
    ["a whole one and a part of one that was begun before", "0-11,13", 5, "0-1,6,8-9"],
    ["half of the last core for an odd number", ALL, 3, "0-1,8"],
    ["parts of several where none is large enough", "0,2,4,6", 2, "0,2"],
  ])("%s", (_, free, count, taken) => {
    const found = takeCpus(MACHINE, parseCpuSet(free)!, count, { keepsToCaches: true });
    expect(found && formatCpuSet(found)).toBe(taken);
  });
});

describe("a set of processors", () => {
  it.each([
    ["", []],
    ["0-2,5", [0, 1, 2, 5]],
    ["5,1,1-2", [1, 2, 5]],
    ["3-1", undefined],
    ["0-99999", undefined],
    ["a", undefined],
    ["-1", undefined],
  ])("is read: %j", (text, cpus) => {
    expect(parseCpuSet(text)).toEqual(cpus);
  });
});
