// CronJobs against a server, with the clock in hand.

import { afterEach, describe, expect, it } from "vitest";
import { kinds } from "../../client/built-in-kinds.ts";
import type { Stored } from "../../client/informer.ts";
import type { SharedInformers } from "../../client/shared-informers.ts";
import type { CronJob } from "../../kinds/batch/cron-job.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import { DIALECTS } from "../../meta/names.ts";
import { timeOfMs } from "../../meta/time.ts";
import {
  type ControllersInProcess,
  type ControllersInProcessOptions,
  controllersInProcess,
} from "../controllers.testing.ts";
import type { ControllerDefinition } from "../framework/controller.ts";
import { cronJobController } from "./cronjob-controller.ts";

let world: ControllersInProcess;
let informers: SharedInformers;
afterEach(() => world.close());

type Spec = NonNullable<Draft<CronJob>["spec"]>;

/** The controller, and what it has heard of. */
const listenedTo: ControllerDefinition = {
  ...cronJobController,
  build(context) {
    informers = context.informers;
    return cronJobController.build(context);
  },
};

async function start(options: Partial<ControllersInProcessOptions> = {}) {
  world = await controllersInProcess({ definitions: [listenedTo], ...options });
  const { client, clock, eventually } = world;
  const jobs = client.batch.v1.jobs("default");
  const cronJobs = client.batch.v1.cronJobs("default");
  // To just after a full hour, so that the minutes of the tests are theirs.
  await clock.advance(3_600_000 - (clock.nowMs() % 3_600_000) + 1_000);
  const hourMs = clock.nowMs() - 1_000;
  return {
    ...world,
    jobs,
    cronJobs,
    hourMs,
    create: (spec: Partial<Spec>) =>
      cronJobs.create({
        metadata: { name: "c" },
        spec: {
          schedule: "*/5 * * * *",
          jobTemplate: {
            spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
          },
          ...spec,
        },
      }),
    names: async () => (await jobs.list()).items.map(({ metadata }) => metadata.name).sort(),
    nameAt: (minute: number) => `c-${hourMs / 60_000 + minute}`,
    async finish(name: string, type: "Complete" | "Failed") {
      const at = timeOfMs(clock.nowMs());
      const interim = type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
      const condition = (word: string) => ({ type: word, status: "True", lastProbeTime: at, lastTransitionTime: at });
      await jobs.status.modify(name, (job) => {
        job.status = {
          startTime: at,
          ...(type === "Complete" ? { completionTime: at } : {}),
          conditions: [condition(interim), condition(type)],
        };
      });
    },
    reasons: async () => {
      const { items } = await client.core.v1.events("default").list();
      return new Set(items.map(({ reason }) => reason));
    },
    /** The controller has heard of everything that was written, and nothing is left to do about it. */
    settled: () =>
      eventually(async () => {
        expect(versions(informers.of(kinds.batch.v1.cronJobs).cache.list())).toEqual(
          versions((await cronJobs.list()).items),
        );
        expect(versions(informers.of(kinds.batch.v1.jobs).cache.list())).toEqual(versions((await jobs.list()).items));
        expect(world.manager.busy).toBe(false);
      }),
  };
}

const MINUTE_MS = 60_000;

/** By the names of objects. */
const versions = (objects: readonly Stored<object>[]): ReadonlyMap<string, string> =>
  new Map(objects.map(({ metadata: { name, resourceVersion } }) => [name, resourceVersion]));

describe.each(DIALECTS)("a CronJob of the dialect %s", (dialect) => {
  it("starts a job at every moment of its schedule, says which are active, and keeps a few that have ended", async () => {
    const { create, clock, eventually, names, nameAt, finish, cronJobs, hourMs, jobs, reasons } = await start({
      dialect,
    });
    await create({ successfulJobsHistoryLimit: 1 });
    await clock.advance(4 * MINUTE_MS);
    expect(await names()).toEqual([]);
    await clock.advance(MINUTE_MS);
    await eventually(async () => expect(await names()).toEqual([nameAt(5)]));
    await eventually(async () => {
      const { status } = await cronJobs.get("c");
      expect(status?.lastScheduleTime).toBe(timeOfMs(hourMs + 5 * MINUTE_MS));
      expect(status?.active).toMatchObject([{ kind: "Job", apiVersion: "batch/v1", name: nameAt(5) }]);
    });
    const { metadata } = await jobs.get(nameAt(5));
    expect(metadata.ownerReferences).toMatchObject([{ kind: "CronJob", name: "c", controller: true }]);
    await finish(nameAt(5), "Complete");
    await eventually(async () => {
      const { status } = await cronJobs.get("c");
      expect(status?.active).toBeUndefined();
      expect(status?.lastSuccessfulTime).toBeDefined();
    });
    await clock.advance(5 * MINUTE_MS);
    await eventually(async () => expect(await names()).toEqual([nameAt(10), nameAt(5)].sort()));
    await finish(nameAt(10), "Complete");
    await eventually(async () => expect(await names()).toEqual([nameAt(10)]));
    await eventually(async () =>
      expect(await reasons()).toEqual(new Set(["SuccessfulCreate", "SawCompletedJob", "SuccessfulDelete"])),
    );
  });
});

