// Workloads that ask for as much as numbers can say: what is done about them is bounded by what there is room for, not by what
// is asked for.

import { afterEach, describe, expect, it } from "vitest";
import { parseFlags } from "../base/flags.ts";
import type { Pod } from "../kinds/core/pod.ts";
import { ALL_CONTROLLERS } from "./all-controllers.ts";
import { controllerFlags } from "./controller-options.ts";
import { type ControllersInProcess, controllersInProcess } from "./controllers.testing.ts";

const MOST = 2 ** 31 - 1;
/** Pods of the one namespace. */
const ROOM = 20;
const MAX_REQUESTS_OF_A_WHILE = 300;

let run: ControllersInProcess;
afterEach(() => run.close());

async function start(): Promise<void> {
  const { options } = parseFlags(controllerFlags, []);
  run = await controllersInProcess({
    definitions: ALL_CONTROLLERS.filter(({ missing }) => missing?.(options) === undefined),
    serverFlags: ["--disable-admission-plugins=ServiceAccount"],
  });
  await run.client.core.v1
    .resourceQuotas("default")
    .create({ metadata: { name: "room" }, spec: { hard: { pods: String(ROOM) } } });
  await run.eventually(async () =>
    expect((await run.client.core.v1.resourceQuotas("default").get("room")).status.used).toBeDefined(),
  );
}

const pods = () => run.client.core.v1.pods("default");
const listPods = async () => (await pods().list()).items;
const labels = { app: "x" };
const selector = { matchLabels: labels };
const podSpec = { containers: [{ name: "c", image: "i" }] };
const template = { metadata: { labels }, spec: podSpec };
const taskTemplate = { metadata: { labels }, spec: { ...podSpec, restartPolicy: "Never" as const } };

const finish = (pod: Pod) => pods().status.patch(pod.metadata.name!, { merge: { status: { phase: "Succeeded" } } });

/** Nothing happens meanwhile; what cannot be made is tried again later and later. */
async function requestsOfAWhile(): Promise<number> {
  const before = run.requests;
  for (let minute = 0; minute < 10; minute += 1) await run.clock.advance(60_000);
  return run.requests - before;
}

const full = () => run.eventually(async () => expect(await listPods()).toHaveLength(ROOM));

