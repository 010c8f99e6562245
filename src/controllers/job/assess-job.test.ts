// What pods say about their job: upstream's cases of syncJob, without the server.

import { describe, expect, it } from "vitest";
import type { Job } from "../../kinds/batch/job.ts";
import { timeOfMs } from "../../meta/time.ts";
import { type Assessment, assessJob } from "./assess-job.ts";
import { jobPod, jobState, NOW_MS, namesOf, type TestJobPod, testJob } from "./job.testing.ts";

const pods = (list: readonly TestJobPod[]) => list.map((pod, at) => jobPod(`p${at}`, pod));
const numbers = ({ active, terminating, succeeded, failed }: Assessment) => ({
  active: active.length,
  terminating: terminating.length,
  succeeded,
  failed,
});

describe("the numbers of a job", () => {
  it("count what ended once: in the status, named in it, or new", () => {
    const job = testJob(
      {},
      { succeeded: 2, failed: 1, uncountedTerminatedPods: { succeeded: ["uid-p0"], failed: ["uid-p1", "gone"] } },
    );
    const list = pods([
      { phase: "Succeeded" },
      { phase: "Failed" },
      { phase: "Succeeded" },
      { phase: "Failed" },
      { phase: "Succeeded", finalizer: false },
      { phase: "Failed", finalizer: false },
      {},
      { ending: true },
    ]);
    // One that ends is as good as failed.
    expect(numbers(assessJob(jobState(job, list)))).toEqual({ active: 1, terminating: 1, succeeded: 4, failed: 5 });
  });

  it("do not count pods whose finalizer is gone before the cache shows it", () => {
    const state = jobState(testJob(), pods([{ phase: "Succeeded" }, { phase: "Failed" }]), {
      released: new Set(["uid-p0", "uid-p1"]),
    });
    expect(numbers(assessJob(state))).toMatchObject({ succeeded: 0, failed: 0 });
  });

  it("wait for pods to fail where only those are replaced", () => {
    const job = testJob({ podReplacementPolicy: "Failed" });
    const list = pods([{ ending: true }, { ending: true, phase: "Failed" }]);
    expect(numbers(assessJob(jobState(job, list)))).toEqual({ active: 0, terminating: 1, succeeded: 0, failed: 1 });
  });

  it("leave out failures that a rule ignores", () => {
    const rules = [{ action: "Ignore" as const, onExitCodes: { operator: "In" as const, values: [5] } }];
    const job = testJob({ podFailurePolicy: { rules } });
    const list = pods([
      { phase: "Failed", exitCode: 5 },
      { phase: "Failed", exitCode: 6 },
    ]);
    expect(assessJob(jobState(job, list)).failed).toBe(1);
  });

  it("of an Indexed job are of indexes that it has", () => {
    const job = testJob({ completionMode: "Indexed", completions: 5 }, { completedIndexes: "0", succeeded: 1 });
    const list = pods([
      { phase: "Succeeded", index: 0 },
      { phase: "Succeeded", index: 2 },
      { phase: "Succeeded", index: 2 },
      { phase: "Succeeded", index: 7 },
      { phase: "Succeeded" },
      { phase: "Succeeded", index: 3, finalizer: false },
      { phase: "Failed", index: 9 },
    ]);
    const { succeeded, failed, completedIndexes } = assessJob(jobState(job, list));
    expect({ succeeded, failed, text: completedIndexes.text }).toEqual({ succeeded: 2, failed: 0, text: "0,2" });
  });

  it("say which indexes failed for good, and which pods wait to be replaced", () => {
    const job = testJob({ completionMode: "Indexed", completions: 6, backoffLimitPerIndex: 1 }, { failedIndexes: "5" });
    const list = pods([
      { phase: "Failed", index: 0, failuresBefore: 1 },
      { phase: "Failed", index: 1, failuresBefore: 0 },
      { phase: "Failed", index: 2, failuresBefore: 0 },
      { index: 2, failuresBefore: 1 },
      { phase: "Failed", index: 3, failuresBefore: 0, endedMs: NOW_MS - 2 },
      { phase: "Failed", index: 3, failuresBefore: 0, endedMs: NOW_MS - 1 },
    ]);
    const { failedIndexes, toReplace } = assessJob(jobState(job, list));
    expect(failedIndexes?.text).toBe("0,5");
    expect([...toReplace].map(([index, pod]) => [index, pod.metadata.name])).toEqual([
      [1, "p1"],
      [3, "p5"],
    ]);
  });

  it("fail an index at once where a rule says so", () => {
    const rules = [{ action: "FailIndex" as const, onExitCodes: { operator: "In" as const, values: [5] } }];
    const job = testJob({
      completionMode: "Indexed",
      backoffLimitPerIndex: 9,
      podFailurePolicy: { rules },
      podReplacementPolicy: "Failed",
    });
    const list = pods([{ phase: "Failed", index: 1, exitCode: 5 }]);
    expect(assessJob(jobState(job, list)).failedIndexes?.text).toBe("1");
  });
});

