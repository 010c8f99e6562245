import { describe, expect, it } from "vitest";
import { isScalingEvent, planScaling } from "./proportional-scaling.ts";
import { testDeployment, testSet } from "./replica-sets.testing.ts";
import { rolloutLimits } from "./rollout-limits.ts";

const recorded = {
  desired: ({ metadata }: { metadata: { annotations?: Record<string, string> } }) =>
    numberOf(metadata.annotations?.["desired"]),
  max: ({ metadata }: { metadata: { annotations?: Record<string, string> } }) =>
    numberOf(metadata.annotations?.["max"]),
};
const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));

type Row = [
  what: string,
  replicas: number,
  maxSurge: number,
  before: number,
  current: number | undefined,
  old: number[],
  sizes: Record<string, number>,
];

/** All sets were last scaled when the deployment had `before` replicas, with the same surge. */
function sizes([, replicas, maxSurge, before, current, old]: Row, missing = false) {
  const deployment = testDeployment(
    { replicas, strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable: 1 } } },
    { replicas: before },
  );
  const annotations = missing ? {} : { desired: String(before), max: String(before + maxSurge) };
  const sets = {
    current: current === undefined ? undefined : testSet("new", { replicas: current, annotations, createdMs: 9_000 }),
    // The first one is the newest, as upstream's tables have them.
    old: old.map((count, at) => testSet(`old${at}`, { replicas: count, annotations, createdMs: 8_000 - at * 1_000 })),
  };
  const scalings = planScaling(deployment, rolloutLimits(deployment), sets, recorded);
  return Object.fromEntries(scalings.map(({ set, replicas }) => [set.metadata.name, replicas]));
}

describe("scaling", () => {
  const cases: Row[] = [
    ["the only set grows", 12, 0, 10, 10, [], { new: 12 }],
    ["the only set shrinks", 5, 0, 10, 10, [], { new: 5 }],
    ["the only set that has pods, though it is old", 5, 0, 10, 0, [10, 0], { old0: 5 }],
    ["none has pods: the current one", 3, 0, 0, 0, [0], { new: 3 }],
    ["none has pods and none is current: the latest", 3, 0, 0, undefined, [0, 0], { old0: 3 }],
    ["both grow alike", 12, 0, 10, 5, [5], { new: 6, old0: 6 }],
    ["both shrink alike", 5, 0, 10, 5, [5], { new: 3, old0: 2 }],
    ["the larger gets what is left over", 20, 0, 10, 3, [7], { new: 6, old0: 14 }],
    ["all grow by their parts", 50, 0, 10, 5, [3, 2], { new: 25, old0: 15, old1: 10 }],
    ["with what rounding leaves", 11, 0, 10, 5, [3, 2], { new: 6, old0: 3, old1: 2 }],
    ["with a surge", 110, 20, 60, 60, [20], { new: 98, old0: 32 }],
    ["to nothing", 0, 0, 10, 5, [3, 2], { new: 0, old0: 0, old1: 0 }],
    ["to one", 1, 0, 10, 5, [5], { new: 1, old0: 0 }],
    ["without change", 10, 0, 10, 5, [5], { new: 5, old0: 5 }],
  ];
  it.each(cases)("%s", (...row) => {
    expect(sizes(row)).toEqual(row[6]);
  });

  it("goes by the present size where sets do not say what they had", () => {
    expect(sizes(["", 20, 0, 10, 5, [5], {}], true)).toEqual({ new: 10, old0: 10 });
    expect(sizes(["", 20, 0, 0, 5, [5], {}], true)).toEqual({ new: 15, old0: 5 });
  });

  it("takes adopted sets away from a deployment that has all it wants", () => {
    const deployment = testDeployment({ replicas: 5 });
    const sets = {
      current: testSet("new", { replicas: 5, available: 5, annotations: { desired: "5" } }),
      old: [testSet("adopted", { replicas: 3 })],
    };
    const scalings = planScaling(deployment, rolloutLimits(deployment), sets, recorded);
    expect(scalings.map(({ set, replicas }) => [set.metadata.name, replicas])).toEqual([["adopted", 0]]);
  });

  it("does nothing between several sets when all is recreated", () => {
    const deployment = testDeployment({ replicas: 9, strategy: { type: "Recreate" } });
    const sets = { current: testSet("new", { replicas: 5 }), old: [testSet("old", { replicas: 5 })] };
    expect(planScaling(deployment, rolloutLimits(deployment), sets, recorded)).toEqual([]);
  });
});

describe("a scaling event", () => {
  const cases: [what: string, current: [replicas: number, desired: string | undefined], is: boolean][] = [
    ["is another number than was recorded", [10, "8"], true],
    ["is not the same number", [10, "10"], false],
    ["is nothing for a set without pods", [0, "8"], false],
    ["is nothing where nothing was recorded", [10, undefined], false],
  ];
  it.each(cases)("%s", (_what, [replicas, desired], is) => {
    const annotations = desired === undefined ? {} : { desired };
    const sets = { current: testSet("new", { replicas, annotations }), old: [] };
    expect(isScalingEvent(sets, rolloutLimits(testDeployment()), recorded)).toBe(is);
  });
});
