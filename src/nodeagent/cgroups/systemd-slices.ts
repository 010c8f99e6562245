// Control groups that systemd makes, as slices. Their limits are told to systemd as properties, so that it does not take back
// what somebody else has written; what it has no property for (huge pages) is written into the tree.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { type CgroupSettings, weightOf } from "./cgroup-settings.ts";
import type { Cgroups } from "./cgroup-tree.ts";

interface SystemdSlicesOptions {
  readonly tree: Cgroups;
  readonly version: 1 | 2;
  /** Runs systemctl. Fails with what it says. */
  readonly systemctl?: (args: readonly string[]) => Promise<void>;
}

export class SystemdSlices implements Cgroups {
  readonly #options: Required<SystemdSlicesOptions>;
  /** What was told last, by path. */
  readonly #told = new Map<string, string>();

  constructor(options: SystemdSlicesOptions) {
    this.#options = { systemctl: runSystemctl, ...options };
  }

  async ensure(path: string, settings: CgroupSettings): Promise<void> {
    const { tree, version, systemctl } = this.#options;
    const properties = sliceProperties(version, settings);
    const told = properties.join(" ");
    if (this.#told.get(path) !== told || !(await tree.exists(path))) {
      await systemctl(["start", unitOf(path)]);
      if (properties.length > 0) await systemctl(["set-property", "--runtime", unitOf(path), ...properties]);
      this.#told.set(path, told);
    }
    await tree.ensure(path, settings);
  }

  async remove(path: string): Promise<void> {
    const { tree, systemctl } = this.#options;
    this.#told.delete(path);
    if (!(await tree.exists(path))) return;
    await systemctl(["stop", unitOf(path)]);
    await tree.remove(path);
  }

  async exists(path: string): Promise<boolean> {
    return await this.#options.tree.exists(path);
  }

  async memory(path: string): ReturnType<Cgroups["memory"]> {
    return await this.#options.tree.memory(path);
  }

  async rootProcesses(): Promise<number[]> {
    return await this.#options.tree.rootProcesses();
  }

  async join(path: string, pid: number): Promise<void> {
    await this.#options.tree.join(path, pid);
  }
}

/** Whether the machine was started by systemd. */
export const hasSystemd = (): boolean => existsSync("/run/systemd/system");

/** "NAME=VALUE" of a unit. */
export function sliceProperties(version: 1 | 2, settings: CgroupSettings): string[] {
  const { cpuShares, cpuQuotaUs, cpuPeriodUs, memoryBytes, minMemoryBytes, maxProcesses } = settings;
  const percent = cpuQuotaUs && cpuPeriodUs ? `${Math.ceil((cpuQuotaUs * 10_000) / cpuPeriodUs) / 100}%` : "";
  const properties: readonly (readonly [string, number | string | undefined])[] = [
    version === 1 ? ["CPUShares", cpuShares] : ["CPUWeight", cpuShares === undefined ? undefined : weightOf(cpuShares)],
    // Nothing behind the sign is no limit.
    ["CPUQuota", cpuPeriodUs === undefined ? undefined : percent],
    ["CPUQuotaPeriodSec", cpuPeriodUs === undefined ? undefined : `${cpuPeriodUs}us`],
    [version === 1 ? "MemoryLimit" : "MemoryMax", memoryBytes],
    ["MemoryMin", version === 1 ? undefined : minMemoryBytes],
    ["TasksMax", maxProcesses],
  ];
  return properties.filter(([, value]) => value !== undefined).map(([name, value]) => `${name}=${value}`);
}

/** The slice is the last part of its path. */
const unitOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const SYSTEMCTL_MS = 10_000;

async function runSystemctl(args: readonly string[]): Promise<void> {
  await promisify(execFile)("systemctl", ["--no-ask-password", ...args], { timeout: SYSTEMCTL_MS });
}
