// What is mounted on the node, through the tools of the system: directories in memory, directories of servers, parts of
// volumes.

import { execFile } from "node:child_process";
import { mkdir, readFile, realpath, rmdir, stat, unlink, writeFile } from "node:fs/promises";
import { release } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { kernelAtLeast } from "../kernel/kernel-version.ts";

const run = promisify(execFile);

/** Mounts memory at a directory that exists; says whether there was none. Fails with what the system says. */
export async function mountMemory(directory: string, sizeBytes: number | undefined): Promise<boolean> {
  if (await isOtherFilesystem(directory)) return false;
  const options = memoryOptions(sizeBytes, release()).join();
  await run("mount", ["-t", "tmpfs", "-o", options, "tmpfs", directory]);
  return true;
}

/** What is in memory stays there, where the kernel can promise it: secrets do not go to a disk as swap. */
export function memoryOptions(sizeBytes: number | undefined, kernelRelease: string): string[] {
  return [
    "mode=0777",
    ...(sizeBytes === undefined ? [] : [`size=${sizeBytes}`]),
    ...(kernelAtLeast(kernelRelease, [6, 3]) ? ["noswap"] : []),
  ];
}

export interface FilesystemMount {
  readonly type: string;
  readonly source: string;
  /** Made where it is missing. */
  readonly directory: string;
  readonly options: readonly string[];
}

/**
 * Mounts a file system, unless something is mounted there already: that is not looked at, for it may be of a server that does
 * not answer. Fails with what the system says.
 */
export async function mountFilesystem({ type, source, directory, options }: FilesystemMount): Promise<void> {
  if (await isMounted(directory)) return;
  await mkdir(directory, { recursive: true, mode: 0o750 });
  await run("mount", ["-t", type, ...(options.length === 0 ? [] : ["-o", options.join()]), "--", source, directory], {
    timeout: MOUNT_TIMEOUT_MS,
  });
}

/** A server that does not answer must not hold a pod up for ever. */
const MOUNT_TIMEOUT_MS = 120_000;

/**
 * Shows at `target` what the agent holds open as `descriptor`, whatever stands at its path meanwhile. What was shown there
 * before is not any more.
 */
export async function bindOpenFile(descriptor: number, target: string): Promise<void> {
  await unmountBelow(target);
  // Never with what is in it: that could be the volume itself.
  await rmdir(target).catch((error: NodeJS.ErrnoException) =>
    error.code === "ENOTDIR" ? unlink(target) : ignoreMissing(error),
  );
  // The name of the descriptor, and not the path that it had when it was opened, is what the kernel follows.
  const source = `/proc/${process.pid}/fd/${descriptor}`;
  if ((await stat(source)).isDirectory()) await mkdir(target, { recursive: true, mode: 0o750 });
  else {
    await mkdir(dirname(target), { recursive: true, mode: 0o750 });
    await writeFile(target, "", { mode: 0o640 });
  }
  await run("mount", ["--no-canonicalize", "--bind", source, target]);
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

/** Everything that is mounted at or below a directory, the innermost first. */
export async function unmountBelow(directory: string): Promise<void> {
  const points = await mountPoints();
  const root = await kernelPath(directory, points);
  const below = points.filter((point) => point === root || point.startsWith(`${root}/`));
  for (const point of below.reverse()) await run("umount", ["-l", point]);
}

export async function isMounted(directory: string): Promise<boolean> {
  const points = await mountPoints();
  return points.includes(await kernelPath(directory, points));
}

/** Without links, as the kernel names what is mounted: whoever misses a mount would remove what is in it. */
async function kernelPath(path: string, points: readonly string[]): Promise<string> {
  const above = dirname(path);
  const place = join(await realpath(above).catch(() => above), basename(path));
  return points.includes(place) ? place : await realpath(path).catch(() => place);
}

/** Whether a file system of its own is mounted at the directory. Cheap, since it is asked at every look at a pod. */
async function isOtherFilesystem(directory: string): Promise<boolean> {
  const [own, above] = await Promise.all([stat(directory), stat(dirname(directory))]);
  return own.dev !== above.dev;
}

/** In the order in which they were mounted. The system writes odd characters as octal numbers. */
async function mountPoints(): Promise<string[]> {
  const table = await readFile("/proc/self/mounts", "utf8").catch(() => "");
  return table
    .split("\n")
    .flatMap((line) => line.split(" ")[1] ?? [])
    .map((point) => point.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))));
}
