import { expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { describeStorageContract } from "./contract.testing.ts";
import { MemoryEngine } from "./memory-engine.ts";

const clock = new FakeClock();

describeStorageContract("memory", async () => new MemoryEngine({ clock, sweepIntervalMs: 5 }), {
  passSeconds: async (seconds) => clock.advance(seconds * 1_000),
});

it("knows what has changed since a revision, until that is compacted", async () => {
  const engine = new MemoryEngine({ clock });
  const value = Buffer.from("1");
  await engine.create("/a", value);
  const revision = await engine.create("/b", value);
  expect(engine.keysChangedAfter(revision)).toEqual(new Set());
  await engine.create("/c", value);
  await engine.delete("/b", revision);
  expect(engine.keysChangedAfter(revision)).toEqual(new Set(["/c", "/b"]));
  await engine.compact(revision);
  expect(engine.keysChangedAfter(revision)).toEqual(new Set(["/c", "/b"]));
  await engine.compact(engine.currentRevision());
  expect(engine.keysChangedAfter(revision)).toBeUndefined();
  await engine.close();
});
