// Every pod is counted once, wherever the controller is cut off between the steps.

import { describe, expect, it } from "vitest";
import type { Job } from "../../kinds/batch/job.ts";
import { accountPods, countReleased, finishedStatus, withJobCondition, withoutZeros } from "./account-pods.ts";
import { assessJob, type Verdict } from "./assess-job.ts";
import { jobPod, jobState, NOW_MS, namesOf, type TestJobPod, testJob } from "./job.testing.ts";

const FAILS: Verdict = { type: "FailureTarget", reason: "R", message: "m" };
const SUCCEEDS: Verdict = { type: "SuccessCriteriaMet", reason: "R", message: "m" };

function account(
  spec: Partial<Job["spec"]>,
  status: Partial<Job["status"]>,
  list: readonly TestJobPod[],
  finish?: Verdict,
) {
  const pods = list.map((pod, at) => jobPod(`p${at}`, pod));
  const state = jobState(testJob(spec, status), pods);
  const ends = { verdict: finish, finishes: finish !== undefined };
  const accounting = accountPods(state, assessJob(state), state.job.status, ends);
  const { succeeded = 0, failed = 0, uncountedTerminatedPods, completedIndexes, failedIndexes } = accounting.status;
  return {
    release: namesOf(accounting.release),
    full: accounting.full,
    succeeded,
    failed,
    uncounted: uncountedTerminatedPods,
    completedIndexes,
    failedIndexes,
  };
}

