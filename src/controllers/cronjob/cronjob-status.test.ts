// What jobs say about their CronJob.

import { describe, expect, it } from "vitest";
import type { Stored } from "../../client/informer.ts";
import type { CronJob } from "../../kinds/batch/cron-job.ts";
import type { Job } from "../../kinds/batch/job.ts";
import { namesFor } from "../../meta/names.ts";
import { jobsBeyondHistory, observeJobs } from "./cronjob-status.ts";
import { jobName, jobOfStart } from "./job-of-start.ts";

const job = (name: string, ended?: "Complete" | "Failed", startTime?: string, completionTime?: string): Stored<Job> =>
  ({
    metadata: { name, uid: `uid-${name}` },
    status: { startTime, completionTime, conditions: ended ? [{ type: ended, status: "True" }] : [] },
  }) as unknown as Stored<Job>;
const reference = (name: string) => ({ name, uid: `uid-${name}` });
const names = (list: readonly { name?: string; metadata?: { name?: string } }[]) =>
  list.map((each) => each.metadata?.name ?? each.name);

describe("the jobs of a CronJob", () => {
  it("leave the list of active ones when they end; those that cannot be seen stay for now", () => {
    const active = ["runs", "done", "broke", "unseen"].map(reference);
    const jobs = [job("runs"), job("done", "Complete"), job("broke", "Failed"), job("manual"), job("old", "Complete")];
    const observed = observeJobs({ active }, jobs);
    expect(names(observed.active)).toEqual(["runs", "unseen"]);
    expect(names(observed.completed)).toEqual(["done", "broke"]);
    expect(names(observed.unexpected)).toEqual(["manual"]);
    expect(names(observed.unseen)).toEqual(["unseen"]);
  });

  it("say when one last succeeded, never earlier than is known", () => {
    const early = job("a", "Complete", undefined, "2030-01-01T01:00:00Z");
    const late = job("b", "Complete", undefined, "2030-01-01T02:00:00Z");
    const failed = job("c", "Failed", undefined, "2030-01-01T03:00:00Z");
    expect(observeJobs(undefined, [late, early, failed]).lastSuccessfulTime).toBe("2030-01-01T02:00:00Z");
    expect(observeJobs({ lastSuccessfulTime: "2030-01-01T04:00:00Z" }, [late]).lastSuccessfulTime).toBe(
      "2030-01-01T04:00:00Z",
    );
    expect(observeJobs({}, [failed]).lastSuccessfulTime).toBeUndefined();
  });

  const jobs = [
    job("c3", "Complete", "2030-01-01T03:00:00Z"),
    job("c1", "Complete", "2030-01-01T01:00:00Z"),
    job("c2", "Complete", "2030-01-01T02:00:00Z"),
    job("never", "Complete"),
    job("f2", "Failed", "2030-01-01T01:00:00Z"),
    job("f1", "Failed", "2030-01-01T01:00:00Z"),
    job("runs", undefined, "2029-01-01T01:00:00Z"),
  ];
  const limits: [successful: number | undefined, failed: number | undefined, beyond: string[]][] = [
    [undefined, undefined, []],
    [4, 2, []],
    [3, 1, ["c1", "f1"]],
    [1, undefined, ["c1", "c2", "c3"]],
    [0, 0, ["c1", "c2", "c3", "never", "f1", "f2"]],
    [9, 9, []],
  ];
  it.each(limits)("of which %s that succeeded and %s that failed are kept lose %j", (successful, failed, beyond) => {
    expect(names(jobsBeyondHistory(jobs, { successful, failed }))).toEqual(beyond);
  });
});

describe("the job of a start", () => {
  const atMs = Date.parse("2030-01-01T10:00:00Z");
  const cronJob = (timeZone?: string) =>
    ({
      metadata: { name: "report", namespace: "n", uid: "u" },
      spec: {
        timeZone,
        jobTemplate: {
          metadata: { labels: { a: "b" }, annotations: { c: "d" }, name: "ignored" },
          spec: { template: { spec: { containers: [] } } },
        },
      },
    }) as unknown as Stored<CronJob>;

  it("has the template's labels, annotations and words, and an owner", () => {
    expect(jobOfStart(cronJob(), atMs, namesFor("kubernetes"))).toEqual({
      metadata: {
        name: "report-31558200",
        namespace: "n",
        labels: { a: "b" },
        annotations: { c: "d", "batch.kubernetes.io/cronjob-scheduled-timestamp": "2030-01-01T10:00:00Z" },
        ownerReferences: [
          {
            apiVersion: "batch/v1",
            kind: "CronJob",
            name: "report",
            uid: "u",
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: { template: { spec: { containers: [] } } },
    });
  });

  it.each([
    ["Asia/Kolkata", "2030-01-01T15:30:00+05:30"],
    ["America/New_York", "2030-01-01T05:00:00-05:00"],
    ["UTC", "2030-01-01T10:00:00Z"],
  ])("in %s says its moment as %s", (zone, text) => {
    const { annotations } = jobOfStart(cronJob(zone), atMs, namesFor("platform")).metadata!;
    expect(annotations?.["batch.platform.io/cronjob-scheduled-timestamp"]).toBe(text);
  });

  it("has one name for one minute", () => {
    expect(jobName("x", atMs)).toBe(jobName("x", atMs + 59_999));
    expect(jobName("x", atMs)).not.toBe(jobName("x", atMs + 60_000));
  });
});
