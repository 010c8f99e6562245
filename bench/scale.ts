// Very many objects behind one server, over HTTPS: selectors and initial lists over stored objects, thousands of definitions,
// and the leases of thousands of nodes beside writes of pods. BENCH_ONLY=selector,watch,definitions,leases chooses parts,
// BENCH_SHARE=0.1 makes all of it smaller.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLmdbEngine } from "../src/storage/lmdb-engine.ts";
import { cpuMs, exchange, type LoadRequest, load, openSocket, requestOf, requestText } from "./load-client.ts";
import { idle, quantiles } from "./measure.ts";
import { report } from "./report.ts";
import { definition } from "./sample-definition.ts";
import { samplePod } from "./sample-pod.ts";
import { ended, rssMib, type ServerProcess, startServer, TOKEN } from "./server-process.ts";

const DIALECT = "kubernetes";
const SHARE = Number(process.env["BENCH_SHARE"] ?? 1);
const [CONFIG_MAPS, PODS, DEFINITIONS, NODES] = [300_000, 150_000, 2_000, 5_000].map((count) => count * SHARE) as [
  number,
  number,
  number,
  number,
];
const AT_ONCE = 1_000;
const SELECTIONS = 300;
const CONNECTIONS = 32;
/** Of all nodes together, and of pods. */
const [RENEWALS_PER_SECOND, POD_WRITES_PER_SECOND] = [500 * SHARE, 100 * SHARE];
const STEADY_MS = 15_000;
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const DEFINITION_PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const PAYLOAD = { payload: "x".repeat(900) };

const PARTS = { selector, watch, definitions, leases };
const only = process.env["BENCH_ONLY"]?.split(",");
for (const [name, part] of Object.entries(PARTS)) {
  if (only?.includes(name) === false) continue;
  const dir = mkdtempSync(join(tmpdir(), "plinth-bench-"));
  let server: ServerProcess | undefined;
  const start = async (): Promise<ServerProcess> => {
    server = await startServer(dir, ["--workers=1", `--dialect=${DIALECT}`]);
    return server;
  };
  try {
    // The first start makes the folder and what every server has.
    await ended(await start());
    await part(start, join(dir, "store"));
  } finally {
    server?.process.kill("SIGKILL");
    rmSync(dir, { recursive: true, force: true });
  }
}

type Start = () => Promise<ServerProcess>;

async function selector(start: Start, store: string): Promise<void> {
  await fill(store, CONFIG_MAPS, (index) => {
    const labels = { app: `app-${index % 10_000}` };
    const metadata = { name: `stored-${index}`, namespace: "default", uid: `uid-${index}`, labels };
    return ["configmaps/default", metadata.name, { kind: "ConfigMap", apiVersion: "v1", metadata, data: PAYLOAD }];
  });
  const { port } = await start();
  const socket = await openSocket(port);
  const timed = async (query: string): Promise<number> => {
    const startMs = performance.now();
    await exchange(socket, requestText("GET", `/api/v1/configmaps?${query}`, TOKEN));
    return performance.now() - startMs;
  };
  // Reads them all.
  await timed("limit=1");
  const first = await timed("labelSelector=app%3Dnone");
  const times: number[] = [];
  for (let round = 0; round < SELECTIONS; round += 1) times.push(await timed("labelSelector=app%3Dnone"));
  socket.destroy();
  report(
    `selector that finds nothing among ${CONFIG_MAPS}`,
    { "ms first": first, ...quantiles(times) },
    { "ms p99": 5 },
  );
}

async function watch(start: Start, store: string): Promise<void> {
  await fill(store, PODS, (index) => {
    const metadata = { ...samplePod.metadata, name: `stored-${index}`, namespace: "default", uid: `uid-${index}` };
    return ["pods/default", metadata.name, { ...samplePod, metadata }];
  });
  const server = await start();
  const query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  for (const what of ["first, which reads them", "again"]) {
    const [startMs, before] = [performance.now(), cpuMs(server.pid)];
    const bytes = await untilInitialEnd(server, `/api/v1/pods?${query}`);
    const seconds = (performance.now() - startMs) / 1000;
    const cpuSeconds = (cpuMs(server.pid) - before) / 1000;
    const figures = { seconds, "seconds of CPU": cpuSeconds, MB: bytes / 1e6 };
    report(`initial list by watch of ${PODS} pods, ${what}`, figures, { seconds: 3 });
  }
}

async function definitions(start: Start): Promise<void> {
  const server = await start();
  await idle();
  const [startMs, beforeMs, beforeMib] = [performance.now(), cpuMs(server.pid), rssMib(server)];
  await inTurn(server, DEFINITIONS, (index) => ({
    method: "POST",
    path: DEFINITION_PATH,
    body: JSON.stringify(definition(index)),
  }));
  const seconds = (performance.now() - startMs) / 1000;
  const cpuSeconds = (cpuMs(server.pid) - beforeMs) / 1000;
  await idle(10_000);
  const kib = ((rssMib(server) - beforeMib) * 1024) / DEFINITIONS;
  const figures = { seconds, "seconds of CPU": cpuSeconds, "KiB each": kib };
  report(`${DEFINITIONS} definitions created`, figures, { seconds: 10, "KiB each": 48 });
}

