import { describe, expect, it } from "vitest";
import type { Job } from "../../kinds/batch/job.ts";
import { DIALECTS } from "../../meta/names.ts";
import { timeOfMs } from "../../meta/time.ts";
import { controllersInProcess } from "../controllers.testing.ts";
import { msUntilExpiry } from "./job-expiry.ts";
import { ttlAfterFinishedController } from "./ttl-after-finished-controller.ts";

describe("a Job expires", () => {
  const job = (ttl: number | undefined, condition?: object, metadata: object = {}) =>
    ({
      metadata: { name: "j", ...metadata },
      spec: { ...(ttl === undefined ? {} : { ttlSecondsAfterFinished: ttl }) },
      status: { conditions: condition === undefined ? [] : [condition] },
    }) as unknown as Job;
  const finished = (type: string, status = "True") => ({ type, status, lastTransitionTime: timeOfMs(100_000) });
  const cases: [what: string, of: Job, leftMs: number | undefined][] = [
    ["never without a limit", job(undefined, finished("Complete")), undefined],
    ["never while it runs", job(10), undefined],
    ["not while it only seems to end", job(10, finished("FailureTarget")), undefined],
    ["not while it may not have failed", job(10, finished("Failed", "False")), undefined],
    ["not when nobody knows since when", job(10, { type: "Complete", status: "True" }), undefined],
    ["not when it ends already", job(0, finished("Failed"), { deletionTimestamp: timeOfMs(1) }), undefined],
    ["after its time", job(10, finished("Complete")), 5_000],
    ["at once without a time", job(0, finished("Failed")), -5_000],
    ["when its time is over", job(5, finished("Failed")), 0],
  ];
  it.each(cases)("%s", (_, of, leftMs) => expect(msUntilExpiry(of, 105_000)).toBe(leftMs));
});

it.each(DIALECTS)("finished Jobs go after their time, in the dialect %s", async (dialect) => {
  const { client, clock, eventually, restart, close } = await controllersInProcess({
    definitions: [ttlAfterFinishedController],
    dialect,
  });
  const jobs = client.batch.v1.jobs("default");
  const template = { spec: { restartPolicy: "Never" as const, containers: [{ name: "c", image: "i" }] } };
  for (const [name, ttlSecondsAfterFinished] of [
    ["soon", 60],
    ["raised", 60],
    ["running", 60],
  ] as const)
    await jobs.create({ metadata: { name }, spec: { template, ttlSecondsAfterFinished } });
  for (const name of ["soon", "raised"]) {
    const now = timeOfMs(clock.nowMs());
    const condition = (type: string) => ({ type, status: "True", lastTransitionTime: now });
    const conditions = [condition("SuccessCriteriaMet"), condition("Complete")];
    await jobs.status.patch(name, {
      merge: { status: { startTime: now, completionTime: now, succeeded: 1, conditions } },
    });
  }
  await clock.advance(30_000);
  await restart();
  expect(await jobs.find("soon")).toBeDefined();
  await jobs.patch("raised", { merge: { spec: { ttlSecondsAfterFinished: 3_600 } } });
  await clock.advance(31_000);
  const soon = await eventually(async () => {
    const job = await jobs.get("soon");
    expect(job.metadata.deletionTimestamp).toBeDefined();
    return job;
  });
  expect(soon.metadata.finalizers).toEqual(["foregroundDeletion"]);
  for (const name of ["raised", "running"]) expect((await jobs.get(name)).metadata.deletionTimestamp).toBeUndefined();
  await close();
});
