import { describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { RevisionAges } from "./revision-ages.ts";

const bytes = Buffer.from("{}");

function ages(clock: FakeClock, engine: MemoryEngine) {
  const compacted: number[] = [];
  const subject = new RevisionAges({
    engine,
    clock,
    watchWindowMs: 10_000,
    continueTtlMs: 2_000,
    compactionIntervalMs: 0,
    onCompacted: (revision) => compacted.push(revision),
    log: () => undefined,
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
    clock.advance(3_000);
    await engine.create("/b", bytes);
    await subject.sample();
    expect(subject.oldestContinued).toBe(first);
    expect(subject.oldestWatched).toBe(0);
  });

  it("compacts only what no age reaches", async () => {
    const clock = new FakeClock();
    const engine = new MemoryEngine({ clock });
    const { subject, compacted } = ages(clock, engine);
    const first = await engine.create("/a", bytes);
    await subject.sample();
    clock.advance(5_000);
    await subject.sample();
    await subject.compact();
    expect(compacted).toEqual([]);
    clock.advance(6_000);
    await engine.create("/b", bytes);
    await subject.sample();
    await subject.compact();
    expect(compacted).toEqual([first]);
  });
});
