import { describe, expect, it } from "vitest";
import { podWith } from "../pods/runtime-pod.testing.ts";
import {
  allPodsSettings,
  burstableSettings,
  type CgroupSettings,
  cgroupFiles,
  type PodCgroupRules,
  podSettings,
  reservedSettings,
  weightOf,
} from "./cgroup-settings.ts";

const RULES: PodCgroupRules = {
  limitsCpu: true,
  cpuPeriodUs: 100_000,
  podPidsLimit: -1,
  keepsMemory: false,
  hugePageSizes: [],
};
const container = (name: string, requests: object, limits: object = {}) => ({ name, resources: { requests, limits } });
const SAME = { cpu: "500m", memory: "1Gi" };

describe("a pod is held to", () => {
  it.each<[string, object, Partial<PodCgroupRules>, CgroupSettings]>([
    ["the smallest share when it asks for nothing", {}, {}, { cpuShares: 2 }],
    [
      "the sum of its limits when each container has one",
      { containers: [container("a", SAME, SAME), container("b", SAME, SAME)] },
      {},
      { cpuShares: 1024, cpuPeriodUs: 100_000, cpuQuotaUs: 100_000, memoryBytes: 2 ** 31 },
    ],
    [
      "no limit when a container has none",
      { containers: [container("a", { cpu: "1" }, { memory: "1Gi" }), container("b", { cpu: "1" })] },
      {},
      { cpuShares: 2048, cpuPeriodUs: 100_000, cpuQuotaUs: 0 },
    ],
    [
      "no limit of processors where they are not enforced",
      { containers: [container("a", SAME, SAME)] },
      { limitsCpu: false },
      { cpuShares: 512, cpuPeriodUs: 100_000, cpuQuotaUs: 0, memoryBytes: 2 ** 30 },
    ],
    [
      "what is said for the whole pod",
      { containers: [container("a", { cpu: "1" })], resources: { requests: { cpu: "2" }, limits: { memory: "1Gi" } } },
      {},
      { cpuShares: 2048, cpuPeriodUs: 100_000, cpuQuotaUs: 0, memoryBytes: 2 ** 30 },
    ],
    [
      "what is said for the whole pod, and its overhead",
      {
        ...{ containers: [container("a", {})], overhead: { cpu: "250m", memory: "1Gi" } },
        resources: { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "1", memory: "1Gi" } },
      },
      {},
      { cpuShares: 1280, cpuPeriodUs: 100_000, cpuQuotaUs: 125_000, memoryBytes: 2 ** 31 },
    ],
    [
      "its overhead too",
      { containers: [container("a", SAME, SAME)], overhead: { memory: "1Gi" } },
      {},
      { cpuShares: 512, cpuPeriodUs: 100_000, cpuQuotaUs: 50_000, memoryBytes: 2 ** 31 },
    ],
    ["a number of processes", {}, { podPidsLimit: 50 }, { cpuShares: 2, maxProcesses: 50 }],
    [
      "the huge pages that it asks for, and none of other sizes",
      { containers: [container("a", SAME, { ...SAME, "hugepages-2Mi": "4Mi" })] },
      { hugePageSizes: ["1Gi", "2Mi"] },
      {
        ...{ cpuShares: 512, cpuPeriodUs: 100_000, cpuQuotaUs: 50_000, memoryBytes: 2 ** 30 },
        hugePages: { "1Gi": 0, "2Mi": 2 ** 22 },
      },
    ],
    [
      "memory that it keeps",
      { containers: [container("a", { memory: "1Gi" })] },
      { keepsMemory: true },
      { cpuShares: 2, cpuPeriodUs: 100_000, cpuQuotaUs: 0, minMemoryBytes: 2 ** 30 },
    ],
  ])("%s", (_, spec, rules, settings) => {
    expect(podSettings(podWith(spec), { ...RULES, ...rules })).toEqual(settings);
  });
});

it("pods that may use more share the processors that they asked for together", () => {
  const pods = [
    podWith({ containers: [container("a", { cpu: "1" })] }),
    podWith({ containers: [container("a", { cpu: "2", memory: "1Gi" })] }),
    podWith({ containers: [container("a", SAME, SAME)] }),
    podWith({}),
    podWith({ containers: [container("a", {})], resources: { requests: { cpu: "1" } }, overhead: { cpu: "1" } }),
  ];
  expect(burstableSettings(pods, false)).toEqual({ cpuShares: 5120 });
  expect(burstableSettings(pods, true)).toEqual({ cpuShares: 5120, minMemoryBytes: 2 ** 30 });
});

it("all pods together are held to what the node has for them, where that is enforced", () => {
  const allocatable = { cpu: "1900m", memory: "4Gi" };
  expect(allPodsSettings(allocatable, true)).toEqual({ cpuShares: 1945, memoryBytes: 2 ** 32 });
  expect(allPodsSettings(allocatable, false)).toEqual({ cpuShares: 1945 });
});

it("the system is held to what is reserved for it", () => {
  const reserved = { cpu: "100m", memory: "1Mi", pid: "100" };
  expect(reservedSettings(reserved, { onlyCpu: false })).toEqual({
    cpuShares: 102,
    memoryBytes: 2 ** 20,
    maxProcesses: 100,
  });
  expect(reservedSettings(reserved, { onlyCpu: true })).toEqual({ cpuShares: 102 });
});

describe("the files of a control group", () => {
  const settings = {
    cpuShares: 1024,
    cpuPeriodUs: 100_000,
    cpuQuotaUs: 50_000,
    memoryBytes: 1_000,
    minMemoryBytes: 10,
    maxProcesses: 5,
  };
  const texts = (version: 1 | 2, more: CgroupSettings = {}) =>
    cgroupFiles(version, { ...settings, ...more }).map(
      ({ controller, file, value }) => `${controller}/${file}=${value}`,
    );

  it("of version 1", () => {
    expect(texts(1)).toEqual([
      "cpu/cpu.shares=1024",
      "cpu/cpu.cfs_period_us=100000",
      "cpu/cpu.cfs_quota_us=50000",
      "memory/memory.limit_in_bytes=1000",
      "pids/pids.max=5",
    ]);
    expect(texts(1, { cpuQuotaUs: 0 })).toContain("cpu/cpu.cfs_quota_us=-1");
    expect(texts(1, { hugePages: { "2Mi": 4096 } })).toContain("hugetlb/hugetlb.2MB.limit_in_bytes=4096");
  });

  it("of version 2", () => {
    expect(texts(2)).toEqual([
      "cpu/cpu.weight=39",
      "cpu/cpu.max=50000 100000",
      "memory/memory.max=1000",
      "memory/memory.min=10",
      "pids/pids.max=5",
    ]);
    expect(texts(2, { cpuQuotaUs: 0 })).toContain("cpu/cpu.max=max 100000");
    expect(texts(2, { hugePages: { "1Gi": 0 } })).toContain("hugetlb/hugetlb.1GB.max=0");
  });

  it("have weights between 1 and 10000", () => {
    expect([2, 1024, 262_144].map(weightOf)).toEqual([1, 39, 10_000]);
  });
});
