import { describe, expect, it } from "vitest";
import { podWith } from "../pods/runtime-pod.testing.ts";
import { memoryVolumeBytes } from "./memory-size.ts";
import { memoryOptions } from "./mounts.ts";

const MI = 2 ** 20;
const limited = (memory: string | undefined) => ({
  containers: [{ name: "main", resources: memory === undefined ? {} : { limits: { cpu: "1", memory } } }],
});

describe("a volume in memory may hold", () => {
  it.each([
    ["what the node has", undefined, undefined, "64Mi", 64],
    ["what the pod may use", "16Mi", undefined, "64Mi", 16],
    ["what it says itself", "16Mi", "8Mi", "64Mi", 8],
    ["not more than the pod, whatever it says", "16Mi", "32Mi", "64Mi", 16],
    ["not more than the node, whatever it says", undefined, "99Mi", "64Mi", 64],
    ["what the kernel gives, where nothing is known", undefined, undefined, undefined, undefined],
    ["something, whatever it says", undefined, "0", "64Mi", 64],
  ])("%s", (_, limit, sizeLimit, allocatable, expected) => {
    const bytes = memoryVolumeBytes(podWith(limited(limit)), sizeLimit, allocatable);
    expect(bytes).toBe(expected === undefined ? undefined : expected * MI);
  });
});

it.each([
  ["6.3.0", 4096, ["mode=0777", "size=4096", "noswap"]],
  ["6.2.9-generic", undefined, ["mode=0777"]],
])("with the kernel %s it is mounted so that it stays in memory where that can be", (kernel, size, options) => {
  expect(memoryOptions(size, kernel)).toEqual(options);
});
