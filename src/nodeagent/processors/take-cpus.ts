// Which free processors a container gets for itself: whole sockets where it needs as many, then whole cores, then single
// threads, those first that leave the fewest cores broken up. Pure.

import { type CpuSet, cpuSet } from "../config/cpu-set.ts";
import type { Cpu, CpuTopology } from "./cpu-topology.ts";

/** Undefined where there are not enough. `preferred` are taken first: what the pod has already. */
export function takeCpus(
  topology: CpuTopology,
  free: CpuSet,
  count: number,
  preferred: CpuSet = [],
): CpuSet | undefined {
  if (free.length < count) return undefined;
  const taken = new Set<number>();
  const isFree = new Set(free);
  const take = (cpus: readonly Cpu[]) => {
    for (const { id } of cpus) taken.add(id);
  };
  const left = () => count - taken.size;
  take(topology.filter(({ id }) => isFree.has(id) && preferred.includes(id)).slice(0, count));

  for (const by of ["socket", "numaNode", "core"] as const) {
    for (const group of groups(topology, by, isFree, taken)) {
      const isWhole = group.free.length === group.size;
      if (isWhole && group.size <= left()) take(group.free);
    }
  }
  // Single threads from cores that are broken up already, so that whole ones stay whole.
  const open = groups(topology, "core", isFree, taken).sort(
    (a, b) => a.free.length - b.free.length || a.free[0]!.id - b.free[0]!.id,
  );
  for (const { free: threads } of open) take(threads.slice(0, left()));
  return cpuSet(taken);
}

interface Group {
  readonly size: number;
  readonly free: readonly Cpu[];
}

/** The groups with something free, those with the least first: what is begun is used up. */
function groups(
  topology: CpuTopology,
  by: "socket" | "numaNode" | "core",
  isFree: ReadonlySet<number>,
  taken: ReadonlySet<number>,
): Group[] {
  const found = new Map<number, { size: number; free: Cpu[] }>();
  const freeInSocket = new Map<number, number>();
  for (const cpu of topology) {
    const group = found.get(cpu[by]) ?? { size: 0, free: [] };
    group.size += 1;
    if (isFree.has(cpu.id) && !taken.has(cpu.id)) {
      group.free.push(cpu);
      freeInSocket.set(cpu.socket, (freeInSocket.get(cpu.socket) ?? 0) + 1);
    }
    found.set(cpu[by], group);
  }
  return [...found.values()]
    .filter(({ free }) => free.length > 0)
    .sort((a, b) => {
      const [mine, other] = [a.free[0]!, b.free[0]!];
      return (freeInSocket.get(mine.socket) ?? 0) - (freeInSocket.get(other.socket) ?? 0) || mine.id - other.id;
    });
}
