import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Metrics } from "../../base/metrics.ts";
import { cgroupVersion } from "../kernel/measure-kernel.ts";
import { cgroupMetrics } from "./cgroup-metrics.ts";
import { CgroupTree } from "./cgroup-tree.ts";

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "plinth-cgroups-"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const read = (path: string) => readFileSync(join(base, path), "utf8");

describe("a tree of control groups", () => {
  it("has a directory under each controller in version 1", async () => {
    await new CgroupTree(base, 1).ensure("/kubepods/pod1", { cpuShares: 512, memoryBytes: 1_000, maxProcesses: 9 });
    expect(read("cpu/kubepods/pod1/cpu.shares")).toBe("512");
    expect(read("memory/kubepods/pod1/memory.limit_in_bytes")).toBe("1000");
    expect(read("pids/kubepods/pod1/pids.max")).toBe("9");
  });

  it("hands controllers down to where they are needed in version 2", async () => {
    writeFileSync(join(base, "cgroup.controllers"), "cpu memory\n");
    writeFileSync(join(base, "cgroup.subtree_control"), "cpu\n");
    await new CgroupTree(base, 2).ensure("/kubepods/pod1", { cpuShares: 2 });
    expect(read("cgroup.subtree_control")).toBe("+memory");
    expect(read("kubepods/pod1/cpu.weight")).toBe("1");
  });

  it("is told what has changed, and everything again when a group is made anew", async () => {
    const metrics = new Metrics({ release: "1.34.0" });
    const tree = new CgroupTree(base, 1, cgroupMetrics(metrics).onOperation);
    await tree.ensure("/a", { cpuShares: 512 });
    writeFileSync(join(base, "cpu/a/cpu.shares"), "7");
    await tree.ensure("/a", { cpuShares: 512 });
    expect(read("cpu/a/cpu.shares")).toBe("7");
    await tree.ensure("/a", { cpuShares: 513 });
    expect(read("cpu/a/cpu.shares")).toBe("513");
    rmSync(join(base, "cpu/a"), { recursive: true });
    await tree.ensure("/a", { cpuShares: 513 });
    expect(read("cpu/a/cpu.shares")).toBe("513");
    const text = await metrics.text();
    const counts = ["create", "update"].map(
      (operation) => new RegExp(`_duration_seconds_count\\{operation_type="${operation}"\\} (\\d+)`).exec(text)?.[1],
    );
    expect(counts).toEqual(["2", "1"]);
  });

  it("loses a group with all below it, under every controller", async () => {
    for (const path of ["cpu/a/b/c", "freezer/a/b", "memory/other"]) mkdirSync(join(base, path), { recursive: true });
    await new CgroupTree(base, 1).remove("/a");
    expect(["cpu/a", "freezer/a", "memory/other"].map((path) => existsSync(join(base, path)))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("takes no ordinary directory for a controller, and loses what was put there by mistake", async () => {
    mkdirSync(join(base, "hugetlb/a/b"), { recursive: true });
    writeFileSync(join(base, "hugetlb/a/b/hugetlb.2MB.limit_in_bytes"), "0");
    const tree = new CgroupTree(base, 1);
    await tree.ensure("/c", { cpuShares: 2 });
    await tree.remove("/a");
    expect(["hugetlb/a", "hugetlb/c", "hugetlb"].map((path) => existsSync(join(base, path)))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("tells what is used of memory, without what can be dropped at once", async () => {
    const tree = new CgroupTree(base, 1);
    mkdirSync(join(base, "memory/a"), { recursive: true });
    const write = (file: string, text: string) => writeFileSync(join(base, "memory/a", file), text);
    write("memory.limit_in_bytes", "1000\n");
    write("memory.usage_in_bytes", "600\n");
    write("memory.stat", "cache 1\ntotal_inactive_file 100\n");
    expect(await tree.memory("/a")).toEqual({ usedBytes: 500, limitBytes: 1_000 });
    write("memory.limit_in_bytes", "9223372036854771712\n");
    expect(await tree.memory("/a")).toBeUndefined();
  });
});

const real = "/sys/fs/cgroup";
const own = `/plinth-test-${process.pid}`;
const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`skipped: control groups of the kernel (${missing})`);

describe.skipIf(missing !== undefined)("the kernel's own tree", () => {
  it("takes limits, and gives a group back with the processes in it", async () => {
    const tree = new CgroupTree(real, cgroupVersion());
    await tree.ensure(`${own}/pod1`, {
      cpuShares: 512,
      cpuPeriodUs: 100_000,
      cpuQuotaUs: 50_000,
      memoryBytes: 2 ** 26,
    });
    expect(await tree.memory(`${own}/pod1`)).toMatchObject({ limitBytes: 2 ** 26 });
    const child = spawn("sleep", ["1000"]);
    await tree.join(`${own}/pod1`, child.pid!);
    await vi.waitFor(() => tree.remove(own), { timeout: 10_000, interval: 50 });
    expect(await tree.exists(own)).toBe(false);
    await vi.waitFor(() => expect(child.signalCode).toBe("SIGKILL"), { timeout: 5_000 });
  });
});

async function whatIsMissing(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return "not root";
  const tree = new CgroupTree(real, cgroupVersion());
  try {
    await tree.ensure(own, { cpuShares: 2 });
    await tree.remove(own);
    return undefined;
  } catch (error) {
    return String(error);
  }
}
