// What the machine uses, from the kernel's counters.

import { readFile } from "node:fs/promises";

export interface NodeUsage {
  readonly timeMs: number;
  readonly cpuNanoseconds: number;
  /** Over the time since the last look; undefined at the first one. */
  readonly cpuNanoCores: number | undefined;
  readonly memoryUsedBytes: number;
  /** Without caches that can be dropped at once. */
  readonly memoryWorkingSetBytes: number;
  /** Of processes, without files. */
  readonly memoryRssBytes: number;
  /** Since the machine started. */
  readonly pageFaults: number;
  readonly majorPageFaults: number;
  /** By resource: cpu, memory, io. Undefined where the kernel has no pressure stall information. */
  readonly pressure: Readonly<Partial<Record<PressureResource, PressureStall>>>;
  readonly network: readonly InterfaceUsage[];
}

const PRESSURE_RESOURCES = ["cpu", "memory", "io"] as const;
type PressureResource = (typeof PRESSURE_RESOURCES)[number];

export interface PressureStall {
  readonly some: PressureData;
  readonly full: PressureData;
}

interface PressureData {
  readonly total: number;
  readonly avg10: number;
  readonly avg60: number;
  readonly avg300: number;
}

interface InterfaceUsage {
  readonly name: string;
  readonly rxBytes: number;
  readonly rxErrors: number;
  readonly txBytes: number;
  readonly txErrors: number;
}

/** Of the counters in /proc/stat. */
const NANOSECONDS_PER_TICK = 1e7;

export async function measureUsage(
  memory: { readonly totalBytes: number; readonly availableBytes: number },
  nowMs: number,
  last: NodeUsage | undefined,
): Promise<NodeUsage> {
  const [stat, net, meminfo, vmstat, ...pressures] = await Promise.all([
    text("/proc/stat"),
    text("/proc/net/dev"),
    text("/proc/meminfo"),
    text("/proc/vmstat"),
    ...PRESSURE_RESOURCES.map((resource) => text(`/proc/pressure/${resource}`)),
  ]);
  const cpuNanoseconds = parseCpuTicks(stat) * NANOSECONDS_PER_TICK;
  const passedMs = last === undefined ? 0 : nowMs - last.timeMs;
  const found = PRESSURE_RESOURCES.map((resource, index) => [resource, parsePressure(pressures[index] ?? "")] as const);
  const used = memory.totalBytes - memory.availableBytes;
  return {
    timeMs: nowMs,
    cpuNanoseconds,
    cpuNanoCores:
      last === undefined || passedMs <= 0
        ? undefined
        : Math.round((cpuNanoseconds - last.cpuNanoseconds) / (passedMs / 1_000)),
    memoryUsedBytes: used,
    memoryWorkingSetBytes: used,
    memoryRssBytes: numberAfter(meminfo, "AnonPages:") * 1024,
    pageFaults: numberAfter(vmstat, "pgfault"),
    majorPageFaults: numberAfter(vmstat, "pgmajfault"),
    pressure: Object.fromEntries(found.filter(([, stall]) => stall !== undefined)),
    network: parseNetDev(net),
  };
}

async function text(path: string): Promise<string> {
  return await readFile(path, "utf8").catch(() => "");
}

/** Of a line that begins with a word and goes on with a number; 0 where there is none. */
function numberAfter(lines: string, word: string): number {
  return Number(new RegExp(`^${word}\\s+(\\d+)`, "m").exec(lines)?.[1] ?? 0);
}

/** User, nice, system, irq, softirq, steal; not idle and waiting for disks. */
function parseCpuTicks(stat: string): number {
  const [, user, nice, system, , , irq, softirq, steal] = (/^cpu .*$/m.exec(stat)?.[0] ?? "").split(/\s+/).map(Number);
  return [user, nice, system, irq, softirq, steal].reduce((sum: number, each) => sum + (each || 0), 0);
}

/** "some avg10=0.00 avg60=0.00 avg300=0.00 total=1234" and the same for full; the total is in microseconds. */
function parsePressure(content: string): PressureStall | undefined {
  const line = (kind: string): PressureData | undefined => {
    const match = new RegExp(`^${kind} avg10=(\\S+) avg60=(\\S+) avg300=(\\S+) total=(\\d+)$`, "m").exec(content);
    if (match === null) return undefined;
    const [, avg10, avg60, avg300, total] = match.map(Number);
    return { avg10: avg10 ?? 0, avg60: avg60 ?? 0, avg300: avg300 ?? 0, total: total ?? 0 };
  };
  const some = line("some");
  if (some === undefined) return undefined;
  return { some, full: line("full") ?? { avg10: 0, avg60: 0, avg300: 0, total: 0 } };
}

function parseNetDev(content: string): InterfaceUsage[] {
  return content.split("\n").flatMap((line) => {
    const match = /^\s*([^:\s]+):\s*(.+)$/.exec(line);
    if (match === null || match[1] === "lo") return [];
    const columns = match[2]!.trim().split(/\s+/).map(Number);
    const at = (index: number) => columns[index] ?? 0;
    return [{ name: match[1]!, rxBytes: at(0), rxErrors: at(2), txBytes: at(8), txErrors: at(10) }];
  });
}
