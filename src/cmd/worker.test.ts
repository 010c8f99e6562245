// A worker as a process of its own; its owner is the test.

import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { readAuthentication } from "../authn/build-authenticator.ts";
import { systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { namesFor } from "../meta/names.ts";
import { parseApiServerOptions } from "../options/api-server-options.ts";
import { type LmdbEngine, openLmdbEngine, serveFollower } from "../storage/lmdb-engine.ts";
import { launcherPath, TestFolder } from "./commands.testing.ts";
import { WorkerPool } from "./workers/worker-pool.ts";

const folder = new TestFolder();
const options = parseApiServerOptions([...folder.serverFlags(), `--cert-dir=${folder.path}`]);
const { sharedKeys } = readAuthentication(options, {
  names: namesFor(options.dialect),
  clock: systemClock,
  gates: { enabled: () => true },
});
let engine: LmdbEngine;
let pool: WorkerPool;
/** What the owner holds of the stores of its workers, by their order. */
let lines: { destroy(): void }[];
/** Who serves, or has ceased to. */
let moves: string[];
let onMove: () => void;

beforeEach(async () => {
  engine = await openLmdbEngine({ dir: options.dataDir, identity: options.dialect });
  [lines, moves, onMove] = [[], [], () => undefined];
  const note = (move: string) => () => {
    moves.push(move);
    onMove();
  };
  pool = new WorkerPool({
    count: 1,
    program: [await launcherPath(), "worker"],
    setup: () => ({
      options,
      port: 1,
      clientCaPem: undefined,
      sharedKeys: sharedKeys(),
      startFiles: new Map(),
      quiet: true,
    }),
    door: { add: note("serves"), remove: note("gone") },
    serveStore(line) {
      lines.push(line);
      serveFollower(engine, line);
    },
    expose: async () => "",
    onAnswer: () => undefined,
    log: silentLog,
  });
  await pool.start();
});

afterEach(async () => {
  await pool.stop();
  await engine.close();
});

afterAll(() => folder.remove());

it("ends where it has lost the store for itself, so that another one takes its place", async () => {
  const replaced = new Promise<void>((resolve) => {
    onMove = () => {
      if (moves.length === 3) resolve();
    };
  });
  lines[0]?.destroy();
  await replaced;
  expect(moves).toEqual(["serves", "gone", "serves"]);
}, 60_000);
