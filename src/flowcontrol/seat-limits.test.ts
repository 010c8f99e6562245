import { describe, expect, it } from "vitest";
import { namesFor } from "../meta/names.ts";
import { defaultFlowObjects } from "./default-objects.ts";
import { queueing } from "./flowcontrol.testing.ts";
import { fairFraction, seatLimits } from "./seat-limits.ts";

type Spec = Parameters<typeof seatLimits>[1][number];

describe("seatLimits", () => {
  it("gives the default levels upstream's seats", () => {
    const levels = defaultFlowObjects(namesFor("kubernetes")).prioritylevelconfigurations.map(({ object }) => object);
    const limits = seatLimits(
      600,
      levels.map((level) => level["spec"] as Spec),
    );
    const seats = Object.fromEntries(
      levels.map(({ metadata }, index) => [metadata.name, [limits[index]!.nominal, limits[index]!.lower]]),
    );
    expect(seats).toEqual({
      exempt: [0, 0],
      "catch-all": [13, 13],
      system: [74, 50],
      "node-high": [98, 73],
      "leader-election": [25, 25],
      "workload-high": [98, 49],
      "workload-low": [245, 24],
      "global-default": [49, 24],
    });
  });

  it.each([
    ["without a limit, as many as the server has", queueing(10), 10 + 20],
    ["a percentage of its own", queueing(10, { borrowing: 50 }), 15],
    ["none", queueing(10, { borrowing: 0 }), 10],
  ])("lets a level borrow %s", (_what, level, upper) => {
    expect(seatLimits(20, [level, queueing(10)])[0]?.upper).toBe(upper);
  });

  it("gives the smallest share a seat, and no share none", () => {
    expect(seatLimits(1, [queueing(1), queueing(1000), queueing(0)]).map(({ nominal }) => nominal)).toEqual([1, 1, 0]);
    expect(seatLimits(10, [queueing(0)])[0]?.nominal).toBe(0);
  });
});

describe("fairFraction", () => {
  it.each([
    [
      "every level has the same part of what it wants",
      30,
      [
        [0, 100, 40],
        [0, 100, 20],
      ],
      0.5,
    ],
    [
      "one keeps more than its part",
      30,
      [
        [20, 100, 20],
        [0, 100, 20],
      ],
      0.5,
    ],
    [
      "one cannot have more",
      30,
      [
        [0, 10, 40],
        [0, 100, 40],
      ],
      0.5,
    ],
    [
      "levels keep all there are",
      30,
      [
        [20, 100, 40],
        [10, 100, 40],
      ],
      0,
    ],
    [
      "there are more than all may have",
      300,
      [
        [0, 10, 20],
        [0, 100, 50],
      ],
      2,
    ],
    ["there are no levels", 30, [], 0],
  ])("where %s", (_, seats, levels, expected) => {
    const demands = levels.map(([lower, upper, wanted]) => ({ lower: lower!, upper: upper!, wanted: wanted! }));
    expect(fairFraction(seats, demands)).toBeCloseTo(expected);
  });
});
