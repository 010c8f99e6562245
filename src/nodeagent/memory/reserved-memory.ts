// How much memory of each NUMA node is kept for the system. Pure.

import { StartError } from "../../base/start-error.ts";
import type { NodeAgentConfiguration } from "../config/configuration.ts";
import { parseThreshold } from "../config/eviction-threshold.ts";
import { bytesOf } from "../containers/linux-resources.ts";

export type MemoryReservations = Pick<
  NodeAgentConfiguration,
  "reservedMemory" | "systemReserved" | "kubeReserved" | "evictionHard"
>;

/** Bytes by node and resource. */
export function reservedBytes({ reservedMemory }: MemoryReservations): (node: number, resource: string) => number {
  return (node, resource) =>
    reservedMemory.reduce(
      (sum, { numaNode, limits }) =>
        sum + (numaNode === node && Object.hasOwn(limits, resource) ? bytesOf(limits[resource]) : 0),
      0,
    );
}

/**
 * Fails with StartError where the nodes do not keep as much together as the node as a whole keeps from pods: else pods
 * would be sent here for which there is no memory.
 */
export function checkReservedMemory(
  config: MemoryReservations,
  machine: { readonly memoryBytes: number; readonly nodes: readonly number[] },
): void {
  const { reservedMemory, systemReserved, kubeReserved, evictionHard } = config;
  const unknown = reservedMemory.find(({ numaNode }) => !machine.nodes.includes(numaNode));
  if (unknown !== undefined) throw new StartError(`reservedMemory: the machine has no NUMA node ${unknown.numaNode}`);
  const resources = new Set(["memory", ...reservedMemory.flatMap(({ limits }) => Object.keys(limits))]);
  const of = reservedBytes(config);
  for (const resource of resources) {
    const sum = machine.nodes.reduce((total, node) => total + of(node, resource), 0);
    const kept = bytesOf(systemReserved[resource]) + bytesOf(kubeReserved[resource]);
    const expected =
      kept + (resource === "memory" ? evictionBytes(evictionHard["memory.available"], machine.memoryBytes) : 0);
    if (resource === "memory" && sum === 0)
      throw new StartError("memoryManagerPolicy: Static needs memory for the system: set reservedMemory");
    if (sum !== expected)
      throw new StartError(
        `reservedMemory: the total amount "${sum}" of type "${resource}" is not equal to the value "${expected}" determined by Node Allocatable feature`,
      );
  }
}

function evictionBytes(text: string | undefined, memoryBytes: number): number {
  const threshold = text === undefined ? undefined : parseThreshold(text);
  if (threshold === undefined) return 0;
  return Math.ceil("share" in threshold ? threshold.share * memoryBytes : threshold.amount);
}
