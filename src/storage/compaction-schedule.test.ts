import { describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { CompactionSchedule } from "./compaction-schedule.ts";

const MINUTE_MS = 60_000;

function setup(options: { keepMs: number }) {
  const clock = new FakeClock();
  const compacted: number[] = [];
  const errors: unknown[] = [];
  const engine = {
    revision: 100,
    fails: false,
    async currentRevision() {
      if (this.fails) throw new Error("away");
      return this.revision;
    },
    async compact(revision: number) {
      compacted.push(revision);
    },
  };
  const schedule = new CompactionSchedule(engine, {
    intervalMs: 5 * MINUTE_MS,
    keepMs: options.keepMs,
    clock,
    onError: (error) => errors.push(error),
  });
  return { clock, compacted, errors, engine, schedule };
}

describe("the compaction schedule", () => {
  it("keeps everything until history is old enough, then cuts at the newest revision that is", async () => {
    const { clock, compacted, engine, schedule } = setup({ keepMs: 5 * MINUTE_MS });
    await schedule.tick();
    expect(compacted).toEqual([]);
    for (const revision of [180, 260]) {
      clock.advance(5 * MINUTE_MS);
      engine.revision = revision;
      await schedule.tick();
    }
    expect(compacted).toEqual([100, 180]);
  });

  it("waits several intervals when more must be kept", async () => {
    const { clock, compacted, engine, schedule } = setup({ keepMs: 12 * MINUTE_MS });
    for (const revision of [100, 110, 120, 130, 140]) {
      engine.revision = revision;
      await schedule.tick();
      clock.advance(5 * MINUTE_MS);
    }
    expect(compacted).toEqual([100, 110]);
  });

  it("reports a store that does not answer and goes on afterwards", async () => {
    const { clock, compacted, errors, engine, schedule } = setup({ keepMs: 5 * MINUTE_MS });
    await schedule.tick();
    engine.fails = true;
    clock.advance(5 * MINUTE_MS);
    await schedule.tick();
    expect(errors).toHaveLength(1);
    engine.fails = false;
    clock.advance(5 * MINUTE_MS);
    await schedule.tick();
    expect(compacted).toEqual([100]);
  });
});