describe("a CronJob", () => {
  it("that forbids company waits for its job to end", async () => {
    const { create, clock, eventually, names, nameAt, finish, settled, reasons } = await start();
    await create({ concurrencyPolicy: "Forbid" });
    await clock.advance(5 * MINUTE_MS);
    await eventually(async () => expect(await names()).toEqual([nameAt(5)]));
    await clock.advance(5 * MINUTE_MS);
    await settled();
    expect(await names()).toEqual([nameAt(5)]);
    await eventually(async () => expect(await reasons()).toContain("JobAlreadyActive"));
    await finish(nameAt(5), "Failed");
    // The start that was left out is made up for.
    await eventually(async () => expect(await names()).toEqual([nameAt(10), nameAt(5)].sort()));
  });

  it("that replaces ends the old job first", async () => {
    const { create, clock, eventually, names, nameAt, cronJobs } = await start();
    await create({ concurrencyPolicy: "Replace" });
    await clock.advance(5 * MINUTE_MS);
    await eventually(async () => expect(await names()).toEqual([nameAt(5)]));
    await clock.advance(5 * MINUTE_MS);
    await eventually(async () => expect(await names()).toEqual([nameAt(10)]));
    await eventually(async () =>
      expect((await cronJobs.get("c")).status?.active?.map(({ name }) => name)).toEqual([nameAt(10)]),
    );
  });

  it("that is suspended starts nothing, and makes up for the last start when it goes on", async () => {
    const { create, clock, eventually, names, nameAt, cronJobs, settled } = await start();
    await create({ suspend: true });
    await clock.advance(13 * MINUTE_MS);
    await settled();
    expect(await names()).toEqual([]);
    await cronJobs.patch("c", { merge: { spec: { suspend: false } } });
    await eventually(async () => expect(await names()).toEqual([nameAt(10)]));
  });

  it("starts nothing that is past its deadline", async () => {
    const { create, clock, eventually, names, nameAt, cronJobs, settled } = await start();
    await create({ suspend: true, startingDeadlineSeconds: 60 });
    await clock.advance(13 * MINUTE_MS);
    await cronJobs.patch("c", { merge: { spec: { suspend: false } } });
    await eventually(async () => expect((await cronJobs.get("c")).spec.suspend).toBe(false));
    await settled();
    expect(await names()).toEqual([]);
    await clock.advance(2 * MINUTE_MS);
    await eventually(async () => expect(await names()).toEqual([nameAt(15)]));
  });

  it("with a new schedule waits for its next moment", async () => {
    const { create, clock, eventually, names, nameAt, cronJobs, settled } = await start();
    await create({ schedule: "0 0 1 1 *" });
    await settled();
    await clock.advance(12 * MINUTE_MS);
    await cronJobs.patch("c", { merge: { spec: { schedule: "*/5 * * * *" } } });
    await settled();
    expect(await names()).toEqual([]);
    await clock.advance(3 * MINUTE_MS);
    await eventually(async () => expect(await names()).toEqual([nameAt(15)]));
  });

  it("takes a job that it started before a crash for its own, and does not start it twice", async () => {
    const { create, clock, eventually, names, nameAt, cronJobs, jobs, restart, manager, reasons } = await start();
    await create({});
    await manager.stop();
    await clock.advance(6 * MINUTE_MS);
    const { metadata } = await cronJobs.get("c");
    await jobs.create({
      metadata: {
        name: nameAt(5),
        ownerReferences: [{ apiVersion: "batch/v1", kind: "CronJob", name: "c", uid: metadata.uid, controller: true }],
      },
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
    });
    await restart();
    await eventually(async () =>
      expect((await cronJobs.get("c")).status?.active?.map(({ name }) => name)).toEqual([nameAt(5)]),
    );
    expect(await names()).toEqual([nameAt(5)]);
    expect(await reasons()).not.toContain("SuccessfulCreate");
  });

  it("leaves alone what has the name of its job and is not its own", async () => {
    const { create, clock, eventually, jobs, nameAt, cronJobs, settled } = await start();
    await jobs.create({
      metadata: { name: nameAt(5) },
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
    });
    await create({ concurrencyPolicy: "Replace", successfulJobsHistoryLimit: 0 });
    await clock.advance(5 * MINUTE_MS);
    await eventually(async () => expect((await cronJobs.get("c")).status?.lastScheduleTime).toBeDefined());
    await settled();
    expect((await cronJobs.get("c")).status?.active).toBeUndefined();
    await jobs.get(nameAt(5));
  });

  it("without history deletes a job that has ended, and tells of that alone", async () => {
    const { create, clock, eventually, names, nameAt, finish, cronJobs, reasons } = await start();
    await create({ schedule: "5 * * * *", timeZone: "Etc/UTC", successfulJobsHistoryLimit: 0 });
    await clock.advance(5 * MINUTE_MS);
    await eventually(async () => expect((await cronJobs.get("c")).status?.active).toHaveLength(1));
    await finish(nameAt(5), "Complete");
    await eventually(async () => expect(await names()).toEqual([]));
    await eventually(async () => {
      const { status } = await cronJobs.get("c");
      expect(status?.active).toBeUndefined();
      expect(status?.lastSuccessfulTime).toBeDefined();
    });
    await eventually(async () => expect(await reasons()).toEqual(new Set(["SuccessfulCreate", "SuccessfulDelete"])));
  });

  it("drops jobs that are gone from its list", async () => {
    const { create, clock, eventually, jobs, names, nameAt, cronJobs, reasons } = await start();
    await create({ schedule: "5 * * * *", timeZone: "Etc/UTC" });
    await clock.advance(5 * MINUTE_MS);
    await eventually(async () => expect((await cronJobs.get("c")).status?.active).toHaveLength(1));
    await jobs.delete(nameAt(5), { propagationPolicy: "Background" });
    await eventually(async () => expect((await cronJobs.get("c")).status?.active).toBeUndefined());
    expect(await names()).toEqual([]);
    await eventually(async () => expect(await reasons()).toContain("MissingJob"));
  });

  it("that can never start says so once", async () => {
    const { create, clock, settled, reasons, names, eventually, client } = await start();
    await create({ schedule: "0 0 31 2 *" });
    await eventually(async () => expect(await reasons()).toEqual(new Set(["InvalidSchedule"])));
    await clock.advance(60 * MINUTE_MS);
    await settled();
    const { items } = await client.core.v1.events("default").list();
    expect(items).toMatchObject([
      {
        count: 1,
        message: "invalid schedule: 0 0 31 2 * : time difference between two schedules is less than 1 second",
      },
    ]);
    expect(await names()).toEqual([]);
  });

  it("tells of jobs that somebody else started for it", async () => {
    const { create, eventually, jobs, cronJobs, reasons, finish } = await start();
    const { metadata } = await create({});
    await jobs.create({
      metadata: {
        name: "manual",
        annotations: { "example.com/instantiate": "manual" },
        ownerReferences: [{ apiVersion: "batch/v1", kind: "CronJob", name: "c", uid: metadata.uid, controller: true }],
      },
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
    });
    await eventually(async () => expect(await reasons()).toContain("UnexpectedJob"));
    await finish("manual", "Complete");
    await eventually(async () => expect((await cronJobs.get("c")).status?.lastSuccessfulTime).toBeDefined());
  });
});

