// Benchmark of the API server over HTTPS against bare baselines in the same run: a bare server that sends the same bytes,
// raw durable commits, a raw copy for lists. Baseline and server take turns, so that whatever else the machine does
// weighs on both. Prints rates, ratios, and processor time per request.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { open } from "lmdb";
import { cpuMs, exchange, load, openSocket, requestOf, requestText } from "./load-client.ts";
import { median } from "./measure.ts";
import { report } from "./report.ts";
import { CONFIG_MAPS, configMap, type Peer, startServer, TOKEN } from "./server-process.ts";

const CONNECTIONS = 32;
const ROUNDS = 4;
const ROUND_MS = 1_500;
const LIST_OBJECTS = 10_000;
const LIST_ROUNDS = 20;
const WATCHERS = 100;
const WATCHED_WRITES = 100;

/** What lists are asked for: the form and the query of each. */
const LISTS: readonly (readonly [what: string, accept: string, query: string])[] = [
  ["JSON", "application/json", ""],
  ["protobuf", "application/vnd.kubernetes.protobuf", ""],
  ["Table", "application/json;as=Table;v=v1;g=meta.k8s.io", ""],
  ["a page of 500", "application/json", "?limit=500"],
  ["a selector that finds 10", "application/json", "?labelSelector=thousandth%3D7"],
];

const dir = mkdtempSync(join(tmpdir(), "plinth-bench-"));
const children: ChildProcess[] = [];
try {
  const server = await startServer(dir, ["--workers=1"]);
  children.push(server.process);
  const bare = await startBare();
  await compareGets(server, bare);
  await compareCreates(server, bare);
  await compareWrites(server);
  await compareLists(server, bare);
  await measureWatch(server);
} finally {
  for (const child of children) child.kill("SIGKILL");
  rmSync(dir, { recursive: true, force: true });
}

async function startBare(): Promise<Peer> {
  // Within the project, where packages are found by their names.
  const script = "dist/bench/bare-server.mjs";
  await build({
    entryPoints: ["bench/bare-server.ts"],
    outfile: script,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
  });
  const args = [script, join(dir, "pki/apiserver.crt"), join(dir, "pki/apiserver.key"), join(dir, "bare.mdb")];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const port = await new Promise<number>((resolve) => child.stdout!.once("data", (line) => resolve(Number(line))));
  return { port, pid: child.pid! };
}

async function compareGets(server: Peer, bare: Peer): Promise<void> {
  const socket = await openSocket(server.port);
  await exchange(socket, requestText("POST", CONFIG_MAPS, TOKEN, configMap("get")));
  const { bodyBytes } = await exchange(socket, requestText("GET", `${CONFIG_MAPS}/get`, TOKEN));
  socket.destroy();
  const [ours, theirs] = await takeTurns([
    [server, () => ({ method: "GET", path: `${CONFIG_MAPS}/get` })],
    [bare, () => ({ method: "GET", path: `/${bodyBytes}` })],
  ]);
  print("get, 32 connections", ours!, theirs!, "a bare server");
}

async function compareCreates(server: Peer, bare: Peer): Promise<void> {
  let serial = 0;
  const next = (path: string) => () => {
    serial += 1;
    return { method: "POST", path, body: configMap(`b-${serial}`) };
  };
  const [ours, theirs] = await takeTurns([
    [server, next(CONFIG_MAPS)],
    [bare, next("/")],
  ]);
  print("create, 32 connections", ours!, theirs!, "a bare server that parses and stores");
}

async function compareWrites(server: Peer): Promise<void> {
  const raw = open<Buffer, string>({ path: join(dir, "raw.mdb"), encoding: "binary", overlappingSync: false });
  const value = Buffer.alloc(1_300, "x");
  let rawPuts = 0;
  const rawRound = async () => {
    const endAt = Date.now() + ROUND_MS;
    const startedAt = Date.now();
    let count = 0;
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        while (Date.now() < endAt) {
          rawPuts += 1;
          await raw.put(`/raw/${rawPuts}`, value);
          count += 1;
        }
      }),
    );
    return (count * 1000) / (Date.now() - startedAt);
  };
  let serial = 0;
  const rates = { create: 0, update: 0, raw: 0 };
  const cpu = { create: 0, update: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.raw += (await rawRound()) / ROUNDS;
    const created = await measured(server, () => {
      serial += 1;
      return { method: "POST", path: CONFIG_MAPS, body: configMap(`c-${serial}`) };
    });
    rates.create += created.perSecond / ROUNDS;
    cpu.create += created.cpuUs / ROUNDS;
    const updated = await measured(server, (connection, turn) => {
      const name = `c-${connection + 1}`;
      const body = JSON.stringify({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name },
        data: { turn: `${round} ${turn}`, payload: "x".repeat(900) },
      });
      return { method: "PUT", path: `${CONFIG_MAPS}/${name}`, body };
    });
    rates.update += updated.perSecond / ROUNDS;
    cpu.update += updated.cpuUs / ROUNDS;
  }
  await raw.close();
  const against = { perSecond: rates.raw, cpuUs: 0 };
  print("create, durable, 32 connections", { perSecond: rates.create, cpuUs: cpu.create }, against, "raw LMDB commits");
  print("update, durable, 32 connections", { perSecond: rates.update, cpuUs: cpu.update }, against, "raw LMDB commits");
}

