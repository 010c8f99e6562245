// Three servers over an etcd cluster of three members, beside one server with its store embedded, in one run: writes and
// consistent reads, how soon a change is seen at another server, and how long nothing is written when a member is lost.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/base/clock.ts";
import { etcdMissing, startEtcdCluster } from "../src/testing/etcd-server.testing.ts";
import { exchange, type LoadRequest, load, openSocket, requestText } from "./load-client.ts";
import { quantiles } from "./measure.ts";
import { report } from "./report.ts";
import { CONFIG_MAPS, configMap, type Peer, type ServerProcess, startServer, TOKEN } from "./server-process.ts";

const SERVERS = 3;
const CONNECTIONS = 24;
const ROUNDS = 3;
const ROUND_MS = 1_500;
const WATCHED_WRITES = 200;

const missing = etcdMissing();
if (missing === undefined) await measure();
else report(missing, {});

async function measure(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "plinth-bench-"));
  const cluster = await startEtcdCluster(SERVERS);
  const started: ServerProcess[] = [];
  try {
    const flags = [`--etcd-servers=${cluster.endpoints.join(",")}`, "--workers=1"];
    for (let index = 0; index < SERVERS; index += 1) started.push(await startServer(join(dir, `${index}`), flags));
    const servers = [...started];
    const embedded = await startServer(join(dir, "embedded"), ["--workers=1"]);
    started.push(embedded);
    await compare(servers, embedded);
    await measureWatch(servers);
    // One after the other: whichever leads is among them.
    for (const member of cluster.members) {
      await member.kill();
      await measureLoss(servers);
      await member.restart();
    }
  } finally {
    for (const { process: child } of started) child.kill("SIGKILL");
    await cluster.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function compare(servers: readonly Peer[], embedded: Peer): Promise<void> {
  await once(embedded, "POST", configMap("get"));
  await once(servers[0]!, "POST", configMap("get"));
  let serial = 0;
  const work: Readonly<Record<string, () => LoadRequest>> = {
    "consistent get": () => ({ method: "GET", path: `${CONFIG_MAPS}/get` }),
    "consistent list of 20": () => ({ method: "GET", path: `${CONFIG_MAPS}?limit=20` }),
    create: () => {
      serial += 1;
      return { method: "POST", path: CONFIG_MAPS, body: configMap(`c-${serial}`) };
    },
  };
  for (const [name, next] of Object.entries(work)) {
    const rates = { etcd: 0, embedded: 0 };
    for (let round = 0; round < ROUNDS; round += 1) {
      const share = { token: TOKEN, durationMs: ROUND_MS, next };
      const all = await Promise.all(
        servers.map(({ port }) => load({ ...share, port, connections: CONNECTIONS / servers.length })),
      );
      const alone = await load({ ...share, port: embedded.port, connections: CONNECTIONS });
      const failures = [...all, alone].reduce((sum, result) => sum + result.failures, 0);
      if (failures > 0) throw new Error(`${name}: ${failures} requests failed`);
      rates.etcd += all.reduce((sum, { perSecond }) => sum + perSecond, 0) / ROUNDS;
      rates.embedded += alone.perSecond / ROUNDS;
    }
    report(`${name}, ${servers.length} servers over etcd`, {
      "per second": rates.etcd,
      "per second embedded": rates.embedded,
      "of embedded": rates.etcd / rates.embedded,
    });
  }
}

/** Written at one server, seen at the next. */
async function measureWatch([writer, watcher]: readonly Peer[]): Promise<void> {
  const socket = await openSocket(watcher!.port);
  socket.write(requestText("GET", `${CONFIG_MAPS}?watch=1&labelSelector=watched%3Dyes`, TOKEN));
  await new Promise<void>((resolve) => socket.once("data", () => resolve()));
  const times: number[] = [];
  for (let write = 0; write < WATCHED_WRITES; write += 1) {
    const seen = new Promise<void>((resolve) => socket.once("data", () => resolve()));
    const sentMs = performance.now();
    await once(writer!, "POST", configMap(`w-${write}`, { watched: "yes" }));
    await seen;
    times.push(performance.now() - sentMs);
  }
  socket.destroy();
  report("a change is seen at another server", quantiles(times));
}

/** Until every server has written something again. */
async function measureLoss(servers: readonly Peer[]): Promise<void> {
  const startedMs = performance.now();
  const times = await Promise.all(
    servers.map(async (server, index) => {
      for (let attempt = 0; ; attempt += 1) {
        const name = `lost-${Math.round(startedMs)}-${index}-${attempt}`;
        if ((await once(server, "POST", configMap(name)).catch(() => 0)) === 201) return performance.now() - startedMs;
        await systemClock.sleep(20);
      }
    }),
  );
  report("a member is lost, until all servers write", { "ms at most": Math.max(...times) });
}

async function once({ port }: Peer, method: string, body: string): Promise<number> {
  const socket = await openSocket(port);
  const { status } = await exchange(socket, requestText(method, CONFIG_MAPS, TOKEN, body));
  socket.destroy();
  return status;
}
