// How long one request holds all others: the longest turn of a server's event loop while it serves requests that are as
// large, wide or odd as may be. Each in three processes that have served nothing else: the first turn of each, and the
// longest of three that follow it; of the three processes the least, because a busy machine only adds. By the clock, and of
// the processor, where somebody else may use the machine meanwhile.
//
// BENCH_HOLDS=TEXT has only the rows measured whose names have the text.

import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { type EtcdServer, etcdMissing, startEtcdServer } from "../src/testing/etcd-server.testing.ts";
import { ASKS, type Ask, get, LATER, listOf, STORED } from "./hold-requests.ts";
import { asking, SCENES, type Scene, type Stage } from "./hold-scenes.ts";
import { exchange, type LoadRequest, openSocket, requestOf } from "./load-client.ts";
import { idle } from "./measure.ts";
import { report } from "./report.ts";
import { CONFIG_MAPS, ended, type ServerProcess, startServer, TOKEN } from "./server-process.ts";

const GOAL_MS = 20;
const PROCESSES = 3;
const TURNS = 4;
const CONNECTIONS = 16;
const FLAGS = ["--workers=1", "--dialect=kubernetes", "--disable-admission-plugins=ServiceAccount"];
/** As much as a server takes. */
const ETCD_ARGS = ["--max-request-bytes=8388608"];

/** The longest turn of a while. */
interface Turn {
  readonly clockMs: number;
  readonly cpuMs: number;
}

interface Holds {
  readonly first: Turn;
  readonly later: Turn;
}

const UNKNOWN: Turn = { clockMs: Number.NaN, cpuMs: Number.NaN };

const dir = mkdtempSync(join(tmpdir(), "plinth-bench-"));
const prepared = join(dir, "prepared");
/** A copy of it: what other requests have left makes nothing longer. */
const served = join(dir, "served");
const loopFile = join(dir, "loop");
/** What runs now. */
const servers = new Set<ServerProcess>();
try {
  await prepare();
  let last = "";
  for (const scene of [...ASKS.map(asking), ...SCENES]) {
    if (!scene.row.startsWith("the same")) [last] = scene.row.split(", ") as [string];
    const name = scene.row.replace("the same", last);
    if (!name.includes(process.env["BENCH_HOLDS"] ?? "")) continue;
    const runs: Holds[] = [];
    for (let run = 0; run < PROCESSES; run += 1) runs.push(await inFreshProcess(scene, run));
    const least = (of: "first" | "later", time: keyof Turn) => Math.min(...runs.map((run) => run[of][time]));
    report(
      name,
      {
        "ms first": least("first", "clockMs"),
        "ms later": least("later", "clockMs"),
        "ms of CPU first": least("first", "cpuMs"),
        "ms of CPU later": least("later", "cpuMs"),
      },
      { "ms first": GOAL_MS, "ms later": GOAL_MS },
    );
  }
} finally {
  for (const server of servers) server.process.kill("SIGKILL");
  rmSync(dir, { recursive: true, force: true });
}

async function start(
  folder: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const server = await startServer(folder, [...FLAGS, ...flags], env);
  servers.add(server);
  return server;
}

async function end(server: ServerProcess): Promise<void> {
  await ended(server);
  servers.delete(server);
}

async function prepare(): Promise<void> {
  const server = await start(prepared);
  const sockets = await Promise.all(listOf(CONNECTIONS, () => openSocket(server.port)));
  const sendAll = async (requests: readonly LoadRequest[]) => {
    let next = 0;
    const send = async (socket: TLSSocket) => {
      while (next < requests.length) {
        const request = requests[next++]!;
        const { status, start } = await exchange(socket, requestOf(request, TOKEN), true);
        if (status !== 201) throw new Error(`${request.method} ${request.path}: ${start}`);
      }
    };
    await Promise.all(sockets.map(send));
  };
  await sendAll(STORED);
  // What the definition defines is served a moment later.
  await idle(1_000);
  await sendAll(LATER);
  for (const socket of sockets) socket.destroy();
  await end(server);
}

async function inFreshProcess(scene: Scene, run: number): Promise<Holds> {
  const etcd = scene.overEtcd === true ? await startEtcd() : undefined;
  if (etcd === "missing") return { first: UNKNOWN, later: UNKNOWN };
  const store = etcd === undefined ? [] : [`--etcd-servers=${etcd.endpoint}`];
  if (etcd === undefined) cpSync(prepared, served, { recursive: true });
  const other = etcd === undefined ? undefined : await start(join(dir, "other"), store);
  const server = await start(served, [...store, ...(scene.flags?.(dir) ?? [])], {
    NODE_OPTIONS: `--require=${join(process.cwd(), "bench/loop-probe.cjs")}`,
    BENCH_LOOP_FILE: loopFile,
  });
  const open = new Set<{ destroy(): unknown }>();
  const keep: Stage["keep"] = (one) => {
    open.add(one);
    return one;
  };
  const socket = keep(await openSocket(server.port));
  const otherSocket = other === undefined ? socket : keep(await openSocket(other.port));
  // What a start leaves to be done is done, and the connection is warm.
  await exchange(socket, requestOf(get(`${CONFIG_MAPS}/none`), TOKEN));
  await idle(700);
  const { ready, act } = await scene.begin({
    port: server.port,
    dir: served,
    ask: (what, turn) => ask(socket, what, turn),
    askOther: (what, turn) => ask(otherSocket, what, turn),
    keep,
  });
  const holds: Turn[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    await ready?.();
    await longestTurn(server);
    await act(`${run}-${turn}`);
    // What goes on behind the answer counts too.
    await idle(200);
    holds.push(await longestTurn(server));
  }
  for (const one of open) one.destroy();
  await end(server);
  if (other !== undefined) await end(other);
  await etcd?.stop();
  rmSync(served, { recursive: true });
  const [first, ...more] = holds;
  const longest = (time: keyof Turn) => Math.max(...more.map((turn) => turn[time]));
  return { first: first!, later: { clockMs: longest("clockMs"), cpuMs: longest("cpuMs") } };
}

async function startEtcd(): Promise<EtcdServer | "missing"> {
  return etcdMissing() === undefined ? await startEtcdServer({ args: ETCD_ARGS }) : "missing";
}

async function ask(socket: TLSSocket, what: Omit<Ask, "row">, turn = ""): Promise<void> {
  const request = what.request(turn);
  const { status, start } = await exchange(socket, requestOf(request, TOKEN, what.accept), true);
  const isRight = what.status === undefined ? status < 300 : status === what.status;
  if (!isRight) throw new Error(`${request.method} ${request.path}: ${status} ${start}`);
}

/** Of the turns since it was asked the last time. */
async function longestTurn(server: ServerProcess): Promise<Turn> {
  rmSync(loopFile, { force: true });
  process.kill(server.pid, "SIGUSR2");
  for (;;) {
    await idle(10);
    try {
      const text = readFileSync(loopFile, "utf8");
      if (text !== "") return JSON.parse(text) as Turn;
    } catch {}
  }
}
