// Whether the node is short of memory, disk or processes: what was measured against the thresholds of eviction. A pressure
// that ended is reported until the transition period is over, so that it does not flicker. Pure.

import type { NodeAgentConfiguration } from "../config/configuration.ts";
import { parseThreshold } from "../config/eviction-threshold.ts";
import type { FilesystemFacts, MachineFacts } from "./machine.ts";

export type Pressure = "memory" | "disk" | "pid";

/** When each pressure was last seen, on the monotonic clock. */
export type PressureHistory = ReadonlyMap<Pressure, number>;

type Config = Pick<NodeAgentConfiguration, "evictionHard" | "evictionSoft" | "evictionPressureTransitionPeriodMs">;

/** The pressures that a threshold shows right now. */
export function pressuresNow(machine: MachineFacts, config: Config): ReadonlySet<Pressure> {
  const signals = signalsOf(machine);
  const found = new Set<Pressure>();
  for (const thresholds of [config.evictionHard, config.evictionSoft]) {
    for (const [name, text] of Object.entries(thresholds)) {
      const signal = signals.get(name);
      const threshold = parseThreshold(text);
      if (signal === undefined || threshold === undefined || signal.total === 0) continue;
      const limit = "share" in threshold ? threshold.share * signal.total : threshold.amount;
      if (signal.available < limit) found.add(signal.pressure);
    }
  }
  return found;
}

export function notePressures(history: PressureHistory, now: ReadonlySet<Pressure>, nowMs: number): PressureHistory {
  return new Map([...history, ...[...now].map((pressure): [Pressure, number] => [pressure, nowMs])]);
}

/** Those that are reported: seen now, or within the transition period. */
export function reportedPressures(
  history: PressureHistory,
  nowMs: number,
  transitionMs: number,
): ReadonlySet<Pressure> {
  const isRecent = ([, seenMs]: readonly [Pressure, number]) => seenMs === nowMs || nowMs - seenMs < transitionMs;
  return new Set([...history].filter(isRecent).map(([pressure]) => pressure));
}

interface Signal {
  readonly pressure: Pressure;
  readonly available: number;
  readonly total: number;
}

function signalsOf(machine: MachineFacts): ReadonlyMap<string, Signal> {
  const signals = new Map<string, Signal>([
    ["memory.available", { pressure: "memory", available: machine.memoryAvailableBytes, total: machine.memoryBytes }],
    [
      "pid.available",
      { pressure: "pid", available: machine.maxProcesses - machine.processes, total: machine.maxProcesses },
    ],
  ]);
  addFilesystem(signals, "nodefs", machine.rootFilesystem);
  addFilesystem(signals, "imagefs", machine.imageFilesystem ?? machine.rootFilesystem);
  addFilesystem(signals, "containerfs", machine.imageFilesystem ?? machine.rootFilesystem);
  return signals;
}

function addFilesystem(signals: Map<string, Signal>, name: string, facts: FilesystemFacts): void {
  signals.set(`${name}.available`, { pressure: "disk", available: facts.availableBytes, total: facts.totalBytes });
  signals.set(`${name}.inodesFree`, { pressure: "disk", available: facts.inodesFree, total: facts.inodes });
}
