import { describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import type { StorageEngine } from "../storage/engine.ts";
import { StorageError } from "../storage/storage-error.ts";
import { storeProbe } from "./store-problem.ts";

const engine = (more: Partial<StorageEngine>) => more as StorageEngine;

describe("storeProbe", () => {
  it("finds nothing wrong with a store that answers, and leaves no timer behind", async () => {
    const clock = new FakeClock();
    expect(await storeProbe(engine({ currentRevision: () => 1 }), clock)()).toBeUndefined();
    expect(clock.waiting).toBe(0);
  });

  it("says why a store fails, and why it takes no more writes although it answers", async () => {
    const clock = new FakeClock();
    const failing = engine({ currentRevision: () => Promise.reject(new Error("gone")) });
    expect(await storeProbe(failing, clock)()).toBe("gone");
    const failure = new StorageError("Unavailable", "the store takes no more writes: broken");
    expect(await storeProbe(engine({ failure, currentRevision: () => 1 }), clock)()).toBe(failure.message);
  });

  it("waits two seconds and no longer, and asks once for all who wait", async () => {
    const clock = new FakeClock();
    let asked = 0;
    const mute = engine({
      currentRevision: () => {
        asked += 1;
        return new Promise(() => undefined);
      },
    });
    const probe = storeProbe(mute, clock);
    const answers = Promise.all([probe(), probe(), probe()]);
    await clock.advance(2_000);
    expect(await answers).toEqual(Array(3).fill("no answer within 2 seconds"));
    expect(asked).toBe(1);
  });
});
