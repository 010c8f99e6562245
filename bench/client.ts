// The client against @kubernetes/client-node in one run, on one server over HTTPS: get, list, watch, and what an informer
// keeps in memory. Both take turns, so that whatever else the machine does weighs on both; ratios above 1 are ours to be
// glad of. Processor time is this process's own, without the server's.

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CoreV1Api, KubeConfig, makeInformer, Watch } from "@kubernetes/client-node";
import { build } from "esbuild";
import { kinds } from "../src/client/built-in-kinds.ts";
import type { Client } from "../src/client/client.ts";
import { connect } from "../src/client/connect.ts";
import { report } from "./report.ts";
import { samplePod } from "./sample-pod.ts";

const NAMESPACE = "default";
const OBJECTS = 10_000;
const EVENTS = 10_000;
const GETS = 3_000;
const AT_ONCE = 16;
const ROUNDS = 3;

const dir = mkdtempSync(join(tmpdir(), "plinth-bench-"));
let server: ChildProcess | undefined;
try {
  const kubeconfig = await startServer();
  const ours = connect({ kubeconfig, dialect: "kubernetes", userAgent: "plinth" });
  const theirs = new KubeConfig();
  theirs.loadFromFile(kubeconfig);
  const api = theirs.makeApiClient(CoreV1Api);
  const objectBytes = await fill(ours);
  await compareGets(ours, api);
  await compareLists(ours, api);
  await compareWatches(ours, theirs);
  await compareInformers(ours, theirs, api, objectBytes);
  await ours.close();
} finally {
  server?.kill("SIGKILL");
  rmSync(dir, { recursive: true, force: true });
}

/** The path of a kubeconfig. The server has a process of its own, and its store in memory: it is not what is measured. */
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
  server = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
  const kubeconfig = await new Promise<string>((resolve, reject) => {
    let text = "";
    server?.stdout?.on("data", (piece: Buffer) => {
      text += piece.toString("utf8");
      if (text.endsWith("\n}\n")) resolve(text);
    });
    server?.once("exit", () => reject(new Error("the server ended")));
  });
  const path = join(dir, "kubeconfig");
  writeFileSync(path, kubeconfig);
  return path;
}

/** Pods as deployments make them, twenty each; returns how many bytes of JSON one has. */
async function fill(client: Client): Promise<number> {
  const pods = client.core.v1.pods(NAMESPACE);
  const { uid: _, resourceVersion: __, generateName: ___, ownerReferences, ...metadata } = samplePod.metadata;
  const [container, ...others] = samplePod.spec.containers;
  await inParallel(OBJECTS, 64, async (index) => {
    const deployment = `app-${Math.floor(index / 20)}`;
    const owner = { ...ownerReferences[0]!, name: deployment, uid: randomUUID() };
    const pod = {
      metadata: {
        ...metadata,
        name: nameOf(index),
        namespace: NAMESPACE,
        labels: { ...metadata.labels, app: deployment },
        ownerReferences: [owner],
      },
      spec: {
        ...samplePod.spec,
        nodeName: `node-${index % 100}`,
        containers: [{ ...container!, image: `registry.example.com/${deployment}:1` }, ...others],
      },
    };
    await pods.create(pod as Parameters<typeof pods.create>[0]);
  });
  return JSON.stringify(await pods.get(nameOf(0))).length;
}

/** Pods of one deployment stand side by side in lists. */
function nameOf(index: number): string {
  return `app-${String(Math.floor(index / 20)).padStart(3, "0")}-${index % 20}`;
}

async function compareGets(ours: Client, api: CoreV1Api): Promise<void> {
  const pods = ours.core.v1.pods(NAMESPACE);
  await compare(`get, ${AT_ONCE} at once`, {
    ours: () => inParallel(GETS, AT_ONCE, (index) => pods.get(nameOf(index))),
    theirs: () =>
      inParallel(GETS, AT_ONCE, (index) => api.readNamespacedPod({ name: nameOf(index), namespace: NAMESPACE })),
  });
}

