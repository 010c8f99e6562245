// What this machine is and has, measured: from /proc, /sys and the file systems. Nothing here fails for a file that is
// missing or not readable: what is not known is empty or 0.

import { readdir, readFile, stat, statfs } from "node:fs/promises";
import { arch, availableParallelism, hostname, networkInterfaces, release } from "node:os";
import { pageSizeName } from "./page-size.ts";

export interface MachineFacts {
  readonly kernelVersion: string;
  readonly osImage: string;
  readonly architecture: string;
  readonly machineId: string;
  readonly systemUuid: string;
  readonly bootId: string;
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly memoryAvailableBytes: number;
  readonly swapBytes: number;
  /** By the size of the page as resources spell it: "2Mi". */
  readonly hugePages: readonly { readonly size: string; readonly count: number }[];
  readonly maxProcesses: number;
  readonly processes: number;
  /** The file system of the agent's own folder. */
  readonly rootFilesystem: FilesystemFacts;
  /** That of the images; undefined when the runtime does not tell where it is, or it is the same one. */
  readonly imageFilesystem: FilesystemFacts | undefined;
  readonly interfaces: readonly InterfaceAddress[];
  /** The interfaces of default routes, the best first. */
  readonly defaultRouteInterfaces: readonly string[];
}

export interface FilesystemFacts {
  readonly totalBytes: number;
  readonly availableBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
}

export interface InterfaceAddress {
  readonly name: string;
  readonly address: string;
  readonly family: 4 | 6;
}

export async function measureMachine(rootDir: string, imageFolder: string | undefined): Promise<MachineFacts> {
  const [memory, swaps, osRelease, machineId, systemUuid, bootId, pidMax, threadsMax, loadavg, routes] =
    await Promise.all([
      text("/proc/meminfo"),
      text("/proc/swaps"),
      text("/etc/os-release"),
      text("/etc/machine-id"),
      text("/sys/class/dmi/id/product_uuid"),
      text("/proc/sys/kernel/random/boot_id"),
      text("/proc/sys/kernel/pid_max"),
      text("/proc/sys/kernel/threads-max"),
      text("/proc/loadavg"),
      text("/proc/net/route"),
    ]);
  const meminfo = parseMeminfo(memory);
  const rootFilesystem = await measureFilesystem(rootDir);
  return {
    kernelVersion: release(),
    osImage: parseOsRelease(osRelease),
    architecture: ARCHITECTURES[arch()] ?? arch(),
    machineId: machineId.trim(),
    systemUuid: systemUuid.trim() || machineId.trim(),
    bootId: bootId.trim(),
    cpus: availableParallelism(),
    memoryBytes: meminfo.get("MemTotal") ?? 0,
    memoryAvailableBytes: meminfo.get("MemAvailable") ?? 0,
    swapBytes: parseSwaps(swaps),
    hugePages: await measureHugePages(),
    maxProcesses: processLimit(pidMax, threadsMax),
    processes: Number(/\d+\/(\d+)/.exec(loadavg)?.[1] ?? 0),
    rootFilesystem,
    imageFilesystem: await measureOther(imageFolder, rootDir),
    interfaces: addresses(),
    defaultRouteInterfaces: parseDefaultRoutes(routes),
  };
}

export const machineHostname = (): string => hostname();

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };

async function text(path: string): Promise<string> {
  return await readFile(path, "utf8").catch(() => "");
}

async function measureFilesystem(path: string): Promise<FilesystemFacts> {
  const facts = await statfs(path).catch(() => undefined);
  if (facts === undefined) return { totalBytes: 0, availableBytes: 0, inodes: 0, inodesFree: 0 };
  return {
    totalBytes: facts.blocks * facts.bsize,
    availableBytes: facts.bavail * facts.bsize,
    inodes: facts.files,
    inodesFree: facts.ffree,
  };
}

/** Undefined where it is the same file system as the first one. */
async function measureOther(folder: string | undefined, first: string): Promise<FilesystemFacts | undefined> {
  if (folder === undefined) return undefined;
  const [one, other] = await Promise.all([stat(first), stat(folder)]).catch(() => []);
  return one === undefined || one.dev === other?.dev ? undefined : await measureFilesystem(folder);
}

function addresses(): InterfaceAddress[] {
  return Object.entries(networkInterfaces()).flatMap(([name, list = []]) =>
    list.map(({ address, family }) => ({ name, address, family: family === "IPv6" ? (6 as const) : (4 as const) })),
  );
}

/** "MemTotal:  16384 kB" is bytes; lines without a unit are numbers. */
export function parseMeminfo(content: string): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const line of content.split("\n")) {
    const match = /^([^:]{1,64}):\s*(\d{1,15})( kB)?$/.exec(line);
    if (match !== null) values.set(match[1]!, Number(match[2]) * (match[3] === undefined ? 1 : 1024));
  }
  return values;
}

/** The kernel holds processes to both; 0 where it says nothing. */
export function processLimit(pidMax: string, threadsMax: string): number {
  const [processes, threads] = [Number(pidMax.trim()) || 0, Number(threadsMax.trim()) || 0];
  return processes === 0 || threads === 0 ? Math.max(processes, threads) : Math.min(processes, threads);
}

/** The sum of all swap space, in bytes. */
export function parseSwaps(content: string): number {
  const rows = content.split("\n").slice(1);
  return rows.reduce((sum, row) => sum + (Number(row.split(/\s+/)[2] ?? 0) || 0) * 1024, 0);
}

export function parseOsRelease(content: string): string {
  return /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(content)?.[1] ?? "Linux";
}

/** Interfaces of routes to everywhere, the smallest metric first: destination and mask are 0. */
export function parseDefaultRoutes(content: string): string[] {
  return content
    .split("\n")
    .slice(1)
    .map((line) => line.split(/\s+/))
    .filter((columns) => columns[1] === "00000000" && columns[7] === "00000000")
    .sort((a, b) => Number(a[6]) - Number(b[6]))
    .map((columns) => columns[0]!);
}

const HUGE_PAGES = "/sys/kernel/mm/hugepages";

/** Of every size that the kernel has, and of the two that clusters count. */
async function measureHugePages(): Promise<MachineFacts["hugePages"]> {
  const found = new Map([
    ["1Gi", 0],
    ["2Mi", 0],
  ]);
  for (const name of (await readdir(HUGE_PAGES).catch(() => [])).sort()) {
    const kibibytes = Number(/^hugepages-(\d{1,9})kB$/.exec(name)?.[1] ?? 0);
    if (kibibytes > 0)
      found.set(pageSizeName(kibibytes * 1024), Number(await text(`${HUGE_PAGES}/${name}/nr_hugepages`)) || 0);
  }
  return [...found].map(([size, count]) => ({ size, count }));
}
