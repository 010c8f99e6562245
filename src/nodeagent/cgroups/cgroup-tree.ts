// The kernel's tree of control groups, as directories and files: one tree in version 2, one for each controller in version 1.

import { mkdir, readdir, readFile, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CgroupOperation } from "./cgroup-metrics.ts";
import { type CgroupSettings, cgroupFiles } from "./cgroup-settings.ts";

/** What the agent does with control groups. Paths begin at the root of the tree. */
export interface Cgroups {
  /** Makes the group, with all above it, and tells it what differs from the last time. Fails with what the kernel says. */
  ensure(path: string, settings: CgroupSettings): Promise<void>;
  /** Removes the group with all below it, and ends what runs there. Fails while something still does. */
  remove(path: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  /** What the group uses and is allowed of memory; undefined without a limit. */
  memory(path: string): Promise<{ readonly usedBytes: number; readonly limitBytes: number } | undefined>;
  /** The processes that stand in no group of their own. */
  rootProcesses(): Promise<number[]>;
  /** Puts a process into the group. */
  join(path: string, pid: number): Promise<void>;
}

/** The controllers that pods are held by. */
const CONTROLLERS = ["cpu", "memory", "pids"] as const;
/** Handed down in version 2, so that runtimes can use them below. */
const HANDED_DOWN = ["cpuset", "cpu", "io", "memory", "hugetlb", "pids"];

export class CgroupTree implements Cgroups {
  readonly #base: string;
  readonly #version: 1 | 2;
  readonly #onOperation: (operation: CgroupOperation, seconds: number) => void;
  /** What was told last, by path. */
  readonly #told = new Map<string, string>();

  constructor(
    base: string,
    version: 1 | 2,
    onOperation: (operation: CgroupOperation, seconds: number) => void = () => undefined,
  ) {
    this.#base = base;
    this.#version = version;
    this.#onOperation = onOperation;
  }

  async ensure(path: string, settings: CgroupSettings): Promise<void> {
    const startedMs = performance.now();
    const isNew = await this.#make(path);
    const told = JSON.stringify(settings);
    if (!isNew && this.#told.get(path) === told) return;
    for (const { controller, file, value } of cgroupFiles(this.#version, settings))
      await writeFile(join(this.#directory(controller, path), file), value);
    this.#told.set(path, told);
    this.#onOperation(isNew ? "create" : "update", (performance.now() - startedMs) / 1000);
  }

  async remove(path: string): Promise<void> {
    const startedMs = performance.now();
    this.#told.delete(path);
    for (const root of await this.#roots()) await removeTree(join(root, path));
    this.#onOperation("destroy", (performance.now() - startedMs) / 1000);
  }

  async exists(path: string): Promise<boolean> {
    return (await readdir(this.#directory("memory", path)).catch(() => undefined)) !== undefined;
  }

  async memory(path: string): Promise<{ usedBytes: number; limitBytes: number } | undefined> {
    const read = async (file: string) =>
      await readFile(join(this.#directory("memory", path), file), "utf8").catch(() => "");
    const [limit, usage, stat] = await Promise.all(
      (this.#version === 2
        ? ["memory.max", "memory.current", "memory.stat"]
        : ["memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat"]
      ).map(read),
    );
    const limitBytes = Number(limit);
    if (!limit || !Number.isFinite(limitBytes) || limitBytes >= NO_LIMIT) return undefined;
    const key = this.#version === 2 ? "inactive_file" : "total_inactive_file";
    const inactive = Number(new RegExp(`^${key} (\\d+)$`, "m").exec(stat ?? "")?.[1] ?? 0);
    return { usedBytes: Math.max(Number(usage) - inactive, 0), limitBytes };
  }

  async rootProcesses(): Promise<number[]> {
    const text = await readFile(join(this.#directory("memory", "/"), "cgroup.procs"), "utf8").catch(() => "");
    return text
      .split("\n")
      .map(Number)
      .filter((pid) => pid > 0);
  }

  async join(path: string, pid: number): Promise<void> {
    await this.#make(path);
    const controllers = this.#version === 2 ? CONTROLLERS.slice(0, 1) : CONTROLLERS;
    for (const controller of controllers)
      await writeFile(join(this.#directory(controller, path), "cgroup.procs"), String(pid));
  }

  #directory(controller: string, path: string): string {
    return this.#version === 2 ? join(this.#base, path) : join(this.#base, controller, path);
  }

  /** Says whether something was missing. */
  async #make(path: string): Promise<boolean> {
    if (this.#version === 1) {
      const made = await Promise.all(
        [...CONTROLLERS, ...(await this.#extra())].map((each) =>
          mkdir(this.#directory(each, path), { recursive: true }),
        ),
      );
      return made.some((first) => first !== undefined);
    }
    let directory = this.#base;
    let isNew = false;
    for (const part of path.split("/").filter((each) => each !== "")) {
      await handDown(directory);
      directory = join(directory, part);
      isNew = (await mkdir(directory, { recursive: true })) !== undefined || isNew;
    }
    return isNew;
  }

  /** Huge pages are not counted by every kernel, and a directory of that name may be an ordinary one. */
  async #extra(): Promise<string[]> {
    const processes = join(this.#base, "hugetlb", "cgroup.procs");
    return (await stat(processes).catch(() => undefined)) === undefined ? [] : ["hugetlb"];
  }

  /** Runtimes use controllers that the agent does not: their groups go too. */
  async #roots(): Promise<string[]> {
    if (this.#version === 2) return [this.#base];
    const names = await readdir(this.#base).catch(() => []);
    return names.map((name) => join(this.#base, name));
  }
}

/** Version 1 tells so when there is no limit. */
const NO_LIMIT = 2 ** 60;

async function handDown(directory: string): Promise<void> {
  const words = async (file: string) => {
    const text = await readFile(join(directory, file), "utf8").catch(() => "");
    return text.split(/\s+/).filter((word) => word !== "");
  };
  const [there, handed] = [await words("cgroup.controllers"), new Set(await words("cgroup.subtree_control"))];
  for (const controller of HANDED_DOWN.filter((each) => there.includes(each) && !handed.has(each)))
    await writeFile(join(directory, "cgroup.subtree_control"), `+${controller}`);
}

/** The kernel's own files go with their directory. */
async function removeTree(directory: string): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) return;
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(directory, entry.name));
  await rmdir(directory).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return;
    // Of a group the kernel's files go too: where they do not, it is an ordinary directory that stands for a controller.
    if (error.code === "ENOTEMPTY") return await rm(directory, { recursive: true, force: true });
    if (error.code === "EBUSY") await endProcesses(directory);
    throw error;
  });
}

async function endProcesses(directory: string): Promise<void> {
  const pids = await readFile(join(directory, "cgroup.procs"), "utf8").catch(() => "");
  for (const pid of pids
    .split("\n")
    .map(Number)
    .filter((each) => each > 1)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}