describe("pods that have ended", () => {
  it("are named before they are let go", () => {
    expect(
      account({}, { succeeded: 1 }, [{ phase: "Succeeded" }, { phase: "Failed" }, {}, { ending: true }]),
    ).toMatchObject({
      release: ["p0", "p1", "p3"],
      succeeded: 1,
      failed: 0,
      uncounted: { succeeded: ["uid-p0"], failed: ["uid-p1", "uid-p3"] },
    });
  });

  it("are counted once they are let go, and named no longer", () => {
    const uncountedTerminatedPods = { succeeded: ["uid-p0", "uid-gone"], failed: ["uid-p1"] };
    const list = [{ phase: "Succeeded" as const, finalizer: false }, { phase: "Failed" as const }];
    expect(account({}, { succeeded: 1, uncountedTerminatedPods }, list)).toMatchObject({
      release: ["p1"],
      succeeded: 3,
      failed: 0,
      uncounted: { failed: ["uid-p1"] },
    });
  });

  it("that were counted are not counted again", () => {
    expect(account({}, { succeeded: 1 }, [{ phase: "Succeeded", finalizer: false }])).toMatchObject({
      release: [],
      succeeded: 1,
      uncounted: {},
    });
  });

  it("with an ignored failure are let go and not counted", () => {
    const rules = [{ action: "Ignore" as const, onExitCodes: { operator: "In" as const, values: [5] } }];
    expect(account({ podFailurePolicy: { rules } }, {}, [{ phase: "Failed", exitCode: 5 }])).toMatchObject({
      release: ["p0"],
      uncounted: {},
    });
  });

  it("of an Indexed job are counted by their index", () => {
    const spec = { completionMode: "Indexed" as const, completions: 5 };
    const list = [
      { phase: "Succeeded" as const, index: 3 },
      { phase: "Succeeded" as const, index: 1 },
      { phase: "Failed" as const, index: 9 },
    ];
    expect(account(spec, { completedIndexes: "0", succeeded: 1 }, list)).toMatchObject({
      release: ["p1", "p0", "p2"],
      succeeded: 3,
      completedIndexes: "0,1,3",
      uncounted: {},
    });
  });

  it("stay while their replacement has to learn from them", () => {
    const spec = { completionMode: "Indexed" as const, completions: 3, backoffLimitPerIndex: 1 };
    const list = [
      { phase: "Failed" as const, index: 0, failuresBefore: 0 },
      { phase: "Failed" as const, index: 1, failuresBefore: 0 },
      { index: 1, failuresBefore: 1 },
      { phase: "Failed" as const, index: 2, failuresBefore: 1 },
    ];
    expect(account(spec, {}, list)).toMatchObject({
      release: ["p1", "p3"],
      failedIndexes: "2",
      uncounted: { failed: ["uid-p1", "uid-p3"] },
    });
  });

  it("are all let go when the job ends: as failures when it has failed, uncounted when it has not", () => {
    expect(account({}, {}, [{}, { phase: "Succeeded" }], FAILS)).toMatchObject({
      release: ["p0", "p1"],
      uncounted: { succeeded: ["uid-p1"], failed: ["uid-p0"] },
    });
    expect(account({}, {}, [{}, { ending: true }, { phase: "Failed" }], SUCCEEDS)).toMatchObject({
      release: ["p0", "p1", "p2"],
      uncounted: { failed: ["uid-p2"] },
    });
  });

  it("do not count against a job that has succeeded and waits for them to go", () => {
    const pods = [jobPod("p0", { ending: true }), jobPod("p1", { phase: "Failed" })];
    const state = jobState(testJob(), pods);
    const waits = { verdict: SUCCEEDS, finishes: false };
    const { release, status } = accountPods(state, assessJob(state), state.job.status, waits);
    expect(namesOf(release)).toEqual(["p1"]);
    expect(status.uncountedTerminatedPods).toEqual({ failed: ["uid-p1"] });
  });

  it("are named at most 500 at a time", () => {
    const many = Array.from({ length: 600 }, () => ({ phase: "Failed" as const }));
    const { release, full } = account({}, {}, many);
    expect(release).toHaveLength(500);
    expect(full).toBe(true);
  });

  it("are counted once through any cut between the steps", () => {
    // Each step either happens or the controller is cut off before it and begins anew.
    for (let cuts = 0; cuts < 2 ** 6; cuts += 1) {
      let status: Job["status"] = {};
      const finalizers = new Set(["p0", "p1", "p2"]);
      for (let turn = 0; turn < 8; turn += 1) {
        const pods = [...["p0", "p1"]].map((name) =>
          jobPod(name, { phase: "Failed", finalizer: finalizers.has(name) }),
        );
        pods.push(jobPod("p2", { phase: "Succeeded", finalizer: finalizers.has("p2") }));
        const state = jobState(testJob({}, status), pods);
        const cutAt = (step: number) => turn < 2 && (cuts & (1 << (turn * 3 + step))) !== 0;
        const accounting = accountPods(state, assessJob(state), state.job.status, {
          verdict: undefined,
          finishes: false,
        });
        if (cutAt(0)) continue;
        status = accounting.status;
        const tracked = new Set(accounting.tracked);
        for (const [at, pod] of accounting.release.entries()) {
          if (cutAt(1) && at > 0) break;
          finalizers.delete(pod.metadata.name);
          tracked.delete(pod.metadata.uid);
        }
        if (cutAt(1) || cutAt(2)) continue;
        status = countReleased(status, tracked);
      }
      expect(withoutZeros(status)).toMatchObject({ failed: 2, succeeded: 1, uncountedTerminatedPods: {} });
    }
  });
});

describe("a job that ends", () => {
  it("waits for what is not counted and for pods that still end", () => {
    expect(finishedStatus({ uncountedTerminatedPods: { failed: ["x"] } }, FAILS, NOW_MS)).toBeUndefined();
    expect(finishedStatus({ terminating: 1 }, FAILS, NOW_MS)).toBeUndefined();
  });

  it("says how, why and when", () => {
    expect(finishedStatus({ terminating: 0 }, SUCCEEDS, NOW_MS)).toMatchObject({
      completionTime: "2030-01-01T12:00:00Z",
      conditions: [{ type: "Complete", status: "True", reason: "R", message: "m" }],
    });
    const failed = finishedStatus({}, FAILS, NOW_MS);
    expect(failed?.conditions?.map(({ type }) => type)).toEqual(["Failed"]);
    expect(failed).not.toHaveProperty("completionTime");
  });

  it("keeps a condition that says the same as it was", () => {
    const suspended = { type: "Suspended", status: "True" as const, reason: "a", message: "b" };
    const first = withJobCondition(undefined, suspended, NOW_MS);
    expect(withJobCondition(first, suspended, NOW_MS + 5_000)).toEqual(first);
    expect(withJobCondition(first, { ...suspended, status: "False" }, NOW_MS + 5_000)[0]?.lastTransitionTime).toBe(
      "2030-01-01T12:00:05Z",
    );
  });
});
