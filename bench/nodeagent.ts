// What a node agent costs that has nothing to do: as many pods as a node takes, each with a probe, against a runtime that is
// only played. Processor time and memory are those of the agent's own process, against what is allowed for them.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { systemClock } from "../src/base/clock.ts";
import type { Client } from "../src/client/client.ts";
import { connect } from "../src/client/connect.ts";
import { FakeRuntime } from "../src/nodeagent/cri/fake-runtime.testing.ts";
import { inParallel, until } from "./measure.ts";
import { report } from "./report.ts";

const PODS = 110;
const NODE = "bench";
const SETTLE_MS = 20_000;
const MEASURE_MS = 60_000;
/** Of one processor, and of memory. */
const ALLOWED = { "% of a core": 5, MiB: 120 };
/** Of the kernel's count of processor time. */
const TICKS_PER_SECOND = 100;

const dir = mkdtempSync(join(tmpdir(), "plinth-bench-"));
const children: ChildProcess[] = [];
const runtime = await FakeRuntime.start();
try {
  const kubeconfig = await startServer();
  const client = connect({ kubeconfig, dialect: "kubernetes", userAgent: "plinth" });
  const agent = startAgent(kubeconfig);
  await until(async () => (await client.core.v1.nodes().find(NODE)) !== undefined);
  const startedMs = performance.now();
  await inParallel(PODS, (index) => makePod(client, index));
  await until(async () => (await runningPods(client)) === PODS, 200);
  const seconds = (performance.now() - startedMs) / 1000;
  report(`${PODS} pods run`, { seconds });
  await systemClock.sleep(SETTLE_MS);
  const before = cpuSeconds(agent);
  await systemClock.sleep(MEASURE_MS);
  const share = (cpuSeconds(agent) - before) / (MEASURE_MS / 1000);
  const mebibytes = residentMebibytes(agent);
  report(`an agent with ${PODS} pods`, { "% of a core": share * 100, MiB: mebibytes }, ALLOWED);
  await client.close();
} finally {
  for (const child of children) child.kill("SIGKILL");
  runtime.close();
  rmSync(dir, { recursive: true, force: true });
}
process.exit(0);

/** The path of a kubeconfig. The server has a process of its own: it is not what is measured. */
async function startServer(): Promise<string> {
  // Below the folder of the project, where packages are found.
  const script = "dist/bench/memory-server.mjs";
  await build({
    entryPoints: ["bench/memory-server.ts"],
    outfile: script,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
  });
  const server = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(server);
  const kubeconfig = await new Promise<string>((resolve, reject) => {
    let text = "";
    server.stdout.on("data", (piece: Buffer) => {
      text += piece.toString("utf8");
      if (text.endsWith("\n}\n")) resolve(text);
    });
    server.once("exit", () => reject(new Error("the server ended")));
  });
  const path = join(dir, "kubeconfig");
  writeFileSync(path, kubeconfig);
  return path;
}

function startAgent(kubeconfig: string): ChildProcess {
  const config = join(dir, "agent.json");
  const settings = {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    containerRuntimeEndpoint: runtime.endpoint,
    address: "127.0.0.1",
    port: 0,
    healthzPort: 0,
    podLogsDir: join(dir, "logs"),
    failSwapOn: false,
    // No control groups of the machine that this runs on.
    cgroupsPerQOS: false,
    enforceNodeAllocatable: ["none"],
    evictionHard: { "memory.available": "1Mi" },
  };
  writeFileSync(config, JSON.stringify(settings));
  const flags = [`--kubeconfig=${kubeconfig}`, `--config=${config}`, `--root-dir=${join(dir, "root")}`];
  const named = [`--cert-dir=${join(dir, "pki")}`, `--hostname-override=${NODE}`];
  const agent = spawn("bin/plinth", ["nodeagent", "--dialect=kubernetes", ...flags, ...named], {
    stdio: "ignore",
  });
  children.push(agent);
  return agent;
}

async function makePod(client: Client, index: number): Promise<void> {
  await client.core.v1.pods("default").create({
    metadata: { name: `pod-${index}` },
    spec: {
      nodeName: NODE,
      automountServiceAccountToken: false,
      containers: [
        {
          name: "main",
          image: "example.com/app:1",
          readinessProbe: { exec: { command: ["true"] }, periodSeconds: 10 },
        },
      ],
    },
  });
}

async function runningPods(client: Client): Promise<number> {
  const { items } = await client.core.v1.pods("default").list();
  return items.filter(({ status }) => status.phase === "Running").length;
}

/** Of the process and those that it has ended with. */
function cpuSeconds({ pid }: ChildProcess): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const columns = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(columns[11]) + Number(columns[12])) / TICKS_PER_SECOND;
}

function residentMebibytes({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}
