// Child processes for the robustness tests: a TypeScript entry is bundled once and run by plain node, to be killed.

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Readable } from "node:stream";
import { build } from "esbuild";

const CACHE = join(import.meta.dirname, "../../node_modules/.cache/plinth-robustness");

/** Bundles an entry of this folder; returns the path of a script that node can run. */
export async function bundleChild(entry: string): Promise<string> {
  mkdirSync(CACHE, { recursive: true });
  const outfile = join(CACHE, `${basename(entry, ".ts")}-${process.pid}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, entry)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "error",
  });
  return outfile;
}

export interface Child {
  readonly process: ChildProcessByStdio<null, Readable, Readable>;
  /** Resolves when the process is gone and every line that it wrote has been handed to `onLine`. */
  readonly ended: Promise<{ readonly stderr: string }>;
}

/** Starts a bundled script. `onLine` gets complete lines only: what a kill cuts off was never said. */
export function startChild(script: string, args: readonly string[], onLine: (line: string) => void): Child {
  // Extra certificates triple Node's start time.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "pipe"], env });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString("utf8");
  });
  let unfinished = "";
  child.stdout.on("data", (chunk: Buffer) => {
    const lines = (unfinished + chunk.toString("latin1")).split("\n");
    unfinished = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  });
  const ended = new Promise<{ readonly stderr: string }>((resolve) => child.once("close", () => resolve({ stderr })));
  return { process: child, ended };
}
