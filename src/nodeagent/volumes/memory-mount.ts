// Directories in memory: for volumes that ask for it, and for what must never reach a disk.

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
