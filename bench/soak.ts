// Ten minutes (`BENCH_MINUTES`) of writers, watchers and lists on one server, whose objects are as many at the end as at the
// beginning: so has its memory to be. The first fifth is not counted, in which caches fill.

import { setMaxListeners } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/base/clock.ts";
import { exchange, type LoadRequest, load, openSocket, requestText } from "./load-client.ts";
import { report } from "./report.ts";
import { CONFIG_MAPS, configMap, rssMib, startServer, TOKEN } from "./server-process.ts";

const MINUTES = Number(process.env["BENCH_MINUTES"] ?? 10);
const OBJECTS = 2_000;
const WRITERS = 4;
const READERS = 2;
const WATCHERS = 50;
/** A watcher that has seen so much begins anew, as clients do. */
const WATCHED_BYTES = 4 * 1024 * 1024;
const SAMPLES = 10;

const dir = mkdtempSync(join(tmpdir(), "plinth-bench-"));
const server = await startServer(dir, ["--workers=1"]);
try {
  await fill();
  const over = new AbortController();
  setMaxListeners(WATCHERS, over.signal);
  const durationMs = MINUTES * 60_000;
  const watched = Array.from({ length: WATCHERS }, () => watchOnAndOn(over.signal));
  const base = { port: server.port, token: TOKEN, durationMs };
  const writes = load({ ...base, connections: WRITERS, next: write });
  const reads = load({ ...base, connections: READERS, next: read });
  const samples: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    await systemClock.sleep(durationMs / SAMPLES);
    samples.push(rssMib(server));
  }
  const [written, listed] = await Promise.all([writes, reads]);
  over.abort();
  await Promise.all(watched);
  const counted = samples.slice(SAMPLES / 5);
  const half = counted.length / 2;
  const [early, late] = [least(counted.slice(0, half)), least(counted.slice(half))];
  report(`${MINUTES} minutes`, {
    writes: written.timesMs.length,
    lists: listed.timesMs.length,
    failures: written.failures + listed.failures,
    "MiB at least in the first half": early,
    "MiB at least in the second": late,
    "times the first": late / early,
  });
} finally {
  server.process.kill("SIGKILL");
  rmSync(dir, { recursive: true, force: true });
}

async function fill(): Promise<void> {
  const socket = await openSocket(server.port);
  for (let index = 0; index < OBJECTS; index += 1)
    await exchange(socket, requestText("POST", CONFIG_MAPS, TOKEN, configMap(`o-${index}`)));
  socket.destroy();
}

/** Each connection has objects of its own: it changes some, and now and then one goes and comes again. */
function write(connection: number, turn: number): LoadRequest {
  const name = `o-${connection + WRITERS * (Math.floor(turn / 3) % (OBJECTS / WRITERS))}`;
  if (turn % 3 === 0) return { method: "DELETE", path: `${CONFIG_MAPS}/${name}` };
  if (turn % 3 === 1) return { method: "POST", path: CONFIG_MAPS, body: configMap(name) };
  const data = { payload: "y".repeat(900), turn: `${turn}` };
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
  return { method: "PUT", path: `${CONFIG_MAPS}/${name}`, body };
}

function read(_connection: number, turn: number): LoadRequest {
  const query = ["", "?limit=500", "?labelSelector=app%3Dnone", "?resourceVersion=0"][turn % 4];
  return { method: "GET", path: `${CONFIG_MAPS}${query}` };
}

async function watchOnAndOn(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const socket = await openSocket(server.port);
    socket.write(requestText("GET", `${CONFIG_MAPS}?watch=1`, TOKEN));
    let seen = 0;
    await new Promise<void>((resolve) => {
      socket.on("data", (chunk: Buffer) => {
        seen += chunk.length;
        if (seen > WATCHED_BYTES || signal.aborted) resolve();
      });
      socket.once("close", () => resolve());
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    socket.destroy();
  }
}

/** What was in use when the garbage had just gone. */
function least(values: readonly number[]): number {
  return Math.min(...values);
}
