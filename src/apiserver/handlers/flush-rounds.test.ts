// Rounds of writes to watches: at once where there is time, together where there is none.

import { describe, expect, it } from "vitest";
import { nextTurn } from "../../base/next-turn.ts";
import { FlushRounds } from "./flush-rounds.ts";

/** A clock on which only flushes take time. */
function testRounds(flushMs: number) {
  let nowMs = 0;
  const timers: { ms: number; run: () => void }[] = [];
  const clock = {
    monotonicMs: () => nowMs,
    setTimer(ms: number, run: () => void) {
      timers.push({ ms, run });
      return { cancel: () => undefined };
    },
  };
  const flushed: string[] = [];
  const watch = (name: string, pendingBytes = 100) => ({
    pendingBytes,
    flush() {
      flushed.push(name);
      nowMs += flushMs;
    },
  });
  return {
    rounds: new FlushRounds(clock),
    flushed,
    watch,
    timers,
    /** The rest is over. */
    wake() {
      const { ms, run } = timers.shift()!;
      nowMs += ms;
      run();
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe("rounds of flushes", () => {
  it("serve all that wait when the turn is over", async () => {
    const { rounds, flushed, watch } = testRounds(0.01);
    rounds.add(watch("a"));
    rounds.add(watch("b"));
    expect(flushed).toEqual([]);
    await nextTurn();
    expect(flushed).toEqual(["a", "b"]);
    rounds.add(watch("a"));
    await nextTurn();
    expect(flushed).toEqual(["a", "b", "a"]);
  });

  it("rest as long as the last one took, and what comes meanwhile goes together", async () => {
    const { rounds, flushed, watch, timers, wake } = testRounds(4);
    rounds.add(watch("a"));
    rounds.add(watch("b"));
    await nextTurn();
    rounds.add(watch("c"));
    rounds.add(watch("d"));
    await nextTurn();
    expect(flushed).toEqual(["a", "b"]);
    expect(timers.map(({ ms }) => ms)).toEqual([8]);
    wake();
    expect(flushed).toEqual(["a", "b", "c", "d"]);
  });

  it("do not rest without a clock, however long they take", async () => {
    const { flushed, watch, timers } = testRounds(100);
    const rounds = new FlushRounds(undefined);
    rounds.add(watch("a"));
    await nextTurn();
    rounds.add(watch("b"));
    await nextTurn();
    expect(flushed).toEqual(["a", "b"]);
    expect(timers).toEqual([]);
  });

  it("do not rest when nothing came for as long, nor longer than is good for anybody", async () => {
    const { rounds, flushed, watch, timers, pass } = testRounds(100);
    rounds.add(watch("a"));
    await nextTurn();
    pass(50);
    rounds.add(watch("b"));
    await nextTurn();
    expect(flushed).toEqual(["a", "b"]);
    rounds.add(watch("c"));
    expect(timers.map(({ ms }) => ms)).toEqual([20]);
  });

  it("of very many take several turns, and who comes meanwhile waits for the next round", async () => {
    const { rounds, flushed, watch, timers, wake } = testRounds(0.01);
    for (let i = 0; i < 500; i += 1) rounds.add(watch("old"));
    await nextTurn();
    expect(flushed).toHaveLength(200);
    rounds.add(watch("new"));
    await nextTurn();
    await nextTurn();
    expect(flushed).toHaveLength(500);
    expect(flushed).not.toContain("new");
    expect(timers[0]!.ms).toBeCloseTo(5);
    wake();
    expect(flushed.at(-1)).toBe("new");
  });

  it("of much that is to be sent take several turns", async () => {
    const { rounds, flushed, watch } = testRounds(0.01);
    for (let i = 0; i < 4; i += 1) rounds.add(watch(`large ${i}`, 600_000));
    await nextTurn();
    expect(flushed).toEqual(["large 0", "large 1"]);
    await nextTurn();
    expect(flushed).toHaveLength(4);
  });
});