describe("as many as numbers can say", () => {
  it("pods of a ReplicaSet", async () => {
    await start();
    await run.client.apps.v1
      .replicaSets("default")
      .create({ metadata: { name: "x" }, spec: { replicas: MOST, selector, template } });
    await full();
    expect(await requestsOfAWhile()).toBeLessThan(MAX_REQUESTS_OF_A_WHILE);
    expect((await run.client.apps.v1.replicaSets("default").get("x")).status.replicas).toBe(ROOM);
  });

  it("pods of a Deployment, above its number and missing from it", async () => {
    await start();
    const deployments = run.client.apps.v1.deployments("default");
    const spec = (image: string) => ({
      replicas: MOST,
      selector,
      strategy: { type: "RollingUpdate" as const, rollingUpdate: { maxSurge: MOST, maxUnavailable: MOST } },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image }] } },
    });
    await deployments.create({ metadata: { name: "x" }, spec: spec("i") });
    await full();
    await deployments.patch("x", { merge: { spec: spec("newer") } });
    await run.eventually(async () => expect((await deployments.get("x")).status.updatedReplicas).toBeGreaterThan(0));
    expect(await requestsOfAWhile()).toBeLessThan(MAX_REQUESTS_OF_A_WHILE);
    const sets = (await run.client.apps.v1.replicaSets("default").list()).items;
    for (const { spec: each } of sets) expect(each.replicas).toBeLessThanOrEqual(MOST);
  });

  it.each(["OrderedReady", "Parallel"] as const)("pods of a StatefulSet, %s", async (podManagementPolicy) => {
    await start();
    const spec = { replicas: MOST, selector, template, serviceName: "s", podManagementPolicy };
    await run.client.apps.v1.statefulSets("default").create({ metadata: { name: "x" }, spec });
    await run.eventually(async () => expect((await listPods()).length).toBeGreaterThan(0));
    expect(await requestsOfAWhile()).toBeLessThan(MAX_REQUESTS_OF_A_WHILE);
    const made = (await listPods()).map(({ metadata }) => metadata.name).sort();
    expect(made).toContain("x-0");
    expect(made).toHaveLength(podManagementPolicy === "Parallel" ? ROOM : 1);
  });

  it("ordinals of a StatefulSet", async () => {
    await start();
    const spec = {
      replicas: 3,
      ordinals: { start: MOST - 3 },
      selector,
      template,
      serviceName: "s",
      podManagementPolicy: "Parallel" as const,
    };
    await run.client.apps.v1.statefulSets("default").create({ metadata: { name: "x" }, spec });
    await run.eventually(async () =>
      expect((await listPods()).map(({ metadata }) => metadata.name).sort()).toEqual(
        [3, 2, 1].map((below) => `x-${MOST - below}`),
      ),
    );
    await run.client.apps.v1.statefulSets("default").patch("x", { merge: { spec: { replicas: 1 } } });
    await run.eventually(async () => {
      const left = (await listPods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      expect(left.map(({ metadata }) => metadata.name)).toEqual([`x-${MOST - 3}`]);
    });
  });

  it("pods of a Job side by side, and completions", async () => {
    await start();
    const spec = { parallelism: MOST, completions: MOST, backoffLimit: MOST, template: taskTemplate };
    await run.client.batch.v1.jobs("default").create({ metadata: { name: "x" }, spec });
    await full();
    expect(await requestsOfAWhile()).toBeLessThan(MAX_REQUESTS_OF_A_WHILE);
    for (const pod of await listPods()) await finish(pod);
    await run.eventually(async () =>
      expect((await run.client.batch.v1.jobs("default").get("x")).status).toMatchObject({ succeeded: ROOM }),
    );
  });

  it("completions of an indexed Job, of which all but a few are done", async () => {
    await start();
    const jobs = run.client.batch.v1.jobs("default");
    const spec = { completionMode: "Indexed" as const, parallelism: 0, completions: MOST, template: taskTemplate };
    await jobs.create({ metadata: { name: "x" }, spec });
    await run.eventually(async () => expect((await jobs.get("x")).status.startTime).toBeDefined());
    const done = { completedIndexes: `0-1,3-${MOST - 4}`, succeeded: MOST - 4 };
    await jobs.status.patch("x", { merge: { status: done } });
    await jobs.patch("x", { merge: { spec: { parallelism: 100 } } });
    const indexLabel = run.client.names.completionIndexAnnotation;
    await run.eventually(async () =>
      expect((await listPods()).map(({ metadata }) => Number(metadata.annotations?.[indexLabel])).sort()).toEqual(
        [MOST - 3, MOST - 2, MOST - 1, 2].sort(),
      ),
    );
    for (const pod of await listPods()) await finish(pod);
    await run.eventually(async () =>
      expect((await jobs.get("x")).status).toMatchObject({
        succeeded: MOST,
        completedIndexes: `0-${MOST - 1}`,
        conditions: expect.arrayContaining([expect.objectContaining({ type: "Complete", status: "True" })]),
      }),
    );
  });

  it("missed starts of a CronJob", async () => {
    await start();
    const cronJobs = run.client.batch.v1.cronJobs("default");
    const spec = { schedule: "* * * * *", suspend: true, jobTemplate: { spec: { template: taskTemplate } } };
    await cronJobs.create({ metadata: { name: "x" }, spec });
    await cronJobs.status.patch("x", { merge: { status: { lastScheduleTime: "1950-01-01T00:00:00Z" } } });
    // Whoever hears that it goes on has heard of its status.
    await cronJobs.patch("x", { merge: { spec: { suspend: false } } });
    await run.clock.advance(120_000);
    // The newest of them is made up for.
    await run.eventually(async () =>
      expect((await run.client.batch.v1.jobs("default").list()).items.length).toBeGreaterThan(0),
    );
    await run.eventually(async () =>
      expect((await run.client.core.v1.events("default").list()).items.map(({ reason }) => reason)).toContain(
        "TooManyMissedTimes",
      ),
    );
  });
});