describe("the verdict on a job", () => {
  const failJob = { rules: [{ action: "FailJob" as const, onExitCodes: { operator: "In" as const, values: [5] } }] };
  const indexed = { completionMode: "Indexed" as const, completions: 3, backoffLimitPerIndex: 0 };
  const condition = (type: string) => [
    { type, status: "True" as const, reason: "Why", message: "because", lastProbeTime: null, lastTransitionTime: null },
  ];
  const cases: [
    what: string,
    spec: Partial<Job["spec"]>,
    status: Partial<Job["status"]>,
    pods: TestJobPod[],
    is: string | undefined,
  ][] = [
    ["is open while it runs", {}, {}, [{}], undefined],
    ["is open at the limit of failures", { backoffLimit: 1 }, { failed: 1 }, [], undefined],
    ["comes with one failure more", { backoffLimit: 1 }, { failed: 1 }, [{ phase: "Failed" }], "BackoffLimitExceeded"],
    ["comes with a rule", { podFailurePolicy: failJob }, {}, [{ phase: "Failed", exitCode: 5 }], "PodFailurePolicy"],
    [
      "comes with the time that is over",
      { activeDeadlineSeconds: 60 },
      { startTime: timeOfMs(NOW_MS - 60_000) },
      [{}],
      "DeadlineExceeded",
    ],
    ["is open before", { activeDeadlineSeconds: 60 }, { startTime: timeOfMs(NOW_MS - 59_000) }, [{}], undefined],
    [
      "waits while it is suspended",
      { activeDeadlineSeconds: 60, suspend: true },
      { startTime: timeOfMs(NOW_MS - 90_000) },
      [],
      undefined,
    ],
    [
      "comes with too many failed indexes",
      { ...indexed, maxFailedIndexes: 1 },
      { failedIndexes: "0" },
      [{ phase: "Failed", index: 1 }],
      "MaxFailedIndexesExceeded",
    ],
    [
      "comes when all indexes are done and some have failed",
      indexed,
      { failedIndexes: "0", completedIndexes: "1" },
      [{ phase: "Succeeded", index: 2 }],
      "FailedIndexes",
    ],
    [
      "comes early by the success policy",
      { ...indexed, successPolicy: { rules: [{ succeededCount: 1 }] } },
      {},
      [{ phase: "Succeeded", index: 2 }, { index: 0 }],
      "SuccessPolicy",
    ],
    ["stays what it was", {}, { conditions: condition("FailureTarget") }, [], "Why"],
    [
      "of success is not undone by a failure",
      { podFailurePolicy: failJob },
      { conditions: condition("SuccessCriteriaMet") },
      [{ phase: "Failed", exitCode: 5 }],
      "Why",
    ],
  ];
  it.each(cases)("%s", (_what, spec, status, list, is) => {
    expect(assessJob(jobState(testJob(spec, status), pods(list))).verdict?.reason).toBe(is);
  });

  const restarts: [limit: number, restarts: number[], is: string | undefined][] = [
    [0, [0], undefined],
    [0, [1], "BackoffLimitExceeded"],
    [3, [1, 1], undefined],
    [3, [1, 2], "BackoffLimitExceeded"],
  ];
  it.each(restarts)("with a limit of %s and %j restarts in place is %s", (backoffLimit, list, is) => {
    const job = testJob({ backoffLimit });
    job.spec.template.spec.restartPolicy = "OnFailure";
    expect(assessJob(jobState(job, pods(list.map((restarts) => ({ restarts }))))).verdict?.reason).toBe(is);
  });

  it("names the pods that run", () => {
    expect(namesOf(assessJob(jobState(testJob(), pods([{}, { phase: "Failed" }, { ending: true }]))).active)).toEqual([
      "p0",
    ]);
  });
});
