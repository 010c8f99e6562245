import { describe, expect, it } from "vitest";
import { machineFacts } from "./machine.testing.ts";
import { cgroupPageSize, pageSizeBytes, pageSizeName } from "./page-size.ts";
import { nodeResources } from "./resources.ts";

describe("a size of huge pages", () => {
  it.each([
    [2 ** 21, "2Mi", "2MB"],
    [2 ** 30, "1Gi", "1GB"],
    [2 ** 16, "64Ki", "64KB"],
    [2 ** 34, "16Gi", "16GB"],
  ])("%d is written %s and %s", (bytes, name, cgroup) => {
    expect([pageSizeName(bytes), pageSizeBytes(name), cgroupPageSize(name)]).toEqual([name, bytes, cgroup]);
  });
});

it("memory in huge pages is counted for itself, and is no memory for pods", () => {
  const machine = machineFacts({ memoryBytes: 2 ** 33, hugePages: [{ size: "2Mi", count: 512 }] });
  const config = {
    ...{ maxPods: 110, podsPerCore: 0, systemReserved: {}, kubeReserved: {}, reservedSystemCPUs: undefined },
    ...{ evictionHard: {}, localStorageCapacityIsolation: true },
  };
  const { capacity, allocatable } = nodeResources(machine, config);
  expect(capacity).toMatchObject({ memory: "8Gi", "hugepages-2Mi": "1Gi" });
  expect(allocatable).toMatchObject({ memory: "7Gi", "hugepages-2Mi": "1Gi" });
});
