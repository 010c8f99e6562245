import { describe, expect, it } from "vitest";
import type { Job } from "../../kinds/batch/job.ts";
import { assessJob } from "./assess-job.ts";
import { jobPod, jobState, NOW_MS, namesOf, type TestJobPod, testJob } from "./job.testing.ts";
import { planPods } from "./plan-pods.ts";

function plan(spec: Partial<Job["spec"]>, status: Partial<Job["status"]>, list: readonly TestJobPod[], failures = 0) {
  const pods = list.map((pod, at) => jobPod(`p${at}`, pod));
  const backoff = { failures, lastFailureMs: NOW_MS };
  const state = jobState(testJob(spec, status), pods, { backoff });
  const { excess, missing, waitMs } = planPods(state, assessJob(state));
  return { excess: namesOf(excess), missing, waitMs };
}

describe("the pods that a job lacks", () => {
  const none = undefined;
  const cases: [
    what: string,
    spec: Partial<Job["spec"]>,
    status: Partial<Job["status"]>,
    pods: TestJobPod[],
    missing: (number | undefined)[],
  ][] = [
    ["as many as may run", { parallelism: 2 }, {}, [], [none, none]],
    ["not more than are left to do", { parallelism: 3, completions: 4 }, { succeeded: 2 }, [{}], [none]],
    ["none when enough run", { parallelism: 2 }, {}, [{}, {}], []],
    ["none when parallelism is 0", { parallelism: 0 }, {}, [], []],
    ["none when counts below zero slipped in", { parallelism: -2, completions: -1 }, {}, [], []],
    [
      "none after the first success of a job without completions",
      { completions: none as never },
      { succeeded: 1 },
      [{}],
      [],
    ],
    ["a replacement while the old one ends", { parallelism: 1 }, {}, [{ ending: true }], [none]],
    [
      "none where only failed ones are replaced",
      { parallelism: 1, podReplacementPolicy: "Failed" },
      {},
      [{ ending: true }],
      [],
    ],
    [
      "the lowest free indexes",
      { completionMode: "Indexed", completions: 6, parallelism: 3 },
      { completedIndexes: "1" },
      [{ index: 0 }],
      [2, 3],
    ],
    [
      "not an index whose pod ends, where only failed ones are replaced",
      { completionMode: "Indexed", completions: 3, parallelism: 3, podReplacementPolicy: "Failed" },
      {},
      [{ index: 0, ending: true }],
      [1, 2],
    ],
  ];
  it.each(cases)("%s", (_what, spec, status, list, missing) => {
    expect(plan(spec, status, list)).toEqual({ excess: [], missing, waitMs: undefined });
  });

  it("wait after failures", () => {
    expect(plan({}, {}, [], 2)).toEqual({ excess: [], missing: [], waitMs: 20_000 });
  });

  it("wait by index where every index has its own limit", () => {
    const spec = { completionMode: "Indexed" as const, completions: 3, parallelism: 3, backoffLimitPerIndex: 5 };
    const list = [
      { phase: "Failed" as const, index: 0, failuresBefore: 1, exitCode: 1 },
      { phase: "Failed" as const, index: 1, failuresBefore: 0, exitCode: 1 },
    ];
    expect(plan(spec, {}, list, 9)).toEqual({ excess: [], missing: [2], waitMs: 10_000 });
  });

  it("come 500 at a time", () => {
    expect(plan({ parallelism: 2_000, completions: 2_000 }, {}, []).missing).toHaveLength(500);
  });
});

describe("the pods that a job has too many of", () => {
  it("are those that have come least far", () => {
    expect(plan({ parallelism: 1 }, {}, [{}, { phase: "Pending" }, {}]).excess).toContain("p1");
    expect(plan({ parallelism: 1 }, {}, [{}, { phase: "Pending" }]).excess).toEqual(["p1"]);
  });

  it("are all of a suspended job", () => {
    expect(plan({ suspend: true }, {}, [{}, {}])).toEqual({ excess: ["p0", "p1"], missing: [], waitMs: undefined });
  });

  it("are those that share an index, or have none that the job has", () => {
    const spec = { completionMode: "Indexed" as const, completions: 3, parallelism: 3 };
    const list = [{ index: 0 }, { index: 0, phase: "Pending" as const }, { index: 8 }, {}, { index: 1 }];
    expect(plan(spec, {}, list).excess.sort()).toEqual(["p1", "p2", "p3"]);
  });

  it("go before any is created", () => {
    const spec = { completionMode: "Indexed" as const, completions: 3, parallelism: 3 };
    expect(plan(spec, {}, [{ index: 0 }, { index: 9 }])).toEqual({ excess: ["p1"], missing: [], waitMs: undefined });
  });
});
