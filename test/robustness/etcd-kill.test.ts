// kill -9 of clients and of etcd itself under concurrent writers: nothing acknowledged is lost, the revision never goes
// back, and watches resume without gap or repeat.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, follow } from "../../src/storage/contract/follow.testing.ts";
import type { Revision, StorageEngine } from "../../src/storage/engine.ts";
import { openEtcdEngine } from "../../src/storage/etcd-engine.ts";
import { type EtcdServer, etcdMissing, startEtcdServer } from "../../src/testing/etcd-server.testing.ts";
import { expectGaplessOrder, expectNothingLost, expectStateOf, line } from "./etcd-history.testing.ts";
import type { Acknowledged } from "./etcd-writer.testing.ts";

const missing = etcdMissing();
/** Clients that live at the same time; each is killed and follows itself, so many times. */
const CLIENTS = 2;
const KILLS_PER_CLIENT = 12;
const SERVER_KILLS = 9;
const PREFIX = "/kill/";

describe.skipIf(missing !== undefined)(missing ?? "etcd and its clients under kill -9", () => {
  let directory: string;
  let program: string;
  let server: EtcdServer;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "plinth-etcd-kill-"));
    program = join(directory, "client.mjs");
    await buildClient(program);
    server = await startEtcdServer();
  });
  afterAll(async () => {
    await server.stop();
    rmSync(directory, { recursive: true });
  });

  it(`keeps every promise over ${CLIENTS * KILLS_PER_CLIENT + SERVER_KILLS} kills`, { timeout: 120_000 }, async () => {
    const engine = await openEtcdEngine({ endpoints: [server.endpoint] });
    const start = await engine.currentRevision();
    const watch = follow(engine, PREFIX, start);
    const acknowledged: Acknowledged[] = [];
    const seenByClient: string[][] = [];
    const newest = revisionGuard(engine, acknowledged);

    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      const seen: string[] = [];
      seenByClient.push(seen);
      const random = seededRandom(client + 1);
      for (let run = 0; run < KILLS_PER_CLIENT; run++) {
        const after = seen.length === 0 ? start : revisionOf(seen.at(-1));
        const ackLimit = 5 + Math.floor(random() * 60);
        const args = [program, server.endpoint, PREFIX, `${client}-${run}`, String(after)];
        await runAndKill(args, ackLimit, acknowledged, seen);
        await newest();
      }
    });
    let finished = false;
    const everyClient = Promise.all(clients).finally(() => {
      finished = true;
    });
    const serverKills = (async () => {
      for (let kill = 0; kill < SERVER_KILLS; kill++) {
        const wanted = acknowledged.length + 30;
        await eventually(async () => finished || acknowledged.length >= wanted, `${wanted} acknowledgements`);
        await server.kill();
        await server.restart();
      }
    })();
    await Promise.all([everyClient, serverKills]);

    const end = await engine.currentRevision();
    await engine.requestProgress();
    await watch.progressTo(end);
    expect(acknowledged.length).toBeGreaterThan(CLIENTS * KILLS_PER_CLIENT * 5);
    expectGaplessOrder(watch.changes);
    expectNothingLost(acknowledged, watch.changes);
    await expectStateOf(engine, PREFIX, watch.changes);

    // What a client saw over all its lives is what there was, from the start to the last thing it saw.
    const whole = watch.changes.map(line);
    for (const seen of seenByClient) {
      expect(seen.length).toBeGreaterThan(0);
      expect(seen).toEqual(whole.slice(0, seen.length));
    }
    await watch.stop();
    await engine.close();
  });
});

/** Checks that the revision has not gone back: not behind itself, not behind any acknowledgement. */
function revisionGuard(engine: StorageEngine, acknowledged: readonly Acknowledged[]): () => Promise<void> {
  let newest = 0;
  return async () => {
    const known = Math.max(newest, ...acknowledged.map((ack) => ack.revision));
    const revision = await engine.currentRevision();
    expect(revision).toBeGreaterThanOrEqual(known);
    newest = Math.max(newest, revision);
  };
}

/** Runs the client until so many acknowledgements have come, then kills it. Collects whole lines only. */
async function runAndKill(
  args: readonly string[],
  ackLimit: number,
  acknowledged: Acknowledged[],
  seen: string[],
): Promise<void> {
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"] },
  });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  let acks = 0;
  for await (const text of createInterface({ input: child.stdout })) {
    const [word, revision, type, key, value, tail] = text.split(" ");
    // A kill in the middle of a line leaves a part of it; the tail below is missing then.
    if (revision === undefined || key === undefined || value === undefined || tail !== ".") continue;
    if (word === "see") seen.push(`${revision} ${type} ${key} ${value}`);
    else {
      acknowledged.push({ type: type === "put" ? "put" : "delete", key, revision: Number(revision), value });
      if (++acks === ackLimit) child.kill("SIGKILL");
    }
  }
  expect(acks, `the client ended by itself: ${errors}`).toBeGreaterThanOrEqual(ackLimit);
}

async function buildClient(outfile: string): Promise<void> {
  await build({
    entryPoints: [join(import.meta.dirname, "etcd-client.child.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    // CommonJS packages inside an ES module bundle still ask for require.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "error",
  });
}

function revisionOf(seen: string | undefined): Revision {
  return Number(seen?.split(" ")[0]);
}

/** A small linear congruential generator: the same numbers for the same seed on every machine. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
