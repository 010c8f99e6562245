// The load of `docs/performance.md` against any server of this API: `npm run bench server -- --server URL --token T`, or, without
// an address, a server of our own. Names are those of the kubernetes dialect, so that the same run can be held against another
// server's with `--compare`. Processor time is told where the server's process is known (`--pid`).

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cpuMs, exchange, type LoadRequest, load, openSocket, requestOf } from "./load-client.ts";
import { quantiles } from "./measure.ts";
import { report } from "./report.ts";
import { newPodText } from "./sample-pod.ts";
import { startServer, TOKEN } from "./server-process.ts";
import { WATCH_WAYS, type WatchWay } from "./watch-ways.ts";

const CONNECTIONS = 32;
const LOAD_MS = 5_000;
const PODS = 10_000;
const LISTS = 10;
const PAGE = 500;
const WATCHERS = 500;
const WATCHED_WRITES = 200;
const ADDED = '"ADDED"';
const APPLY = "application/apply-patch+yaml";
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const PROTOBUF = "application/vnd.kubernetes.protobuf";

interface Target {
  readonly host: string;
  readonly port: number;
  readonly token: string;
  readonly pid: number | undefined;
}

const dir = mkdtempSync(join(tmpdir(), "plinth-bench-"));
const own = process.env["BENCH_SERVER"] === undefined ? await startServer(dir, ["--dialect=kubernetes"]) : undefined;
try {
  const target = own === undefined ? given() : { host: "127.0.0.1", port: own.port, token: TOKEN, pid: own.pid };
  // A name of its own, so that a second run on the same server finds nothing of the first.
  const namespace = `bench-${Date.now().toString(36)}`;
  await once(target, {
    method: "POST",
    path: "/api/v1/namespaces",
    body: JSON.stringify({ metadata: { name: namespace } }),
  });
  await once(target, {
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts`,
    body: JSON.stringify({ metadata: { name: "default" } }),
  }).catch(() => undefined);
  await objects(target, namespace);
  await pods(target, namespace);
  for (const way of WATCH_WAYS) await watches(target, namespace, way);
  await once(target, { method: "DELETE", path: `/api/v1/namespaces/${namespace}` });
} finally {
  own?.process.kill("SIGKILL");
  rmSync(dir, { recursive: true, force: true });
}

function given(): Target {
  const { BENCH_SERVER: url = "", BENCH_TOKEN: token = "", BENCH_PID: pid } = process.env;
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port || 443), token, pid: pid === undefined ? undefined : Number(pid) };
}

async function objects(target: Target, namespace: string): Promise<void> {
  const maps = `/api/v1/namespaces/${namespace}/configmaps`;
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const map = (name: string, data: object = {}) =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name },
      data: { payload: "x".repeat(900), ...data },
    });
  const applied = (path: string, body: string): LoadRequest => ({
    method: "PATCH",
    path: `${path}?fieldManager=bench&force=true`,
    body,
    contentType: APPLY,
  });
  for (let index = 0; index < CONNECTIONS; index += 1) {
    await once(target, { method: "POST", path: maps, body: map(`own-${index}`) });
    await once(target, applied(`${maps}/applied-${index}`, map(`applied-${index}`, { turn: "first" })));
    await once(target, applied(`${deployments}/web-${index}`, deployment(`web-${index}`, "first")));
  }
  let serial = 0;
  await measured(target, "get", (connection) => ({ method: "GET", path: `${maps}/own-${connection}` }));
  await measured(target, "create", () => {
    serial += 1;
    return { method: "POST", path: maps, body: map(`c-${serial}`) };
  });
  await measured(target, "update", (connection, turn) => ({
    method: "PUT",
    path: `${maps}/own-${connection}`,
    body: map(`own-${connection}`, { turn: `${turn}` }),
  }));
  await measured(target, "apply, one field", (connection, turn) =>
    applied(`${maps}/applied-${connection}`, map(`applied-${connection}`, { turn: `${turn}` })),
  );
  await measured(target, "apply, image of a Deployment", (connection, turn) =>
    applied(`${deployments}/web-${connection}`, deployment(`web-${connection}`, `${turn}`)),
  );
}

function deployment(name: string, tag: string): string {
  const labels = { app: name };
  const resources = { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "1", memory: "256Mi" } };
  const ports = [{ containerPort: 80, name: "http" }];
  const containers = [{ name: "web", image: `registry.example/web:${tag}`, ports, resources }];
  const spec = {
    replicas: 3,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers } },
  };
  return JSON.stringify({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name, labels }, spec });
}

async function pods(target: Target, namespace: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  let serial = 0;
  const before = used(target);
  const startedMs = performance.now();
  await load({
    ...target,
    connections: CONNECTIONS,
    durationMs: 600_000,
    next: () => {
      serial += 1;
      if (serial > PODS) throw new Error("enough");
      return { method: "POST", path, body: newPodText(serial, PODS / 10) };
    },
  }).catch(() => undefined);
  const figures = { "per second": (PODS * 1000) / (performance.now() - startedMs) };
  report(`create ${PODS} pods`, { ...figures, ...cpuFigures(target, before, PODS) });
  await listed(target, "list of all pods", "application/json", path);
  await listed(target, `list of all pods in pages of ${PAGE}`, "application/json", `${path}?limit=${PAGE}`);
  await listed(target, "list of all pods as protobuf", PROTOBUF, path);
  await listed(target, "list of all pods as Table", TABLE, path);
  await listed(target, "list of pods, selector that finds 10", "application/json", `${path}?labelSelector=tenth%3D7`);
}

async function listed(target: Target, row: string, accept: string, path: string): Promise<void> {
  const socket = await openSocket(target.port, target.host);
  const times: number[] = [];
  let bytes = 0;
  const before = used(target);
  for (let round = 0; round < LISTS; round += 1) {
    const startedMs = performance.now();
    bytes = 0;
    let at: string | undefined = path;
    while (at !== undefined) {
      const answer = await exchange(
        socket,
        requestOf({ method: "GET", path: at }, target.token, accept),
        path.includes("limit="),
      );
      if (answer.status !== 200) throw new Error(`${row}: status ${answer.status}`);
      bytes += answer.bodyBytes;
      const next = /"continue":"([^"]+)"/.exec(answer.start)?.[1];
      at = next === undefined ? undefined : `${path}&continue=${encodeURIComponent(next)}`;
    }
    times.push(performance.now() - startedMs);
  }
  socket.destroy();
  report(row, { ...quantiles(times), MB: bytes / 1e6, ...cpuFigures(target, before, LISTS) });
}

async function watches(target: Target, namespace: string, { name, open }: WatchWay): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/secrets`;
  let events = 0;
  let finished: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    finished = resolve;
  });
  const revision = await revisionOf(target, path);
  const end = await open({ ...target, count: WATCHERS, path: `${path}?watch=1&resourceVersion=${revision}` }, () => {
    // A word may come in two pieces.
    let tail = "";
    return (piece) => {
      const text = tail + piece.toString("latin1");
      events += text.split(ADDED).length - 1;
      tail = text.endsWith(ADDED) ? "" : text.slice(1 - ADDED.length);
      if (events >= WATCHERS * WATCHED_WRITES) finished();
    };
  });
  const before = used(target);
  const startedMs = performance.now();
  for (let write = 0; write < WATCHED_WRITES; write += 1) {
    const metadata = { generateName: "watched-" };
    const body = JSON.stringify({ metadata, stringData: { payload: "x".repeat(700) } });
    await once(target, { method: "POST", path, body });
  }
  await all;
  const seconds = (performance.now() - startedMs) / 1000;
  end();
  report(`watch, ${WATCHERS} watchers${name}`, {
    "events per second": events / seconds,
    ...cpuFigures(target, before, events),
  });
}

