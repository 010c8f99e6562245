// What more processes give: one server with one and one with two workers take turns under the same load, whose client works
// on the same cores. Then what a selector costs over many objects.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exchange, load, openSocket, requestText } from "./load-client.ts";
import { quantiles } from "./measure.ts";
import { report } from "./report.ts";
import { CONFIG_MAPS, configMap, ended, rssMib, type ServerProcess, startServer, TOKEN } from "./server-process.ts";

const CONNECTIONS = 32;
const ROUNDS = 4;
const ROUND_MS = 1_500;
const SELECTED_AMONG = 100_000;
const SELECTIONS = 200;

const dir = mkdtempSync(join(tmpdir(), "plinth-bench-"));
const servers: ServerProcess[] = [];
try {
  servers.push(await startServer(join(dir, "one"), ["--workers=1"]));
  servers.push(await startServer(join(dir, "two"), ["--workers=2"]));
  await compareWorkers(servers);
  for (const [index, each] of servers.entries()) report(`owner of ${index + 1} processes`, { MiB: rssMib(each) });
  await ended(servers[1]!);
  await measureSelectors(servers[0]!);
} finally {
  for (const server of servers) await ended(server);
  rmSync(dir, { recursive: true, force: true });
}

type Next = (connection: number, turn: number) => { method: string; path: string; body?: string };

async function compareWorkers(sides: readonly ServerProcess[]): Promise<void> {
  for (const { port } of sides) await once(port, "POST", CONFIG_MAPS, configMap("get"));
  let serial = 0;
  const work: Readonly<Record<string, Next>> = {
    get: () => ({ method: "GET", path: `${CONFIG_MAPS}/get` }),
    create: () => {
      serial += 1;
      return { method: "POST", path: CONFIG_MAPS, body: configMap(`c-${serial}`) };
    },
    update: (connection, turn) => {
      const name = `u-${connection}`;
      const data = { turn: `${serial} ${turn}`, payload: "x".repeat(900) };
      const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
      return { method: "PUT", path: `${CONFIG_MAPS}/${name}`, body };
    },
  };
  for (const { port } of sides)
    for (let index = 0; index < CONNECTIONS; index += 1) await once(port, "POST", CONFIG_MAPS, configMap(`u-${index}`));
  for (const [name, next] of Object.entries(work)) {
    const rates = sides.map(() => 0);
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [index, { port }] of sides.entries()) {
        const { perSecond, failures } = await load({
          port,
          token: TOKEN,
          connections: CONNECTIONS,
          durationMs: ROUND_MS,
          next,
        });
        if (failures > 0) throw new Error(`${failures} requests failed`);
        // The first round finds code that is not compiled yet.
        if (round > 0) rates[index]! += perSecond / ROUNDS;
      }
    }
    const [one, two] = rates as [number, number];
    const figures = { "per second with one process": one, "per second with two": two, "times one": two / one };
    report(name, figures, { "times one": name === "get" ? 1.3 : 1 });
  }
}

async function measureSelectors({ port }: ServerProcess): Promise<void> {
  const namespace = "/api/v1/namespaces/platform-public/configmaps";
  let serial = 0;
  await load({
    port,
    token: TOKEN,
    connections: CONNECTIONS,
    durationMs: 600_000,
    next: () => {
      serial += 1;
      if (serial > SELECTED_AMONG) throw new Error("enough");
      const labels = { app: `app-${serial % 10_000}` };
      return { method: "POST", path: namespace, body: configMap(`s-${serial}`, labels) };
    },
  }).catch(() => undefined);
  for (const [what, selector] of [
    ["nothing", "app%3Dnone"],
    ["10 objects", "app%3Dapp-77"],
  ] as const) {
    const socket = await openSocket(port);
    const times: number[] = [];
    for (let round = 0; round < SELECTIONS; round += 1) {
      const startMs = performance.now();
      await exchange(socket, requestText("GET", `/api/v1/configmaps?labelSelector=${selector}`, TOKEN));
      times.push(performance.now() - startMs);
    }
    socket.destroy();
    const [first = 0, second = 0, ...rest] = times;
    const figures = { "ms first": first, "ms second": second, ...quantiles(rest) };
    report(`selector that finds ${what} among ${SELECTED_AMONG}`, figures, { "ms p99": 5 });
  }
  report(`${SELECTED_AMONG} objects of 1 KiB`, { MiB: rssMib(servers[0]!) });
}

async function once(port: number, method: string, path: string, body: string): Promise<void> {
  const socket = await openSocket(port);
  await exchange(socket, requestText(method, path, TOKEN, body));
  socket.destroy();
}
