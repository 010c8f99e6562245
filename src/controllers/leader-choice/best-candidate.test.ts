import { describe, expect, it } from "vitest";
import type { LeaseCandidate } from "../../kinds/coordination/lease-candidate.ts";
import { agreedStrategy, bestCandidate } from "./best-candidate.ts";

/** Name, emulated and own version, when it came, and the rule that it wants. */
type Row = readonly [name: string, emulation: string, binary: string, created?: string, strategy?: string];

const candidate = ([name, emulationVersion, binaryVersion, created = "10:00", strategy = OLDEST]: Row) =>
  ({
    metadata: { name, creationTimestamp: `2030-01-01T${created}:00Z` },
    spec: { leaseName: "l", emulationVersion, binaryVersion, strategy },
  }) as LeaseCandidate;

const OLDEST = "OldestEmulationVersion";

describe("the best candidate", () => {
  const cases: [what: string, rows: readonly Row[], best: string | undefined][] = [
    ["is nobody where there is none", [], undefined],
    ["is the only one", [["a", "1.34.0", "1.34.0"]], "a"],
    [
      "behaves like the oldest release",
      [
        ["a", "1.34.0", "1.34.0"],
        ["b", "1.33.0", "1.34.0"],
      ],
      "b",
    ],
    [
      "is compared by numbers, not by letters",
      [
        ["a", "1.10.0", "1.34.0"],
        ["b", "1.9.0", "1.34.0"],
      ],
      "b",
    ],
    [
      "comes before a release, when it led to it",
      [
        ["a", "1.34.0", "1.34.0"],
        ["b", "1.34.0-rc.1", "1.34.0"],
      ],
      "b",
    ],
    [
      "is the oldest program of equals",
      [
        ["a", "1.33.0", "1.34.0"],
        ["b", "1.33.0", "1.33.0"],
      ],
      "b",
    ],
    [
      "is who behaves oldest, however new the program",
      [
        ["a", "1.33.0", "1.33.0", "09:00"],
        ["b", "1.32.0", "1.35.0", "11:00"],
      ],
      "b",
    ],
    [
      "came first, of equals",
      [
        ["a", "1.34.0", "1.34.0", "11:00"],
        ["b", "1.34.0", "1.34.0", "10:59"],
      ],
      "b",
    ],
    [
      "has the first name, of those that came together",
      [
        ["b", "1.34.0", "1.34.0"],
        ["a", "1.34.0", "1.34.0"],
      ],
      "a",
    ],
    [
      "is nobody who says no version",
      [
        ["a", "", "1.30.0"],
        ["b", "1.34.0", "1.34.0"],
      ],
      "b",
    ],
    [
      "is nobody whose program has no version",
      [
        ["a", "1.30.0", "new"],
        ["b", "1.34.0", "1.34.0"],
      ],
      "b",
    ],
    ["is nobody where none says its versions", [["a", "", "1.34.0"]], undefined],
  ];
  it.each(cases)("%s", (_, rows, best) => {
    const candidates = rows.map(candidate);
    expect(bestCandidate(candidates)?.metadata.name).toBe(best);
    expect(bestCandidate(candidates.toReversed())?.metadata.name).toBe(best);
  });
});

describe("the rule that candidates want", () => {
  const old = (strategy: string, name = "old"): Row => [name, "1.33.0", "1.33.0", "10:00", strategy];
  const young = (strategy: string, name = "young"): Row => [name, "1.33.0", "1.34.0", "10:00", strategy];
  const cases: [what: string, rows: readonly Row[], strategy: string | undefined][] = [
    ["is that of the only one", [old("example.com/x")], "example.com/x"],
    ["is what all want", [old(OLDEST), young(OLDEST)], OLDEST],
    ["is the newest program's", [old(OLDEST), young("example.com/x")], "example.com/x"],
    ["is the newest program's, also where older ones differ", [old(OLDEST), old("a.b/c", "b"), young(OLDEST)], OLDEST],
    ["is none where the newest programs differ", [old(OLDEST), young(OLDEST), young("example.com/x", "b")], undefined],
  ];
  it.each(cases)("%s", (_, rows, strategy) => {
    for (const candidates of [rows.map(candidate), rows.map(candidate).toReversed()]) {
      const agreed = agreedStrategy(candidates);
      expect("strategy" in agreed ? agreed.strategy : undefined).toBe(strategy);
    }
  });

  it("is named with those who differ", () => {
    expect(agreedStrategy([young(OLDEST, "a"), young("example.com/x", "b")].map(candidate))).toEqual({
      dispute:
        "candidates of the same version want different strategies: a (OldestEmulationVersion), b (example.com/x)",
    });
  });
});