async function revisionOf(target: Target, path: string): Promise<string> {
  const socket = await openSocket(target.port, target.host);
  const list = requestOf({ method: "GET", path: `${path}?limit=1` }, target.token);
  const { start } = await exchange(socket, list, true);
  socket.destroy();
  return /"resourceVersion":"(\d+)"/.exec(start)?.[1] ?? "0";
}

type Next = (connection: number, turn: number) => LoadRequest;

async function measured(target: Target, row: string, next: Next): Promise<void> {
  const before = used(target);
  const { perSecond, failures, timesMs } = await load({
    ...target,
    connections: CONNECTIONS,
    durationMs: LOAD_MS,
    next,
  });
  if (failures > 0) throw new Error(`${row}: ${failures} requests failed`);
  report(row, { "per second": perSecond, ...quantiles(timesMs), ...cpuFigures(target, before, timesMs.length) });
}

function used({ pid }: Target): number {
  return pid === undefined ? 0 : cpuMs(pid);
}

function cpuFigures(target: Target, before: number, operations: number): Readonly<Record<string, number>> {
  return target.pid === undefined ? {} : { "us of CPU": ((used(target) - before) * 1000) / operations };
}

async function once({ host, port, token }: Target, request: LoadRequest): Promise<void> {
  const socket = await openSocket(port, host);
  const { status } = await exchange(socket, requestOf(request, token));
  socket.destroy();
  if (status >= 300) throw new Error(`${request.method} ${request.path}: status ${status}`);
}
