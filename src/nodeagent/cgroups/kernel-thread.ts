// Which processes are the kernel's.

import { readlink } from "node:fs/promises";

/** The kernel's own run no program. */
export async function isKernelThread(pid: number): Promise<boolean> {
  return (await readlink(`/proc/${pid}/exe`).catch(() => "")) === "";
}
