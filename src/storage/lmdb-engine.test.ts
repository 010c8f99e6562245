import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { describeStorageContract } from "./contract.testing.ts";
import { memoryBackedTmpdir } from "./lmdb/tmpdir.testing.ts";
import { openLmdbEngine } from "./lmdb-engine.ts";

const clock = new FakeClock();
const dirs: string[] = [];

afterAll(async () => {
  for (const dir of dirs) await rm(dir, { recursive: true, force: true });
});

async function open() {
  const dir = await mkdtemp(join(memoryBackedTmpdir, "plinth-lmdb-"));
  dirs.push(dir);
  return openLmdbEngine({ dir, identity: "test", clock, sweepIntervalMs: 5 });
}

describeStorageContract("lmdb", open, { passSeconds: async (seconds) => clock.advance(seconds * 1_000) });
