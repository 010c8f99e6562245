import { describe, expect, it } from "vitest";
import { Background } from "../base/background.ts";
import { FakeClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { RevisionAges } from "./revision-ages.ts";

const bytes = Buffer.from("{}");

function ages(clock: FakeClock, engine: MemoryEngine, compactionIntervalMs = 0) {
  const compacted: number[] = [];
  const subject = new RevisionAges({
    engine,
    clock,
    watchWindowMs: 10_000,
    continueTtlMs: 2_000,
    compactionIntervalMs,
    onCompacted: (revision) => compacted.push(revision),
    background: new Background({ clock, log: silentLog }),
  });
  return { subject, compacted };
}

describe("RevisionAges", () => {
  it("knows no age before it has run for so long", async () => {
    const clock = new FakeClock();
    const { subject } = ages(clock, new MemoryEngine({ clock }));
    await subject.sample();
    expect([subject.oldestContinued, subject.oldestWatched]).toEqual([0, 0]);
  });

  it("gives the revision as it was one age ago, each age for itself", async () => {
    const clock = new FakeClock();
    const engine = new MemoryEngine({ clock });
    const { subject } = ages(clock, engine);
    const first = await engine.create("/a", bytes);
    await subject.sample();
    await clock.advance(3_000);
    await engine.create("/b", bytes);
    await subject.sample();
    expect(subject.oldestContinued).toBe(first);
    expect(subject.oldestWatched).toBe(0);
  });

  it("counts the time that has passed, whatever the time of day is set to", async () => {
    const clock = new FakeClock();
    const engine = new MemoryEngine({ clock });
    const { subject, compacted } = ages(clock, engine);
    const first = await engine.create("/a", bytes);
    await subject.sample();
    clock.setTimeOfDay(3_600_000);
    await subject.compact();
    expect([subject.oldestContinued, subject.oldestWatched, compacted]).toEqual([0, 0, []]);
    clock.setTimeOfDay(-7_200_000);
    await clock.advance(3_000);
    await subject.sample();
    expect(subject.oldestContinued).toBe(first);
  });

  it("lets a token expire by the time of day, and one from a clock that is ahead later", () => {
    const clock = new FakeClock();
    const { subject } = ages(clock, new MemoryEngine({ clock }));
    const now = subject.givenAtMs;
    expect([now - 2_001, now - 2_000, now, now + 60_000].map((at) => subject.hasExpired(at))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it("compacts only what no age reaches", async () => {
    const clock = new FakeClock();
    const engine = new MemoryEngine({ clock });
    const { subject, compacted } = ages(clock, engine);
    const first = await engine.create("/a", bytes);
    await subject.sample();
    await clock.advance(5_000);
    await subject.sample();
    await subject.compact();
    expect(compacted).toEqual([]);
    await clock.advance(6_000);
    await engine.create("/b", bytes);
    await subject.sample();
    await subject.compact();
    expect(compacted).toEqual([first]);
  });

  it("samples and compacts by itself from its start to its end", async () => {
    const clock = new FakeClock();
    const engine = new MemoryEngine({ clock });
    const { subject, compacted } = ages(clock, engine, 150_000);
    const first = await engine.create("/a", bytes);
    await subject.start();
    await clock.advance(14_000);
    expect([subject.oldestContinued, subject.oldestWatched, compacted]).toEqual([first, first, []]);
    await clock.advance(1_000);
    expect(compacted).toEqual([first]);
    await clock.advance(15_000);
    expect(compacted).toEqual([first]);
    const second = await engine.create("/b", bytes);
    await clock.advance(30_000);
    expect(compacted).toEqual([first, second]);
    await engine.create("/c", bytes);
    subject.close();
    await clock.advance(60_000);
    expect(compacted).toEqual([first, second]);
  });
});
