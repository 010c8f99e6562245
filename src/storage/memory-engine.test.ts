import { expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { describeStorageContract } from "./contract.testing.ts";
import { MemoryEngine } from "./memory-engine.ts";

const clock = new FakeClock();

describeStorageContract("memory", async () => new MemoryEngine({ clock, sweepIntervalMs: 5 }), {
  passSeconds: async (seconds) => clock.advance(seconds * 1_000),
});

it.each([
  ["a Buffer", Buffer.from("value")],
  ["other bytes", new TextEncoder().encode("value")],
])("keeps %s as it was given, without a copy", async (_what, value) => {
  const engine = new MemoryEngine({ clock });
  const revision = await engine.create("/a", value);
  expect((await engine.get("/a"))?.value).toBe(value);
  expect((await engine.get("/a", revision))?.value).toBe(value);
  await engine.close();
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
