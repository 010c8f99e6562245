// Versions that clients send, and reads that wait for one.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { ObjectStore } from "./object-store.ts";
import { parseResourceVersion, waitForNewest, waitForRevision } from "./wait-for-revision.ts";

describe("parseResourceVersion", () => {
  it.each([
    ["0", 0],
    ["007", 7],
    ["9007199254740991", Number.MAX_SAFE_INTEGER],
    ["9007199254740993", Number.MAX_SAFE_INTEGER],
    ["18446744073709551615", Number.MAX_SAFE_INTEGER],
  ])("reads %s", (text, expected) => {
    expect(parseResourceVersion(text)).toBe(expected);
  });

  it.each([
    ["-1", "invalid syntax"],
    ["1.0", "invalid syntax"],
    [" 1", "invalid syntax"],
    ["0x1", "invalid syntax"],
    ["18446744073709551616", "value out of range"],
    ["9".repeat(5_000), "value out of range"],
  ])("refuses %.30s", (text, why) => {
    expect(() => parseResourceVersion(text)).toThrow(why);
  });
});

describe("a read that must not be older", () => {
  let clock: FakeClock;
  let engine: MemoryEngine;
  let store: ObjectStore;
  const reader = { signal: new AbortController().signal };

  beforeEach(async () => {
    clock = new FakeClock();
    engine = new MemoryEngine({ clock });
    store = new ObjectStore({ engine, prefix: "/registry/x/", namespaced: false, clock, fieldsOf: () => ({}) });
    await store.cache.ready();
  });
  afterEach(async () => {
    await store.cache.close();
    await engine.close();
  });

  it("waits for what is coming", async () => {
    const revision = await engine.create("/registry/other/a", Buffer.from("{}"));
    await waitForNewest(store, reader);
    expect(store.cache.revision).toBeGreaterThanOrEqual(revision);
  });

  it("is told to come back when it does not come", async () => {
    const outcome = waitForRevision(store, 1_000, reader).catch((error: unknown) => error);
    await clock.advance(3_000);
    expect(await outcome).toMatchObject({
      code: 504,
      message: expect.stringMatching(/^Timeout: Too large resource version: 1000, current: \d+$/),
      details: { retryAfterSeconds: 1, causes: [{ reason: "ResourceVersionTooLarge" }] },
    });
  });

  it("stops waiting when nobody reads the answer", async () => {
    const gone = new AbortController();
    const outcome = waitForRevision(store, 1_000, { signal: gone.signal });
    gone.abort(new Error("gone"));
    await expect(outcome).rejects.toMatchObject({ code: 504, details: {} });
  });
});
