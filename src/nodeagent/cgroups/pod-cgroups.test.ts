import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../base/json.ts";
import { silentLog } from "../../base/log.ts";
import { loadConfiguration } from "../config/load-configuration.ts";
import { machineFacts } from "../node/machine.testing.ts";
import { podWith } from "../pods/runtime-pod.testing.ts";
import type { CgroupSettings } from "./cgroup-settings.ts";
import type { Cgroups } from "./cgroup-tree.ts";
import { PodCgroups } from "./pod-cgroups.ts";

const GI = 2 ** 30;

interface Played {
  readonly driver?: "SYSTEMD" | "CGROUPFS" | undefined;
  readonly existing?: readonly string[];
  readonly isReadOnly?: boolean;
  readonly hasSystemd?: boolean;
}

function played(flags: JsonObject, { driver, existing = [], isReadOnly = false, hasSystemd = false }: Played = {}) {
  const { configuration: config, gates } = loadConfiguration({ dialect: "platform", flags });
  const made = new Map<string, CgroupSettings>();
  const joined: [string, number][] = [];
  const cgroups: Cgroups = {
    ensure: async (path, settings) => {
      if (isReadOnly) throw new Error("read-only file system");
      made.set(path, settings);
    },
    remove: async (path) => void made.delete(path),
    exists: async (path) => existing.includes(path),
    memory: async () => ({ usedBytes: GI, limitBytes: 4 * GI }),
    rootProcesses: async () => [1, 2, 77],
    join: async (path, pid) => void joined.push([path, pid]),
  };
  const groups = new PodCgroups({
    config,
    gates,
    cri: {
      runtimeConfig: async () => {
        if (driver === undefined) throw new Error("unimplemented");
        return { linux: { cgroupDriver: driver } };
      },
    },
    cgroups,
    slices: hasSystemd ? cgroups : undefined,
    cgroupVersion: 2,
    hugePageSizes: [],
    isKernelThread: async (pid) => pid === 2,
    log: silentLog,
  });
  return { groups, made, joined };
}

const MACHINE = machineFacts({ cpus: 4, memoryBytes: 8 * GI });
const POD = podWith({}, { uid: "1" });

describe("the control groups of pods", () => {
  it("begin with one for all, held to what the node has beyond its reserves, and one for each class", async () => {
    const { groups, made } = played({ systemReserved: { cpu: "1", memory: "1Gi" }, kubeReserved: { memory: "1Gi" } });
    await groups.start(MACHINE);
    expect(Object.fromEntries(made)).toEqual({
      "/kubepods": { cpuShares: 3072, memoryBytes: 6 * GI },
      "/kubepods/burstable": { cpuShares: 2 },
      "/kubepods/besteffort": { cpuShares: 2 },
    });
    expect(await groups.memoryLeft()).toEqual({ available: 3 * GI, capacity: 4 * GI });
    const message = "Updated Node Allocatable limit across pods";
    expect(groups.reports()).toEqual([{ type: "Normal", reason: "NodeAllocatableEnforced", message }]);
  });

  it("have no limit together where that is not enforced", async () => {
    const { groups, made } = played({ enforceNodeAllocatable: ["none"] });
    await groups.start(MACHINE);
    expect(made.get("/kubepods")).toEqual({ cpuShares: 4096 });
    expect(await groups.memoryLeft()).toBeUndefined();
  });

  it("are made for a pod, named to the runtime, and removed", async () => {
    const { groups, made } = played({ podPidsLimit: 10 });
    await groups.start(MACHINE);
    expect(groups.parentOf(POD)).toBe("/kubepods/besteffort/pod1");
    await groups.ensure(POD);
    expect(made.get("/kubepods/besteffort/pod1")).toEqual({ cpuShares: 2, maxProcesses: 10 });
    await groups.remove("1");
    expect(made.has("/kubepods/besteffort/pod1")).toBe(false);
  });

  it("hold pods back from the memory that others asked for, where that is wanted", async () => {
    const flags = { qosReserved: { memory: "50%" }, featureGates: { QOSReserved: true } };
    const { groups, made } = played(flags);
    await groups.start(MACHINE);
    const amounts = { cpu: "1", memory: "2Gi" };
    const guaranteed = podWith({ containers: [{ name: "a", resources: { requests: amounts, limits: amounts } }] });
    const burstable = podWith({ containers: [{ name: "a", resources: { requests: { memory: "1Gi" } } }] });
    await groups.share([guaranteed, burstable, POD]);
    expect(made.get("/kubepods/burstable")?.memoryBytes).toBe(7 * GI);
    expect(made.get("/kubepods/besteffort")).toEqual({ cpuShares: 2, memoryBytes: 6.5 * GI });
  });

  it("are slices with limits where systemd makes them", async () => {
    const { groups, made } = played({ podPidsLimit: 10 }, { driver: "SYSTEMD", hasSystemd: true });
    await groups.start(MACHINE);
    await groups.ensure(POD);
    expect([...made.keys()].map((path) => path.slice(path.lastIndexOf("/") + 1))).toEqual([
      "kubepods.slice",
      "kubepods-burstable.slice",
      "kubepods-besteffort.slice",
      "kubepods-besteffort-pod1.slice",
    ]);
    expect(made.get("/kubepods.slice")).toEqual({ cpuShares: 4096, memoryBytes: 8 * GI });
  });

  it("are refused where systemd is to make them and does not run", async () => {
    await expect(played({ cgroupDriver: "systemd" }).groups.start(MACHINE)).rejects.toThrow(
      "cgroupDriver: systemd does not run on this machine",
    );
  });

  it("are only named where a runtime wants systemd to make them, which does not run", async () => {
    const { groups, made } = played({}, { driver: "SYSTEMD" });
    await groups.start(MACHINE);
    await groups.ensure(POD);
    expect(groups.parentOf(POD)).toBe("/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod1.slice");
    expect(made.size).toBe(0);
  });

  it("are the runtime's affair where they cannot be made, or are not wanted", async () => {
    for (const each of [
      played({}, { isReadOnly: true }),
      played({ cgroupsPerQOS: false, enforceNodeAllocatable: ["none"] }),
    ]) {
      await each.groups.start(MACHINE);
      await each.groups.ensure(POD);
      expect(each.groups.parentOf(POD)).toBe("");
    }
  });

  it("have one for what of the system stands in none", async () => {
    const { groups, joined } = played({ systemCgroups: "/system", cgroupRoot: "/" });
    await groups.start(MACHINE);
    expect(joined).toEqual([["/system", 77]]);
  });

  it("hold the system to what is reserved for it, in a group that exists", async () => {
    const flags = {
      systemReserved: { cpu: "500m", memory: "1Gi" },
      systemReservedCgroup: "/system",
      enforceNodeAllocatable: ["pods", "system-reserved"],
    };
    const { groups, made } = played(flags, { existing: ["/system"] });
    await groups.start(MACHINE);
    expect(made.get("/system")).toEqual({ cpuShares: 512, memoryBytes: GI });
    await expect(played(flags).groups.start(MACHINE)).rejects.toThrow("there is no control group /system");
  });
});
