import { describe, expect, it } from "vitest";
import type { Pod } from "../../kinds/core/pod.ts";
import { linuxResources, type NodeResources, sandboxResources, sharesOf } from "./linux-resources.ts";

const GIB = 2 ** 30;
const NODE: NodeResources = {
  memoryBytes: 8 * GIB,
  swapBytes: 4 * GIB,
  cgroupVersion: 2,
  swapController: true,
  swapBehavior: "NoSwap",
  limitsCpu: true,
  cpuPeriodUs: 100_000,
};

type Amounts = { limits?: Record<string, string>; requests?: Record<string, string> };

function resourcesOf(resources: Amounts, node: Partial<NodeResources> = {}, spec: object = {}) {
  const container = { name: "c", resources };
  const pod = { metadata: {}, spec: { containers: [container], ...spec }, status: {} } as unknown as Pod;
  return linuxResources(pod, container, { ...NODE, ...node });
}

it("huge pages are limited to what is asked for, of every size that the kernel can limit", () => {
  const resources = { limits: { "hugepages-2Mi": "4Mi" } };
  expect(resourcesOf(resources, { hugePageSizes: ["1Gi", "2Mi"] }).hugepageLimits).toEqual([
    { pageSize: "1GB", limit: 0 },
    { pageSize: "2MB", limit: 2 ** 22 },
  ]);
  expect(resourcesOf(resources)).not.toHaveProperty("hugepageLimits");
});

describe("CPU", () => {
  it.each<[Amounts, number, number]>([
    [{}, 2, 0],
    [{ requests: { cpu: "1" } }, 1024, 0],
    [{ requests: { cpu: "100m" }, limits: { cpu: "500m" } }, 102, 50_000],
    [{ limits: { cpu: "2" } }, 2048, 200_000],
    [{ limits: { cpu: "1m" } }, 2, 1_000],
  ])("of %j gives %d shares and a quota of %d", (resources, shares, quota) => {
    expect(resourcesOf(resources)).toMatchObject({ cpuShares: shares, cpuQuota: quota, cpuPeriod: 100_000 });
  });

  it("limits follow the period, and are left alone where they shall not be enforced", () => {
    const limits = { limits: { cpu: "500m" } };
    expect(resourcesOf(limits, { cpuPeriodUs: 20_000 })).toMatchObject({ cpuPeriod: 20_000, cpuQuota: 10_000 });
    expect(resourcesOf(limits, { limitsCpu: false })).toMatchObject({ cpuPeriod: 0, cpuQuota: 0, cpuShares: 512 });
  });

  it("shares have a maximum", () => {
    expect(sharesOf(1e9)).toBe(262_144);
  });
});

describe("the score for when memory is short", () => {
  const both = { cpu: "1", memory: "1Gi" };
  it.each<[string, Amounts, object, number]>([
    ["is lowest for guaranteed pods", { limits: both, requests: both }, {}, -997],
    ["is highest for pods without requests", {}, {}, 1000],
    ["follows the share of the memory asked for", { requests: { memory: "4Gi" } }, {}, 500],
    ["is never that of a guaranteed pod", { requests: { memory: "8Gi" } }, {}, 3],
    ["is never that of a pod without requests", { requests: { memory: "1" } }, {}, 999],
    ["is lowest for the node's own pods", {}, { priority: 2_000_001_000 }, -997],
  ])("%s", (_, resources, spec, score) => {
    expect(resourcesOf(resources, {}, spec).oomScoreAdj).toBe(score);
  });
});

describe("memory that is kept and slowed", () => {
  const memoryQos = { throttlingFactor: 0.9, allocatableBytes: 10 * GIB };
  it.each<[string, Amounts, object | undefined]>([
    [
      "between request and limit",
      { requests: { memory: "1Gi" }, limits: { memory: "2Gi" } },
      { "memory.min": String(GIB), "memory.high": String(Math.floor((1.9 * GIB) / 4096) * 4096) },
    ],
    [
      "not where they are the same",
      { requests: { memory: "1Gi" }, limits: { memory: "1Gi" } },
      { "memory.min": String(GIB) },
    ],
    ["up to what the node has, without a limit", {}, { "memory.high": String(9 * GIB) }],
  ])("is so %s", (_, resources, unified) => {
    expect(resourcesOf(resources, { memoryQos, swapController: false }).unified).toEqual(unified);
  });
});

it("a container that runs out of memory ends as a whole, where that is asked for", () => {
  expect(resourcesOf({}, { endsTogether: true }).unified).toMatchObject({ "memory.oom.group": "1" });
  expect(resourcesOf({}).unified).not.toHaveProperty("memory.oom.group");
});

