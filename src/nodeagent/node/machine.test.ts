import { describe, expect, it } from "vitest";
import { namesFor } from "../../meta/names.ts";
import { internalIps, nodeAddresses, podIpsOf } from "./addresses.ts";
import { machineFacts } from "./machine.testing.ts";
import {
  measureMachine,
  parseDefaultRoutes,
  parseMeminfo,
  parseOsRelease,
  parseSwaps,
  processLimit,
} from "./machine.ts";
import { nodeResources } from "./resources.ts";

describe("what the kernel says", () => {
  it.each([
    ["32768\n", "190000\n", 32_768],
    ["4194304\n", "190000\n", 190_000],
    ["32768\n", "", 32_768],
    ["", "", 0],
  ])("of processes is the lower of its limits: %j and %j", (pidMax, threadsMax, limit) => {
    expect(processLimit(pidMax, threadsMax)).toBe(limit);
  });

  it("is read from its files", () => {
    expect(parseMeminfo("MemTotal:       16384 kB\nHugePages_Total:       3\nbroken\n")).toEqual(
      new Map([
        ["MemTotal", 16384 * 1024],
        ["HugePages_Total", 3],
      ]),
    );
    expect(parseSwaps("Filename Type Size Used Priority\n/swap file 1024 0 -2\n/dev/x partition 1 0 -3\n")).toBe(
      1025 * 1024,
    );
    expect(parseSwaps("Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n")).toBe(0);
    expect(parseOsRelease('NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12"\n')).toBe("Debian GNU/Linux 12");
    const routes = "Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT\n";
    const row = (name: string, to: string, metric: number, mask: string) =>
      `${name} ${to} 0 0003 0 0 ${metric} ${mask} 0 0 0\n`;
    const table = `${routes}${row("wlan0", "00000000", 600, "00000000")}${row("eth0", "00000000", 100, "00000000")}${row("eth1", "0000A8C0", 0, "00FFFFFF")}`;
    expect(parseDefaultRoutes(table)).toEqual(["eth0", "wlan0"]);
  });

  it("is measured on this machine", async () => {
    const machine = await measureMachine("/", undefined);
    expect(machine.cpus).toBeGreaterThan(0);
    expect(machine.memoryBytes).toBeGreaterThan(machine.memoryAvailableBytes);
    expect(machine.rootFilesystem.totalBytes).toBeGreaterThan(0);
    expect(machine.bootId).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("the addresses of a node", () => {
  const address = (name: string, text: string, family: 4 | 6 = 4) => ({ name, address: text, family });
  it.each([
    [
      "that of the default route",
      [],
      {
        interfaces: [address("docker0", "172.17.0.1"), address("eth0", "192.0.2.7")],
        defaultRouteInterfaces: ["eth0"],
      },
      ["192.0.2.7"],
    ],
    [
      "any other where there is no route",
      [],
      { interfaces: [address("lo", "127.0.0.1"), address("eth0", "192.0.2.7")], defaultRouteInterfaces: [] },
      ["192.0.2.7"],
    ],
    [
      "the first family first",
      [],
      {
        interfaces: [address("eth0", "2001:db8::1", 6), address("eth0", "192.0.2.7")],
        defaultRouteInterfaces: ["eth0"],
      },
      ["192.0.2.7"],
    ],
    [
      "not a link-local one",
      [],
      { interfaces: [address("eth0", "fe80::1", 6), address("lo", "127.0.0.1")], defaultRouteInterfaces: ["eth0"] },
      ["127.0.0.1"],
    ],
    [
      "those that are given",
      ["198.51.100.1", "2001:db8::9"],
      { interfaces: [address("eth0", "192.0.2.7")], defaultRouteInterfaces: ["eth0"] },
      ["198.51.100.1", "2001:db8::9"],
    ],
    [
      "of the family that is given alone",
      ["::"],
      {
        interfaces: [address("eth0", "192.0.2.7"), address("eth0", "2001:db8::1", 6)],
        defaultRouteInterfaces: ["eth0"],
      },
      ["2001:db8::1"],
    ],
  ])("are %s", (_title, given, machine, internal) => {
    expect(internalIps("node-1", given, machine)).toEqual(internal);
  });

  it.each([
    [[], ["192.0.2.1", "2001:db8::1"]],
    [["198.51.100.1"], ["192.0.2.1", "2001:db8::1"]],
    [
      ["2001:db8::9", "198.51.100.1"],
      ["2001:db8::1", "192.0.2.1"],
    ],
  ])("%j: say which of a pod's addresses is its first", (nodeIps, podIps) => {
    const ips = ["2001:db8::1", "2001:db8::2", "192.0.2.1", "192.0.2.2"];
    expect(podIpsOf(ips, nodeIps)).toEqual(podIps);
  });

  it.each([
    ["platform", "HostName"],
    ["kubernetes", "Hostname"],
  ] as const)("name the host as the dialect %s spells it", (dialect, type) => {
    expect(nodeAddresses(namesFor(dialect), "node-1", ["192.0.2.7"])).toEqual([
      { type: "InternalIP", address: "192.0.2.7" },
      { type, address: "node-1" },
    ]);
  });
});

describe("the resources of a node", () => {
  const config = {
    maxPods: 110,
    podsPerCore: 0,
    systemReserved: {},
    kubeReserved: {},
    reservedSystemCPUs: undefined,
    evictionHard: {},
    localStorageCapacityIsolation: true,
  };

  it("are what the machine has", () => {
    expect(nodeResources(machineFacts(), config).capacity).toEqual({
      cpu: "4",
      memory: "8Gi",
      pods: "110",
      "hugepages-1Gi": "0",
      "hugepages-2Mi": "0",
      "ephemeral-storage": "100Gi",
    });
  });

  it.each([
    ["systemReserved", { systemReserved: { cpu: "500m", memory: "1Gi" } }, { cpu: "3500m", memory: "7Gi" }],
    ["both reservations", { systemReserved: { cpu: "1" }, kubeReserved: { cpu: "1" } }, { cpu: "2" }],
    [
      "the threshold of eviction",
      { evictionHard: { "memory.available": "50%", "nodefs.available": "10Gi" } },
      { memory: "4Gi", "ephemeral-storage": "90Gi" },
    ],
    ["more than there is", { systemReserved: { cpu: "9" } }, { cpu: "0" }],
  ])("without %s may be used by pods", (_title, more, allocatable) => {
    const resources = nodeResources(machineFacts(), { ...config, ...more });
    expect(resources.allocatable).toMatchObject(allocatable);
    expect(resources.capacity["cpu"]).toBe("4");
  });

  it("allow so many pods per processor", () => {
    expect(nodeResources(machineFacts(), { ...config, podsPerCore: 10 }).capacity["pods"]).toBe("40");
    expect(nodeResources(machineFacts(), { ...config, podsPerCore: 100 }).capacity["pods"]).toBe("110");
  });
});
