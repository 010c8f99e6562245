// How the processors of the machine stand together: hardware threads in cores, cores in sockets, both near a part of memory.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseCpuSet } from "../config/cpu-set.ts";

export interface Cpu {
  readonly id: number;
  /** Unique on the machine: the lowest thread of the core. */
  readonly core: number;
  readonly socket: number;
  readonly numaNode: number;
  /** Unique on the machine: the lowest thread that shares the last cache; the socket where the kernel does not say. */
  readonly uncoreCache: number;
}

export type CpuTopology = readonly Cpu[];

/** Index 0 to 3: first for data and for code, second, third. */
const LAST_CACHE = "index3";

/** Of the processors that are online, in the order of their numbers. `root` is /sys/devices/system. */
export async function readCpuTopology(root: string): Promise<CpuTopology> {
  const text = async (...parts: readonly string[]) => await readFile(join(root, ...parts), "utf8").catch(() => "");
  const online = parseCpuSet(await text("cpu", "online")) ?? [];
  const nodes = await numaNodes(root);
  const cpus: Cpu[] = [];
  for (const id of online) {
    const siblings = parseCpuSet(await text("cpu", `cpu${id}`, "topology", "thread_siblings_list")) ?? [];
    const told = Number((await text("cpu", `cpu${id}`, "topology", "physical_package_id")).trim());
    const socket = Math.max(told || 0, 0);
    const sharing = parseCpuSet(await text("cpu", `cpu${id}`, "cache", LAST_CACHE, "shared_cpu_list")) ?? [];
    const uncoreCache = sharing[0] ?? socket;
    cpus.push({ id, core: siblings[0] ?? id, socket, numaNode: nodes.get(id) ?? 0, uncoreCache });
  }
  return cpus;
}

async function numaNodes(root: string): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  for (const name of await readdir(join(root, "node")).catch(() => [])) {
    const node = /^node(\d{1,5})$/.exec(name)?.[1];
    if (node === undefined) continue;
    const list = await readFile(join(root, "node", name, "cpulist"), "utf8").catch(() => "");
    for (const cpu of parseCpuSet(list) ?? []) found.set(cpu, Number(node));
  }
  return found;
}