describe("swap", () => {
  const burstable = { requests: { memory: "2Gi" }, limits: { memory: "4Gi" } };
  const limited = { swapBehavior: "LimitedSwap" } as const;
  const guaranteed = { requests: { cpu: "1", memory: "2Gi" }, limits: { cpu: "1", memory: "2Gi" } };
  it.each<[string, Amounts, Partial<NodeResources>, object, string | undefined]>([
    ["is forbidden with NoSwap", burstable, {}, {}, "0"],
    ["is in proportion to the memory asked for with LimitedSwap", burstable, limited, {}, String(GIB)],
    ["is forbidden to guaranteed pods", guaranteed, limited, {}, "0"],
    ["is forbidden to pods without requests", {}, limited, {}, "0"],
    [
      "is forbidden where request and limit are the same",
      { requests: { memory: "2Gi" }, limits: { memory: "2Gi" } },
      limited,
      {},
      "0",
    ],
    ["is forbidden to critical pods", burstable, limited, { priority: 2_000_000_000 }, "0"],
    ["is left alone where the kernel cannot limit it", burstable, { ...limited, swapController: false }, {}, undefined],
  ])("%s", (_, resources, node, spec, max) => {
    expect(resourcesOf(resources, node, spec).unified?.["memory.swap.max"]).toBe(max);
  });

  it("is told together with memory too", () => {
    expect(resourcesOf(burstable).memorySwapLimitInBytes).toBe(4 * GIB);
    expect(resourcesOf(burstable, limited).memorySwapLimitInBytes).toBe(5 * GIB);
    expect(resourcesOf({}).memorySwapLimitInBytes).toBeUndefined();
  });

  it("is forbidden the old way where the kernel has no unified hierarchy", () => {
    const resources = resourcesOf(burstable, { ...limited, cgroupVersion: 1 });
    expect([resources.unified, resources.memorySwapLimitInBytes]).toEqual([undefined, 4 * GIB]);
  });
});

describe("resources of the whole pod", () => {
  const whole = { requests: { cpu: "2", memory: "4Gi" }, limits: { cpu: "3", memory: "6Gi" } };

  it("bound containers that have no limits of their own", () => {
    expect(resourcesOf({}, {}, { resources: whole })).toMatchObject({
      cpuQuota: 300_000,
      cpuShares: 3072,
      memoryLimitInBytes: 6 * GIB,
    });
    expect(resourcesOf({ limits: { cpu: "1", memory: "1Gi" } }, {}, { resources: whole })).toMatchObject({
      cpuQuota: 100_000,
      memoryLimitInBytes: GIB,
    });
  });

  it("are in the score of every container, in equal parts of what none of them asks for", () => {
    const others = { initContainers: [{ name: "i" }], resources: whole };
    // A half of 4Gi without 2Gi, and its own 2Gi, of 8Gi.
    expect(resourcesOf({ requests: { memory: "2Gi" } }, {}, others).oomScoreAdj).toBe(625);
  });
});

it("a container that serves others from beside them is not ended before any of them", () => {
  const side = { name: "side", restartPolicy: "Always" as const, resources: { requests: { memory: "1" } } };
  const main = ["4Gi", "2Gi"].map((memory, index) => ({ name: `c${index}`, resources: { requests: { memory } } }));
  const podOf = (initContainers: object[]) =>
    ({ metadata: {}, spec: { containers: main, initContainers }, status: {} }) as unknown as Pod;
  expect(linuxResources(podOf([side]), side, NODE).oomScoreAdj).toBe(750);
  expect(linuxResources(podOf([]), side, NODE).oomScoreAdj).toBe(999);
});

describe("a sandbox", () => {
  const podOf = (spec: object) => ({ metadata: {}, spec, status: {} }) as unknown as Pod;
  const container = (name: string, cpu: string) => ({
    name,
    resources: { requests: { cpu }, limits: { cpu: "1", memory: "1Gi" } },
  });

  it("is as large as its containers together, and what it costs itself is told apart", () => {
    const spec = {
      containers: [container("a", "250m"), container("b", "500m")],
      overhead: { cpu: "100m", memory: "1Mi" },
    };
    expect(sandboxResources(podOf(spec), NODE)).toEqual({
      resources: { cpuShares: 768, cpuQuota: 200_000, cpuPeriod: 100_000, memoryLimitInBytes: 2 * GIB },
      overhead: { cpuShares: 102, cpuQuota: 10_000, cpuPeriod: 100_000, memoryLimitInBytes: 2 ** 20 },
    });
  });

  it("is as large as the pod says, and has no cost where its class says none", () => {
    const spec = { containers: [container("a", "250m")], resources: { limits: { cpu: "4", memory: "8Gi" } } };
    expect(sandboxResources(podOf(spec), { ...NODE, endsTogether: true })).toEqual({
      resources: {
        ...{ cpuShares: 256, cpuQuota: 400_000, cpuPeriod: 100_000, memoryLimitInBytes: 8 * GIB },
        unified: { "memory.oom.group": "1" },
      },
      overhead: {},
    });
  });
});
