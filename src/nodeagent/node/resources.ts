// What the node has and what of it pods may use. Requirements: document 3, "Node status fields" (capacity, allocatable).

import {
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityOfInt,
  quantitySign,
  subtractQuantities,
} from "../../meta/quantity.ts";
import type { NodeAgentConfiguration } from "../config/configuration.ts";
import { parseCpuSet } from "../config/cpu-set.ts";
import { parseThreshold } from "../config/eviction-threshold.ts";
import type { MachineFacts } from "./machine.ts";
import { pageSizeBytes } from "./page-size.ts";

export type ResourceList = Readonly<Record<string, string>>;

interface NodeResources {
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
}

type Config = Pick<
  NodeAgentConfiguration,
  | "maxPods"
  | "podsPerCore"
  | "systemReserved"
  | "kubeReserved"
  | "reservedSystemCPUs"
  | "evictionHard"
  | "localStorageCapacityIsolation"
>;

export function nodeResources(machine: MachineFacts, config: Config): NodeResources {
  const capacity = new Map<string, Quantity>([
    ["cpu", quantityOfInt(machine.cpus)],
    ["memory", kibibytes(machine.memoryBytes)],
    ["pods", quantityOfInt(maxPods(machine.cpus, config))],
    ...machine.hugePages.map(({ size, count }): [string, Quantity] => [
      `hugepages-${size}`,
      quantityOfInt(count * pageSizeBytes(size), "BinarySI"),
    ]),
  ]);
  if (config.localStorageCapacityIsolation)
    capacity.set("ephemeral-storage", kibibytes(machine.rootFilesystem.totalBytes));
  const allocatable = new Map<string, Quantity>();
  for (const [name, total] of capacity) allocatable.set(name, withoutReserved(name, total, machine, config));
  return { capacity: asTexts(capacity), allocatable: asTexts(allocatable) };
}

function withoutReserved(name: string, total: Quantity, machine: MachineFacts, config: Config): Quantity {
  const reserved = reservedOf(name, config)
    .filter((text) => text !== undefined)
    .map((text) => parseQuantity(text))
    .filter((quantity) => quantity !== undefined);
  // Memory in huge pages is no memory for anything else.
  const kept = evictionReserve(name, machine, config) + (name === "memory" ? hugePageBytes(machine) : 0);
  const left = [...reserved, ...(kept > 0 ? [quantityOfInt(kept, "BinarySI")] : [])].reduce(subtractQuantities, total);
  return quantitySign(left) < 0 ? quantityOfInt(0) : left;
}

/** Processors that are named for the system take the place of an amount. */
function reservedOf(name: string, { systemReserved, kubeReserved, reservedSystemCPUs }: Config) {
  const named = name === "cpu" && reservedSystemCPUs ? parseCpuSet(reservedSystemCPUs) : undefined;
  return named === undefined ? [systemReserved[name], kubeReserved[name]] : [String(named.length)];
}

/** What the threshold of eviction keeps free is no use to pods. */
function evictionReserve(name: string, machine: MachineFacts, { evictionHard }: Config): number {
  const signals: Readonly<Record<string, readonly [string, number]>> = {
    memory: ["memory.available", machine.memoryBytes],
    "ephemeral-storage": ["nodefs.available", machine.rootFilesystem.totalBytes],
  };
  const signal = Object.hasOwn(signals, name) ? signals[name] : undefined;
  const text = signal === undefined ? undefined : evictionHard[signal[0]];
  const threshold = text === undefined ? undefined : parseThreshold(text);
  if (signal === undefined || threshold === undefined) return 0;
  return Math.ceil("share" in threshold ? threshold.share * signal[1] : threshold.amount);
}

function hugePageBytes({ hugePages }: MachineFacts): number {
  return hugePages.reduce((sum, { size, count }) => sum + count * pageSizeBytes(size), 0);
}

function maxPods(cpus: number, { maxPods: most, podsPerCore }: Config): number {
  return podsPerCore > 0 ? Math.min(most, podsPerCore * cpus) : most;
}

function kibibytes(bytes: number): Quantity {
  return quantityOfInt(Math.floor(bytes / 1024) * 1024, "BinarySI");
}

function asTexts(quantities: ReadonlyMap<string, Quantity>): ResourceList {
  return Object.fromEntries([...quantities].map(([name, quantity]) => [name, formatQuantity(quantity)]));
}
