// A server as a process of its own, for benchmarks over HTTPS: everything in one folder, gone at the end.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { exchange, openSocket, requestText } from "./load-client.ts";

export const TOKEN = "bench-token";
export const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

export interface Peer {
  readonly port: number;
  readonly pid: number;
}

export interface ServerProcess extends Peer {
  readonly process: ChildProcess;
}

export async function startServer(
  dir: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "tokens.csv"), `${TOKEN},bench,1,"system:masters"\n`);
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const child = spawn(
    process.execPath,
    [
      "bin/plinth",
      "apiserver",
      `--secure-port=${port}`,
      `--data-dir=${join(dir, "store")}`,
      `--cert-dir=${join(dir, "pki")}`,
      `--token-auth-file=${join(dir, "tokens.csv")}`,
      "--authorization-mode=RBAC",
      ...flags,
    ],
    // Further authorities of the machine are parsed before the first line of a program: that is Node's time, not ours.
    { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined, ...env } },
  );
  // What it says of itself is of no interest, what went wrong is.
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (!line.startsWith('{"level":"info"')) console.error(line);
  });
  for (let attempt = 0; ; attempt += 1) {
    try {
      const socket = await openSocket(port);
      const { status } = await exchange(socket, requestText("GET", "/readyz", TOKEN));
      socket.destroy();
      if (status === 200) return { port, pid: child.pid!, process: child };
    } catch (error) {
      if (attempt > 2_000) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Asks it to stop, and waits until it has. */
export async function ended({ process: child }: ServerProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await exit;
}

export function rssMib({ pid }: Peer): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

/** A ConfigMap of 1 KiB. */
export function configMap(name: string, labels?: Readonly<Record<string, string>>): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, ...(labels === undefined ? {} : { labels }) },
    data: { payload: "x".repeat(900) },
  });
}
