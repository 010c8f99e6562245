import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { counted } from "../../base/steps.testing.ts";
import { atOnce } from "../../base/steps.ts";
import { keyOf, LosableEngine, PREFIX, readItem, stored } from "./cache.testing.ts";
import { FrameBudget } from "./cache-event.ts";
import { EngineHistory, type EngineHistoryOptions } from "./engine-history.ts";
import { ItemReader } from "./item-reader.ts";
import { ProgressRequests } from "./progress-requests.ts";

let engine: LosableEngine;
let histories: EngineHistory[];

beforeEach(async () => {
  engine = new LosableEngine();
  histories = [];
  for (let index = 2; index <= 6; index++) await engine.create(keyOf(`a/${index}`), stored({}));
});

afterEach(async () => {
  for (const history of histories) history.close();
  await engine.close();
});

function historyWith(limits: Pick<EngineHistoryOptions, "maxChanges" | "maxBytes"> = {}): EngineHistory {
  const reader = new ItemReader({ readItem, rereadAt: undefined, frames: new FrameBudget(0), clock: systemClock });
  const clock = systemClock;
  const progress = new ProgressRequests({ clock, request: () => engine.requestProgress(), failed: () => {} });
  const toEvent: EngineHistoryOptions["toEvent"] = function* (change) {
    yield;
    return yield* reader.eventFromHistory(change);
  };
  const history = new EngineHistory({ engine, prefix: PREFIX, clock, progress, toEvent, ...limits });
  histories.push(history);
  return history;
}

describe("EngineHistory", () => {
  it("reads exactly the changes after one revision and up to another", async () => {
    const stretch = await historyWith().read(2, 2, 5);
    const batch = atOnce(stretch.batchAfter(2, 100, PREFIX));
    expect(batch?.events.map((event) => event.revision)).toEqual([3, 4, 5]);
    expect(batch?.reached).toBe(5);
    expect(atOnce(stretch.batchAfter(5, 100, PREFIX))).toBeUndefined();
  });

  it("is complete up to a revision at which another resource changed", async () => {
    const revision = await engine.create("/registry/pods/p", stored({}));
    const stretch = await historyWith().read(6, 6, revision);
    expect(atOnce(stretch.batchAfter(6, 100, PREFIX))).toEqual({ events: [], reached: revision });
  });

  it("shares a stretch, and its events, with those who begin later", async () => {
    const history = historyWith();
    const [first, second] = await Promise.all([history.read(2, 4, 6), history.read(3, 4, 6)]);
    expect(second).toBe(first);
    const [one, other] = [5, 3].map((after) => atOnce(first!.batchAfter(after, 9, PREFIX)));
    expect(one?.events[0]).toBe(other?.events[2]);
    await history.read(1, 4, 6);
    expect(engine.watchedAfter).toEqual([2, 1]);
  });

  it("makes its events in steps, and shares them with those who want them at the same time", async () => {
    const stretch = await historyWith().read(2, 2, 6);
    const [one, other] = [stretch.batchAfter(2, 9, PREFIX), stretch.batchAfter(2, 9, PREFIX)];
    one.next();
    const { result, steps } = counted(other);
    expect(steps).toBe(2 * 4);
    atOnce(one);
    const again = atOnce(stretch.batchAfter(2, 9, PREFIX));
    expect(again?.events.map((event, index) => event === result?.events[index])).toEqual([true, true, true, true]);
  });

  it.each([
    ["changes", { maxChanges: 4 }],
    ["bytes", { maxBytes: 100 }],
  ])("sends those to list again who have missed too many %s", async (_, limits) => {
    const history = historyWith(limits);
    await expect(history.read(1, 1, 6)).rejects.toMatchObject({ code: "RevisionGone" });
    const stretch = await history.read(3, 3, 6);
    expect(atOnce(stretch.batchAfter(3, 9, PREFIX))?.events.length).toBe(3);
  });

  it("fails with Closed when it is closed meanwhile", async () => {
    const history = historyWith();
    const reading = history.read(1, 1, 1_000);
    history.close();
    await expect(reading).rejects.toMatchObject({ code: "Closed" });
  });
});
