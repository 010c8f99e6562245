// Which free processors a container gets for itself: whole NUMA nodes and sockets where it needs as many, then whole cores,
// then single threads, those first that leave the fewest of each broken up. Pure: upstream's order of choices.
//
// A machine is a tree of levels: socket, NUMA node, core, thread (the first two swapped where a node spans sockets). Free
// threads are ordered from the top: by how many are free in their socket, then in their node, then in their core, fewest
// first. Whatever is taken, whole groups or single threads, is taken in this order.

import { type CpuSet, cpuSet } from "../config/cpu-set.ts";
import type { Cpu, CpuTopology } from "./cpu-topology.ts";

export interface TakeRules {
  /** Taken first: what the pod has already. */
  readonly preferred?: CpuSet;
  /** One thread of each core before the second of any. */
  readonly spreadsOverCores?: boolean;
  /** Where it can be helped, what shares one last cache. */
  readonly keepsToCaches?: boolean;
}

type Level = "socket" | "numaNode" | "uncoreCache" | "core";

/** Undefined where there are not enough. */
export function takeCpus(
  topology: CpuTopology,
  free: CpuSet,
  count: number,
  { preferred = [], spreadsOverCores = false, keepsToCaches = false }: TakeRules = {},
): CpuSet | undefined {
  if (free.length < count) return undefined;
  const isFree = new Set(free);
  const left = new Map(topology.filter(({ id }) => isFree.has(id)).map((cpu) => [cpu.id, cpu]));
  const taken = new Set<number>();
  const needed = () => count - taken.size;
  const take = (cpus: readonly Cpu[]) => {
    for (const { id } of cpus) {
      taken.add(id);
      left.delete(id);
    }
  };
  const top = topLevels(topology);
  const takeWhole = (level: Level) => {
    const sizes = countBy(topology, level);
    const order = top.includes(level) ? top.slice(0, top.indexOf(level) + 1) : [...top, level];
    for (const group of grouped(inOrder([...left.values()], order), level))
      if (group.length === sizes.get(group[0]![level]) && group.length <= needed()) take(group);
  };

  take([...left.values()].filter(({ id }) => preferred.includes(id)).slice(0, count));
  for (const level of top) takeWhole(level);
  if (keepsToCaches) {
    const caches = grouped(inOrder([...left.values()], [...top, "uncoreCache"]), "uncoreCache");
    takeWhole("uncoreCache");
    const perCore = topology.length / countBy(topology, "core").size;
    for (const cache of caches) {
      const rest = cache.filter(({ id }) => left.has(id));
      if (needed() > 0) take(exactly(rest, needed(), perCore));
    }
  }
  if (!spreadsOverCores) takeWhole("core");
  const order = spreadsOverCores ? top.slice(0, top.indexOf("socket") + 1) : [...top, "core" as const];
  take(inOrder([...left.values()], order).slice(0, needed()));
  return cpuSet(taken);
}

/** What spans the other comes first. */
function topLevels(topology: CpuTopology): readonly Level[] {
  const spansSockets = countBy(topology, "socket").size >= countBy(topology, "numaNode").size;
  return spansSockets ? ["numaNode", "socket"] : ["socket", "numaNode"];
}

function inOrder(free: readonly Cpu[], levels: readonly Level[]): Cpu[] {
  const counts = levels.map((level) => ({ level, count: countBy(free, level) }));
  return [...free].sort((a, b) => {
    for (const { level, count } of counts) {
      const order = count.get(a[level])! - count.get(b[level])! || a[level] - b[level];
      if (order !== 0) return order;
    }
    return a.id - b.id;
  });
}

function countBy(cpus: readonly Cpu[], level: Level): Map<number, number> {
  const counts = new Map<number, number>();
  for (const cpu of cpus) counts.set(cpu[level], (counts.get(cpu[level]) ?? 0) + 1);
  return counts;
}

/** In the order in which they are met. */
function grouped(cpus: readonly Cpu[], level: Level): Cpu[][] {
  const groups = new Map<number, Cpu[]>();
  for (const cpu of cpus) {
    const group = groups.get(cpu[level]);
    if (group === undefined) groups.set(cpu[level], [cpu]);
    else group.push(cpu);
  }
  return [...groups.values()];
}

/** The threads of as many cores as are needed, in their order; none unless they are as many as are needed. */
function exactly(cache: readonly Cpu[], needed: number, perCore: number): readonly Cpu[] {
  const byCore = [...cache].sort((a, b) => a.core - b.core || a.id - b.id);
  const cores = grouped(byCore, "core").slice(0, Math.ceil(needed / perCore));
  const threads = cores.flat().sort((a, b) => a.id - b.id);
  // Half of the last core is enough for an odd number.
  if (perCore > 1 && needed % 2 !== 0 && threads.length > needed) threads.pop();
  return threads.length === needed ? threads : [];
}