it("a CronJob whose old jobs cannot be deleted starts new ones all the same", async () => {
  const { create, clock, eventually, names, nameAt, finish, reasons } = await start({
    fault: ({ method, path }) => (method === "DELETE" && path.includes("/jobs/") ? 500 : undefined),
  });
  await create({ successfulJobsHistoryLimit: 0 });
  await clock.advance(5 * MINUTE_MS);
  await eventually(async () => expect(await names()).toEqual([nameAt(5)]));
  await finish(nameAt(5), "Complete");
  await eventually(async () => expect(await reasons()).toContain("FailedDelete"));
  await clock.advance(5 * MINUTE_MS);
  await eventually(async () => expect(await names()).toContain(nameAt(10)));
});

it("a CronJob whose status could not be written knows its job all the same, and lets no other beside it", async () => {
  let refusals = 0;
  const { create, clock, eventually, names, nameAt, cronJobs, hourMs, settled, reasons } = await start({
    fault: ({ method, path }) => (method === "PUT" && path.includes("/status") && refusals++ === 0 ? 409 : undefined),
  });
  await create({ concurrencyPolicy: "Forbid" });
  await clock.advance(5 * MINUTE_MS);
  await eventually(async () => {
    const { status } = await cronJobs.get("c");
    expect(status?.active?.map(({ name }) => name)).toEqual([nameAt(5)]);
    expect(status?.lastScheduleTime).toBe(timeOfMs(hourMs + 5 * MINUTE_MS));
  });
  expect(refusals).toBeGreaterThan(1);
  await clock.advance(5 * MINUTE_MS);
  await settled();
  expect(await names()).toEqual([nameAt(5)]);
  expect(await reasons()).not.toContain("UnexpectedJob");
});
