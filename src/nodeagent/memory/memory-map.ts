// How much memory each NUMA node has, and who has it: upstream's rules of the memory manager's static policy. What a node
// has left follows from the blocks that containers have, so that nothing can go out of step. Pure.

import type { NumaHint } from "../topology/merge-hints.ts";
import { countOf, everyMask, isNarrower, maskOf, type NumaMask, nodesOf } from "../topology/numa-mask.ts";
import type { NumaNode } from "../topology/numa-nodes.ts";

/** Bytes of one sort of memory of one node. */
export interface MemoryTable {
  readonly total: number;
  readonly systemReserved: number;
  readonly allocatable: number;
  readonly reserved: number;
  readonly free: number;
}

export interface NodeMemory {
  readonly numberOfAssignments: number;
  /** By resource: "memory", "hugepages-2Mi". */
  readonly memoryMap: ReadonlyMap<string, MemoryTable>;
  /** The nodes that it lends memory together with, itself among them. */
  readonly cells: readonly number[];
}

/** By the number of the node. */
export type MemoryMap = ReadonlyMap<number, NodeMemory>;

/** What a container has. */
export interface MemoryBlock {
  readonly numaAffinity: readonly number[];
  readonly type: string;
  readonly size: number;
}

/** By the uid of the pod, and by container. */
export type MemoryAssignments = ReadonlyMap<string, ReadonlyMap<string, readonly MemoryBlock[]>>;

/** Bytes that a container asks for, by resource. */
export type MemoryNeeds = ReadonlyMap<string, number>;

/** With nothing given away. `reserved` is kept for the system: bytes by node and resource. */
export function emptyMap(nodes: readonly NumaNode[], reserved: (node: number, resource: string) => number): MemoryMap {
  return new Map(
    nodes.map(({ id, memoryBytes, hugePages }) => {
      const inPages = [...hugePages.values()].reduce((sum, bytes) => sum + bytes, 0);
      const table = (resource: string, total: number, usable: number): [string, MemoryTable] => {
        const systemReserved = reserved(id, resource);
        const allocatable = Math.max(usable - systemReserved, 0);
        return [resource, { total, systemReserved, allocatable, reserved: 0, free: allocatable }];
      };
      const memoryMap = new Map([
        ...[...hugePages].map(([resource, bytes]) => table(resource, bytes, bytes)),
        table("memory", memoryBytes, memoryBytes - inPages),
      ]);
      return [id, { numberOfAssignments: 0, memoryMap, cells: [id] }];
    }),
  );
}

/** Undefined where a block names a node or a sort of memory that there is not. */
export function withAssignments(empty: MemoryMap, assignments: MemoryAssignments): MemoryMap | undefined {
  let map: MemoryMap | undefined = empty;
  for (const containers of assignments.values())
    for (const blocks of containers.values()) for (const block of blocks) map = map && withBlock(map, block);
  return map;
}

/** Each node of the block gives what it has until the block is full. */
function withBlock(map: MemoryMap, { numaAffinity, type, size }: MemoryBlock): MemoryMap | undefined {
  const changed = new Map(map);
  let left = size;
  for (const id of numaAffinity) {
    const node = map.get(id);
    const table = node?.memoryMap.get(type);
    if (node === undefined || table === undefined) return undefined;
    const given = Math.min(left, table.free);
    left -= given;
    const memoryMap = new Map(node.memoryMap);
    memoryMap.set(type, { ...table, reserved: table.reserved + given, free: table.free - given });
    changed.set(id, { numberOfAssignments: node.numberOfAssignments + 1, memoryMap, cells: numaAffinity });
  }
  return changed;
}

/**
 * Where the needs could be met; the same for each sort of memory. `reusable` is what the pod has there already and does not
 * need any more.
 */
export function memoryHints(
  map: MemoryMap,
  needs: MemoryNeeds,
  reusable: (mask: NumaMask, resource: string) => number,
): NumaHint[] {
  const nodes = [...map.keys()].sort((a, b) => a - b);
  let fewest = nodes.length;
  const masks: NumaMask[] = [];
  for (const mask of everyMask(nodes)) {
    const sum = (field: "allocatable" | "free", resource: string) =>
      nodesOf(mask).reduce((total, id) => total + (map.get(id)?.memoryMap.get(resource)?.[field] ?? 0), 0);
    if ([...needs].some(([resource, bytes]) => sum("allocatable", resource) < bytes)) continue;
    fewest = Math.min(fewest, countOf(mask));
    if (!keepsGroups(map, mask)) continue;
    if ([...needs].some(([resource, bytes]) => sum("free", resource) + reusable(mask, resource) < bytes)) continue;
    masks.push(mask);
  }
  return masks.map((mask) => ({ mask, isPreferred: countOf(mask) === fewest }));
}

/** A node lends memory alone, or always together with the same others. */
function keepsGroups(map: MemoryMap, mask: NumaMask): boolean {
  const isAlone = countOf(mask) === 1;
  return nodesOf(mask).every((id) => {
    const node = map.get(id);
    if (node === undefined) return false;
    if (isAlone) return node.cells.length === 1;
    return node.numberOfAssignments === 0 || maskOf(node.cells) === mask;
  });
}

/**
 * The nodes that a container gets its memory from: those that it is put near, or more where these are not enough. Fails
 * with the reason why there are none.
 */
export function chooseNodes(
  map: MemoryMap,
  needs: MemoryNeeds,
  wanted: NumaMask | undefined,
  reusable: (mask: NumaMask, resource: string) => number,
): NumaMask {
  const hints = memoryHints(map, needs, reusable);
  const fitting = hints.filter(({ mask = 0 }) => wanted === undefined || (mask & wanted) === wanted);
  const [first, ...others] = fitting;
  if (first === undefined)
    throw new Error(
      wanted === undefined
        ? "[memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available"
        : "[memorymanager] failed to find NUMA nodes to extend the current topology hint",
    );
  const best = others.reduce((one, other) => (isBetter(other, one) ? other : one), first);
  return best.mask ?? 0;
}

function isBetter(one: NumaHint, other: NumaHint): boolean {
  if (one.isPreferred !== other.isPreferred) return one.isPreferred;
  return isNarrower(one.mask ?? 0, other.mask ?? 0);
}

/** Whether a file tells of the same machine: how groups of nodes share what they gave away does not matter. */
export function isSameMap(one: MemoryMap, other: MemoryMap): boolean {
  return (
    one.size === other.size &&
    [...one].every(([id, node]) => {
      const twin = other.get(id);
      if (twin === undefined || twin.memoryMap.size !== node.memoryMap.size) return false;
      if (twin.numberOfAssignments !== node.numberOfAssignments) return false;
      if (maskOf(twin.cells) !== maskOf(node.cells)) return false;
      const sum = (map: MemoryMap, resource: string, field: "free" | "reserved") =>
        node.cells.reduce((total, cell) => total + (map.get(cell)?.memoryMap.get(resource)?.[field] ?? 0), 0);
      return [...node.memoryMap].every(([resource, table]) => {
        const same = twin.memoryMap.get(resource);
        return (
          same !== undefined &&
          (["total", "systemReserved", "allocatable"] as const).every((field) => same[field] === table[field]) &&
          (["free", "reserved"] as const).every((field) => sum(one, resource, field) === sum(other, resource, field))
        );
      });
    })
  );
}
