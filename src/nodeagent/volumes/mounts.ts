// What is mounted on the node, through the tools of the system: directories in memory, directories of servers.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Mounts memory at a directory that exists. Fails with what the system says. */
export async function mountMemory(directory: string, sizeBytes: number | undefined): Promise<void> {
  if (await isMounted(directory)) return;
  const options = ["mode=0777", ...(sizeBytes === undefined ? [] : [`size=${sizeBytes}`])].join();
  await run("mount", ["-t", "tmpfs", "-o", options, "tmpfs", directory]);
}

export interface FilesystemMount {
  readonly type: string;
  readonly source: string;
  /** Exists. */
  readonly directory: string;
  readonly options: readonly string[];
}

/** Mounts a file system, unless something is mounted there already. Fails with what the system says. */
export async function mountFilesystem({ type, source, directory, options }: FilesystemMount): Promise<void> {
  if (await isMounted(directory)) return;
  await run("mount", ["-t", type, ...(options.length === 0 ? [] : ["-o", options.join()]), "--", source, directory], {
    timeout: MOUNT_TIMEOUT_MS,
  });
}

/** A server that does not answer must not hold a pod up for ever. */
const MOUNT_TIMEOUT_MS = 120_000;

/** Everything that is mounted at or below a directory, the innermost first. */
export async function unmountBelow(directory: string): Promise<void> {
  const below = (await mountPoints()).filter((point) => point === directory || point.startsWith(`${directory}/`));
  for (const point of below.reverse()) await run("umount", ["-l", point]);
}

async function isMounted(directory: string): Promise<boolean> {
  return (await mountPoints()).includes(directory);
}

/** In the order in which they were mounted. The system writes odd characters as octal numbers. */
async function mountPoints(): Promise<string[]> {
  const table = await readFile("/proc/self/mounts", "utf8").catch(() => "");
  return table
    .split("\n")
    .flatMap((line) => line.split(" ")[1] ?? [])
    .map((point) => point.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))));
}