async function compareLists(server: Peer, bare: Peer): Promise<void> {
  let serial = 0;
  const collection = "/api/v1/namespaces/platform-public/configmaps";
  await load({
    port: server.port,
    token: TOKEN,
    connections: CONNECTIONS,
    durationMs: 120_000,
    next: () => {
      serial += 1;
      if (serial > LIST_OBJECTS) throw new Error("enough");
      const labels = { thousandth: String(serial % 1000) };
      return { method: "POST", path: collection, body: configMap(`l-${serial}`, labels) };
    },
  }).catch(() => undefined);
  const ours = await openSocket(server.port);
  const theirs = await openSocket(bare.port);
  for (const [what, accept, query] of LISTS) {
    const request = requestOf({ method: "GET", path: `${collection}${query}` }, TOKEN, accept);
    const { bodyBytes, status } = await exchange(ours, request);
    if (status !== 200) throw new Error(`a list as ${what} answers ${status}`);
    const times = { ours: [] as number[], theirs: [] as number[] };
    const cpuBefore = cpuMs(server.pid);
    for (let round = 0; round < LIST_ROUNDS; round += 1) {
      times.theirs.push(await timed(() => exchange(theirs, requestText("GET", `/${bodyBytes}`, TOKEN))));
      times.ours.push(await timed(() => exchange(ours, request)));
    }
    const [mine, raw] = [median(times.ours), median(times.theirs)];
    report(`list of 10,000, ${what} (${(bodyBytes / 1e6).toFixed(2)} MB)`, {
      ms: mine,
      "ms of CPU": (cpuMs(server.pid) - cpuBefore) / LIST_ROUNDS,
      "of a raw copy": raw / mine,
    });
  }
  ours.destroy();
  theirs.destroy();
}

async function measureWatch(server: Peer): Promise<void> {
  let events = 0;
  let done: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    done = resolve;
  });
  const sockets = await Promise.all(
    Array.from({ length: WATCHERS }, async () => {
      const socket = await openSocket(server.port);
      const path = `/api/v1/namespaces/platform-node-lease/configmaps?watch=1`;
      socket.write(requestText("GET", path, TOKEN));
      await new Promise<void>((resolve) => socket.once("data", () => resolve()));
      socket.on("data", (chunk: Buffer) => {
        events += chunk.toString("latin1").split('"type":"ADDED"').length - 1;
        if (events >= WATCHERS * WATCHED_WRITES) done();
      });
      return socket;
    }),
  );
  const writer = await openSocket(server.port);
  const before = cpuMs(server.pid);
  const startedAt = Date.now();
  for (let write = 0; write < WATCHED_WRITES; write += 1) {
    await exchange(
      writer,
      requestText("POST", "/api/v1/namespaces/platform-node-lease/configmaps", TOKEN, configMap(`w-${write}`)),
    );
  }
  await all;
  const seconds = (Date.now() - startedAt) / 1000;
  const cpuUs = ((cpuMs(server.pid) - before) * 1000) / events;
  for (const socket of [...sockets, writer]) socket.destroy();
  report(`watch fan-out, ${WATCHERS} watchers x ${WATCHED_WRITES} writes`, {
    "events per second": events / seconds,
    "us of CPU an event": cpuUs,
  });
}

interface Measured {
  readonly perSecond: number;
  readonly cpuUs: number;
}

type Next = (connection: number, turn: number) => { method: string; path: string; body?: string };

async function measured(peer: Peer, next: Next): Promise<Measured> {
  const before = cpuMs(peer.pid);
  const result = await load({ port: peer.port, token: TOKEN, connections: CONNECTIONS, durationMs: ROUND_MS, next });
  if (result.failures > 0) throw new Error(`${result.failures} requests failed`);
  const requests = (result.perSecond * ROUND_MS) / 1000;
  return { perSecond: result.perSecond, cpuUs: ((cpuMs(peer.pid) - before) * 1000) / requests };
}

async function takeTurns(sides: readonly (readonly [Peer, Next])[]): Promise<Measured[]> {
  const sums = sides.map(() => ({ perSecond: 0, cpuUs: 0 }));
  // The first round of each finds code that is not compiled yet.
  for (const [peer, next] of sides) await measured(peer, next);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, [peer, next]] of sides.entries()) {
      const { perSecond, cpuUs } = await measured(peer, next);
      sums[index]!.perSecond += perSecond / ROUNDS;
      sums[index]!.cpuUs += cpuUs / ROUNDS;
    }
  }
  return sums;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - startedAt) / 1e6;
}

function print(name: string, ours: Measured, baseline: Measured, what: string): void {
  report(name, {
    "per second": ours.perSecond,
    [`of ${what}`]: ours.perSecond / baseline.perSecond,
    "us of CPU": ours.cpuUs,
    ...(baseline.cpuUs > 0 ? { [`us of CPU of ${what}`]: baseline.cpuUs } : {}),
  });
}
