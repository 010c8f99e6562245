// How many files the agent may have open (`maxOpenFiles`), through the tool of the system: a process of this runtime cannot
// say so for itself.

import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Fails with what the system says: only root may have more than it was started with. */
export async function setMaxOpenFiles(pid: number, count: number): Promise<void> {
  await promisify(execFile)("prlimit", [`--pid=${pid}`, `--nofile=${count}:${count}`], { timeout: 5_000 });
}
