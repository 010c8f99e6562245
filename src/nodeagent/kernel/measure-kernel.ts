// The kernel and the tools of this machine, as the requirements ask about them.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { release } from "node:os";
import { promisify } from "node:util";
import type { KernelFacts } from "./requirements.ts";

const TOOL_TIMEOUT_MS = 5_000;

export async function measureKernel(): Promise<KernelFacts> {
  return {
    release: release(),
    nftVersion: await nftVersion(),
    cgroupVersion: cgroupVersion(),
    pressureStall: existsSync("/proc/pressure/memory"),
  };
}

/** The unified hierarchy has this file at its root. */
export function cgroupVersion(root = "/sys/fs/cgroup"): 1 | 2 {
  return existsSync(`${root}/cgroup.controllers`) ? 2 : 1;
}

/** Of these parameters below /proc/sys; those that are not there are missing. */
export async function readKernelParameters(paths: Iterable<string>): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const path of paths) {
    const text = await readFile(`/proc/sys/${path}`, "utf8").catch(() => "");
    if (/^-?\d+$/.test(text.trim())) found.set(path, Number(text));
  }
  return found;
}

async function nftVersion(): Promise<string | undefined> {
  const run = promisify(execFile);
  const output = await run("nft", ["--version"], { timeout: TOOL_TIMEOUT_MS }).catch(() => undefined);
  return /v(\d+(?:\.\d+){0,3})/.exec(output?.stdout ?? "")?.[1];
}
