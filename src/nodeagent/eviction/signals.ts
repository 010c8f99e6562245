// What the node may run short of: signals as they were measured, and the thresholds that they are held against. Pure.
// Requirements: document 3, "Node status fields" (DiskPressure, MemoryPressure, PIDPressure).

import { durationMs } from "../../meta/duration.ts";
import type { NodeAgentConfiguration } from "../config/configuration.ts";
import { EVICTION_SIGNALS, type EvictionSignal, parseThreshold, type Threshold } from "../config/eviction-threshold.ts";
import type { Pressure } from "../node/conditions.ts";
import type { FilesystemFacts, MachineFacts } from "../node/machine.ts";

export interface EvictionThreshold {
  readonly signal: EvictionSignal;
  readonly value: Threshold;
  /** A hard one is acted on at once, and pods get next to no time. */
  readonly isHard: boolean;
  /** How long it must have been met before it is acted on. */
  readonly graceMs: number;
  /** Once it was met, so much more than the threshold must be available before it counts as over. */
  readonly minReclaim: Threshold | undefined;
}

/** Of one signal, in bytes or pieces. */
export interface Observation {
  readonly available: number;
  readonly capacity: number;
}

export type Observations = ReadonlyMap<EvictionSignal, Observation>;

export type EvictionConfig = Pick<
  NodeAgentConfiguration,
  "evictionHard" | "evictionSoft" | "evictionSoftGracePeriod" | "evictionMinimumReclaim" | "enforceNodeAllocatable"
>;

export function thresholdsOf(config: EvictionConfig): EvictionThreshold[] {
  const read = (texts: Readonly<Record<string, string>>, signal: string) =>
    Object.hasOwn(texts, signal) ? parseThreshold(texts[signal]!) : undefined;
  const found: EvictionThreshold[] = [];
  for (const signal of EVICTION_SIGNALS) {
    const minReclaim = read(config.evictionMinimumReclaim, signal);
    const hard = read(config.evictionHard, signal);
    const soft = read(config.evictionSoft, signal);
    const graceMs = durationMs(config.evictionSoftGracePeriod[signal] ?? "0s") ?? 0;
    if (counts(hard)) found.push({ signal, value: hard, isHard: true, graceMs: 0, minReclaim });
    if (counts(soft)) found.push({ signal, value: soft, isHard: false, graceMs, minReclaim });
  }
  return [...found, ...forPodsTogether(found, config)];
}

/** Shares of nothing and of everything are how a signal is switched off. */
function counts(threshold: Threshold | undefined): threshold is Threshold {
  return threshold !== undefined && !("share" in threshold && (threshold.share === 0 || threshold.share === 1));
}

/** Where pods together are held to what they may use, they may run short of that before the machine does. */
function forPodsTogether(found: readonly EvictionThreshold[], config: EvictionConfig): EvictionThreshold[] {
  if (!config.enforceNodeAllocatable.includes("pods")) return [];
  if (found.some(({ signal }) => signal === "allocatableMemory.available")) return [];
  return found
    .filter(({ signal, isHard }) => signal === "memory.available" && isHard)
    .map((threshold) => ({ ...threshold, signal: "allocatableMemory.available" }));
}

/** `podsMemory` is what is left of the memory that pods may use together, where that is enforced. */
export function observationsOf(machine: MachineFacts, podsMemory?: Observation): Observations {
  const images = machine.imageFilesystem ?? machine.rootFilesystem;
  const all = new Map<EvictionSignal, Observation>([
    ["memory.available", { available: machine.memoryAvailableBytes, capacity: machine.memoryBytes }],
    ["pid.available", { available: machine.maxProcesses - machine.processes, capacity: machine.maxProcesses }],
    ["nodefs.available", space(machine.rootFilesystem)],
    ["nodefs.inodesFree", inodes(machine.rootFilesystem)],
    ["imagefs.available", space(images)],
    ["imagefs.inodesFree", inodes(images)],
    ["containerfs.available", space(images)],
    ["containerfs.inodesFree", inodes(images)],
  ]);
  if (podsMemory !== undefined) all.set("allocatableMemory.available", podsMemory);
  // What cannot be measured is not scarce.
  return new Map([...all].filter(([, { capacity }]) => capacity > 0));
}

const space = (facts: FilesystemFacts): Observation => ({
  available: facts.availableBytes,
  capacity: facts.totalBytes,
});

const inodes = (facts: FilesystemFacts): Observation => ({ available: facts.inodesFree, capacity: facts.inodes });

/** Those that are met; with `reclaiming` those that were and are not yet over. */
export function metThresholds(
  thresholds: readonly EvictionThreshold[],
  observations: Observations,
  { reclaiming }: { readonly reclaiming: boolean } = { reclaiming: false },
): EvictionThreshold[] {
  return thresholds.filter(({ signal, value, minReclaim }) => {
    const observed = observations.get(signal);
    if (observed === undefined) return false;
    const more = reclaiming && minReclaim !== undefined ? amountOf(minReclaim, observed.capacity) : 0;
    return observed.available < amountOf(value, observed.capacity) + more;
  });
}

export function amountOf(threshold: Threshold, capacity: number): number {
  return "share" in threshold ? threshold.share * capacity : threshold.amount;
}

export function pressureOf(signal: EvictionSignal): Pressure {
  if (signal === "pid.available") return "pid";
  return isMemorySignal(signal) ? "memory" : "disk";
}

/** As it is called in events and messages. */
export type ScarceResource = "memory" | "ephemeral-storage" | "inodes" | "pids";

export function resourceOf(signal: EvictionSignal): ScarceResource {
  if (signal === "pid.available") return "pids";
  if (isMemorySignal(signal)) return "memory";
  return signal.endsWith(".inodesFree") ? "inodes" : "ephemeral-storage";
}

const isMemorySignal = (signal: EvictionSignal): boolean =>
  signal === "memory.available" || signal === "allocatableMemory.available";