/** As many a second as nodes and their pods write, whether the answers come in time or not. */
async function leases(start: Start): Promise<void> {
  const server = await start();
  const lease = (index: number) => ({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: `node-${index}` },
    spec: { holderIdentity: `node-${index}`, leaseDurationSeconds: 40, renewTime: microTime() },
  });
  await inTurn(server, NODES, (index) => ({ method: "POST", path: LEASES, body: JSON.stringify(lease(index)) }));
  const pod = { apiVersion: "v1", kind: "Pod", spec: { containers: [{ name: "app", image: "app:1" }] } };
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
  await inTurn(server, 1, () => ({
    method: "POST",
    path: "/api/v1/namespaces/default/serviceaccounts",
    body: JSON.stringify(account),
  }));
  await idle();
  const [startMs, beforeMs] = [performance.now(), cpuMs(server.pid)];
  const [renewed, created] = await Promise.all([
    // A patch costs what the update of an agent does, which knows the version that it has written last.
    paced(server, RENEWALS_PER_SECOND, (turn) => ({
      method: "PATCH",
      path: `${LEASES}/node-${turn % NODES}`,
      contentType: "application/merge-patch+json",
      body: JSON.stringify({ spec: { renewTime: microTime() } }),
    })),
    paced(server, POD_WRITES_PER_SECOND, (turn) => ({
      method: "POST",
      path: "/api/v1/namespaces/default/pods",
      body: JSON.stringify({ ...pod, metadata: { name: `pod-${turn}` } }),
    })),
  ]);
  const seconds = (performance.now() - startMs) / 1000;
  const share = (cpuMs(server.pid) - beforeMs) / 1000 / seconds;
  const figures = { "% of a core": 100 * share, "a second": (renewed.length + created.length) / seconds };
  report(
    `${RENEWALS_PER_SECOND} renewals and ${POD_WRITES_PER_SECOND} pods a second`,
    { ...figures, ...quantiles([...renewed, ...created]) },
    { "% of a core": 50, "ms p99": 50 },
  );
}

function microTime(): string {
  return new Date().toISOString().replace("Z", "000Z");
}

async function fill(
  dir: string,
  count: number,
  stored: (index: number) => readonly [folder: string, name: string, object: object],
): Promise<void> {
  const engine = await openLmdbEngine({ dir, identity: DIALECT });
  for (let from = 0; from < count; from += AT_ONCE) {
    const writes: Promise<unknown>[] = [];
    for (let index = from; index < Math.min(count, from + AT_ONCE); index += 1) {
      const [folder, name, object] = stored(index);
      writes.push(engine.create(`/registry/${folder}/${name}`, Buffer.from(JSON.stringify(object))));
    }
    await Promise.all(writes);
  }
  await engine.close();
}

type Made = (index: number) => LoadRequest;

/** So many requests over all connections; fails when one of them does. */
async function inTurn({ port }: ServerProcess, count: number, made: Made): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    const socket = await openSocket(port);
    while (next < count) {
      const request = made(next++);
      const { status } = await exchange(socket, requestOf(request, TOKEN));
      // Something may stand there already.
      if (status >= 300 && status !== 409) throw new Error(`${request.method} ${request.path}: status ${status}`);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: Math.min(CONNECTIONS, count) }, work));
}

/** The times of answers to so many requests a second, spread over connections that wait for their turns. */
async function paced({ port }: ServerProcess, perSecond: number, made: Made): Promise<readonly number[]> {
  const startMs = performance.now();
  let next = 0;
  const { failures, timesMs } = await load({
    port,
    token: TOKEN,
    connections: CONNECTIONS,
    durationMs: STEADY_MS,
    async next() {
      const turn = next++;
      const waitMs = startMs + (turn * 1_000) / perSecond - performance.now();
      if (waitMs > 0) await idle(waitMs);
      return made(turn);
    },
  });
  if (failures > 0) throw new Error(`${failures} requests failed`);
  return timesMs;
}

/** The bytes until the bookmark that ends the initial state. */
async function untilInitialEnd({ port }: ServerProcess, path: string): Promise<number> {
  const socket = await openSocket(port);
  let bytes = 0;
  let tail = "";
  await new Promise<void>((resolve, reject) => {
    socket.once("close", () => reject(new Error("the watch ended early")));
    socket.on("data", (piece: Buffer) => {
      bytes += piece.length;
      tail = (tail + piece.toString("latin1", Math.max(0, piece.length - 2_048))).slice(-2_048);
      if (tail.includes("initial-events-end")) resolve();
    });
    socket.write(requestText("GET", path, TOKEN));
  });
  socket.destroy();
  return bytes;
}