async function compareLists(ours: Client, api: CoreV1Api): Promise<void> {
  await compare(`list of ${OBJECTS} pods`, {
    ours: async () => (await ours.core.v1.pods(NAMESPACE).list()).items.length,
    theirs: async () => (await api.listNamespacedPod({ namespace: NAMESPACE })).items.length,
  });
}

/** The same events for both, from the server's history. */
async function compareWatches(ours: Client, theirs: KubeConfig): Promise<void> {
  const pods = ours.core.v1.pods(NAMESPACE);
  const { resourceVersion } = (await pods.list({ limit: 1 })).metadata;
  await inParallel(EVENTS, 64, (index) =>
    pods.patch(nameOf(index % OBJECTS), { merge: { metadata: { annotations: { round: String(index) } } } }),
  );
  await compare(`watch of ${EVENTS} events`, {
    async ours() {
      let seen = 0;
      for await (const change of pods.watch({ resourceVersion })) {
        if (change.type === "MODIFIED") seen += 1;
        if (seen === EVENTS) break;
      }
    },
    async theirs() {
      let seen = 0;
      const watch = new Watch(theirs);
      const path = `/api/v1/namespaces/${NAMESPACE}/pods`;
      await new Promise<void>((resolve, reject) => {
        const request = watch.watch(
          path,
          { resourceVersion, allowWatchBookmarks: true },
          (type) => {
            if (type === "MODIFIED") seen += 1;
            if (seen === EVENTS) {
              resolve();
              void request.then((controller) => controller.abort());
            }
          },
          (error) => (seen >= EVENTS ? resolve() : reject(error)),
        );
      });
    },
  });
}

async function compareInformers(ours: Client, theirs: KubeConfig, api: CoreV1Api, objectBytes: number): Promise<void> {
  const before = heapBytes();
  const informer = ours.informer(kinds.core.v1.pods, { namespace: NAMESPACE });
  informer.start();
  await informer.whenSynced();
  const own = heapBytes() - before;
  const size = informer.cache.size;
  await informer.stop();

  const path = `/api/v1/namespaces/${NAMESPACE}/pods`;
  const start = heapBytes();
  const other = makeInformer(theirs, path, () => api.listNamespacedPod({ namespace: NAMESPACE }));
  await other.start();
  const foreign = heapBytes() - start;
  const otherSize = other.list().length;
  await other.stop();
  if (size !== OBJECTS || otherSize !== OBJECTS) throw new Error(`informers hold ${size} and ${otherSize} objects`);
  const [mine, others] = [own / OBJECTS, foreign / OBJECTS];
  report(`informer of ${OBJECTS} pods`, {
    "bytes a pod": mine,
    "of its JSON": mine / objectBytes,
    "bytes in client-node": others,
    "times ahead": others / mine,
  });
}

function heapBytes(): number {
  for (let round = 0; round < 3; round += 1) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

interface Contest {
  readonly ours: () => Promise<unknown>;
  readonly theirs: () => Promise<unknown>;
}

async function compare(name: string, contest: Contest): Promise<void> {
  // A round that does not count: code is compiled, connections are made.
  await contest.ours();
  await contest.theirs();
  const [own, foreign]: [Cost[], Cost[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    own.push(await measure(contest.ours));
    foreign.push(await measure(contest.theirs));
  }
  // The best round of each: the others were disturbed.
  const best = (costs: readonly Cost[], of: keyof Cost) => Math.min(...costs.map((cost) => cost[of]));
  report(name, {
    "ms of CPU": best(own, "cpuMs"),
    "ms of CPU in client-node": best(foreign, "cpuMs"),
    "times ahead by CPU": best(foreign, "cpuMs") / best(own, "cpuMs"),
    "times ahead by the clock": best(foreign, "wallMs") / best(own, "wallMs"),
  });
}

interface Cost {
  readonly cpuMs: number;
  readonly wallMs: number;
}

async function measure(run: () => Promise<unknown>): Promise<Cost> {
  globalThis.gc?.();
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  await run();
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1_000, wallMs: performance.now() - start };
}

async function inParallel(count: number, atOnce: number, run: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) await run(index);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
