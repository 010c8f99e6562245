// A directory and those above it. Node's own recursive way never ends where the kernel denies that a parent exists that it
// has just shown (/proc).

import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** Makes the directory unless it is there. `mode` is that of every directory made. */
export async function makeDirectory(path: string, mode: number): Promise<void> {
  if (await isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) await makeDirectory(parent, mode);
  try {
    await mkdir(path, { mode });
  } catch (error) {
    // Somebody else may have been faster.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !(await isDirectory(path))) throw error;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
