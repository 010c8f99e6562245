// How soon a server answers, and how much memory it then has: with an empty store, and with very many stored objects, which
// are written into the store beforehand. Ends with the first list of them, which is when they are read.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { openLmdbEngine } from "../src/storage/lmdb-engine.ts";
import { exchange, openSocket, requestText } from "./load-client.ts";
import { filePagesMib, idle, inParallel, median } from "./measure.ts";
import { report } from "./report.ts";
import { newPodText } from "./sample-pod.ts";
import { ended, rssMib, type ServerProcess, startServer, TOKEN } from "./server-process.ts";

const STORED = 150_000;
const PODS = 10_000;
const AT_ONCE = 1_000;
const STARTS = 5;

const dir = mkdtempSync(join(tmpdir(), "plinth-bench-"));
const started: ServerProcess[] = [];
try {
  await startUp("start, nothing stored", join(dir, "empty"), { "ms to ready": 250, "MiB idle": 80 });
  await withPods(join(dir, "pods"));
  const full = join(dir, "full");
  // The first start makes the folder and what every server has.
  await ended(await start(full));
  await fill(join(full, "store"));
  await startUp(`start, ${STORED.toLocaleString("en-US")} objects stored`, full, { "ms to ready": 1_500 });
} finally {
  for (const { process: child } of started) child.kill("SIGKILL");
  rmSync(dir, { recursive: true, force: true });
}

async function startUp(row: string, folder: string, goals: Readonly<Record<string, number>>): Promise<void> {
  const readyMs: number[] = [];
  let server: ServerProcess | undefined;
  for (let round = 0; round < STARTS; round += 1) {
    if (server !== undefined) await ended(server);
    const startMs = performance.now();
    server = await start(folder);
    readyMs.push(performance.now() - startMs);
  }
  await idle();
  const idleMib = rssMib(server!);
  const listMs = await firstPage(server!);
  report(row, { "ms to ready": median(readyMs), "MiB idle": idleMib, "ms for the first page": listMs }, goals);
  await ended(server!);
}

/** Memory of a server in which pods were made, and of one that has found and listed them. */
async function withPods(folder: string): Promise<void> {
  const maker = await start(folder);
  const sockets: TLSSocket[] = [];
  const make = async (path: string, body: string): Promise<void> => {
    const socket = sockets.pop() ?? (await openSocket(maker.port));
    const { status } = await exchange(socket, requestText("POST", path, TOKEN, body));
    if (status !== 201) throw new Error(`POST ${path}: ${status}`);
    sockets.push(socket);
  };
  await make("/api/v1/namespaces/default/serviceaccounts", JSON.stringify({ metadata: { name: "default" } }));
  await inParallel(PODS, (serial) => make("/api/v1/namespaces/default/pods", newPodText(serial, PODS)));
  for (const socket of sockets) socket.destroy();
  const pods = PODS.toLocaleString("en-US");
  await reportIdle(`${pods} pods made`, maker);
  await ended(maker);
  const finder = await start(folder);
  const socket = await openSocket(finder.port);
  await exchange(socket, requestText("GET", "/api/v1/pods", TOKEN));
  socket.destroy();
  await reportIdle(`${pods} pods found and listed`, finder);
  await ended(finder);
}

async function reportIdle(row: string, server: ServerProcess): Promise<void> {
  await idle();
  const figures = { "MiB idle": rssMib(server), "MiB of them pages of files": filePagesMib(server.pid) };
  report(row, figures, { "MiB idle": 150 });
}

async function start(folder: string): Promise<ServerProcess> {
  const server = await startServer(folder, ["--workers=1"]);
  started.push(server);
  return server;
}

async function firstPage({ port }: ServerProcess): Promise<number> {
  const socket = await openSocket(port);
  const startMs = performance.now();
  await exchange(socket, requestText("GET", "/api/v1/configmaps?limit=1", TOKEN));
  socket.destroy();
  return performance.now() - startMs;
}

async function fill(dir: string): Promise<void> {
  const engine = await openLmdbEngine({ dir, identity: "platform" });
  for (let from = 0; from < STORED; from += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => {
        const name = `stored-${from + index}`;
        return engine.create(`/registry/configmaps/default/${name}`, Buffer.from(storedText(name)));
      }),
    );
  }
  await engine.close();
}

/** As the server writes it, of 1 KiB. */
function storedText(name: string): string {
  return JSON.stringify({
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name, namespace: "default", uid: `uid-${name}`, creationTimestamp: "2025-06-01T08:30:00Z" },
    data: { payload: "x".repeat(900) },
  });
}
