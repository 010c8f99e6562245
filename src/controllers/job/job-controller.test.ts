// Jobs against a server, with the clock in hand. The tests stand in for the nodes.

import { afterEach, describe, expect, it } from "vitest";
import { eventuallyAt } from "../../base/eventually.testing.ts";
import type { Transport } from "../../client/transport.ts";
import type { Job } from "../../kinds/batch/job.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import { DIALECTS, type Dialect } from "../../meta/names.ts";
import { type ControllersInProcess, controllersInProcess } from "../controllers.testing.ts";
import { jobController } from "./job-controller.ts";

let world: ControllersInProcess;
afterEach(() => world.close());

type Spec = NonNullable<Draft<Job>["spec"]>;
type Phase = NonNullable<Pod["status"]["phase"]>;

async function start(dialect: Dialect = "platform", between?: (transport: Transport) => Transport) {
  world = await controllersInProcess({
    definitions: [jobController],
    dialect,
    ...(between && { between }),
    serverFlags: ["--disable-admission-plugins=ServiceAccount"],
  });
  const { client, clock, eventually } = world;
  const names = client.names;
  const jobs = client.batch.v1.jobs("default");
  const pods = client.core.v1.pods("default");
  const list = async () => (await pods.list()).items;
  return {
    ...world,
    names,
    jobs,
    pods,
    create: (spec: Partial<Spec> = {}) =>
      jobs.create({
        metadata: { name: "j" },
        spec: { ...spec, template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
      }),
    running: async (count: number) =>
      eventually(async () => {
        const found = (await list()).filter(
          ({ metadata, status }) =>
            !metadata.deletionTimestamp && (status.phase === "Pending" || status.phase === "Running"),
        );
        expect(found).toHaveLength(count);
        return found;
      }),
    async end(
      pod: { readonly metadata: { readonly name?: string } },
      phase: Phase,
      exitCode = phase === "Failed" ? 1 : 0,
    ) {
      const finishedAt = new Date(clock.nowMs()).toISOString().replace(/\.\d+/, "");
      await pods.status.modify(pod.metadata.name ?? "", (object) => {
        object.status = {
          phase,
          containerStatuses: [
            {
              name: "c",
              image: "i",
              imageID: "",
              ready: false,
              restartCount: 0,
              state: { terminated: { exitCode, finishedAt, startedAt: finishedAt } },
              lastState: {},
            },
          ],
        };
      });
    },
    status: async () => (await jobs.get("j")).status,
    /** The types of the conditions that are true. */
    conditions: async () =>
      ((await jobs.get("j")).status.conditions ?? []).filter(({ status }) => status === "True").map(({ type }) => type),
    settled: () => eventually(() => expect(world.manager.busy).toBe(false)),
    tracked: async () =>
      (await list()).filter(({ metadata }) => metadata.finalizers?.includes(names.jobTrackingFinalizer)),
    reasons: async () => {
      const { items } = await client.core.v1.events("default").list();
      return items.filter(({ involvedObject }) => involvedObject.kind === "Job").map(({ reason }) => reason);
    },
  };
}

describe.each(DIALECTS)("a Job of the dialect %s", (dialect) => {
  it("runs pods until enough have succeeded, and counts each once", async () => {
    const { create, running, end, eventually, conditions, status, tracked, reasons, pods } = await start(dialect);
    await create({ completions: 3, parallelism: 2 });
    const [first, second] = await running(2);
    expect(first!.metadata.ownerReferences).toMatchObject([{ kind: "Job", name: "j", controller: true }]);
    await eventually(async () => expect(await status()).toMatchObject({ active: 2, ready: 0, terminating: 0 }));
    await end(first!, "Succeeded");
    await eventually(async () => expect(await status()).toMatchObject({ active: 2, succeeded: 1 }));
    await end(second!, "Succeeded");
    await eventually(async () => expect(await status()).toMatchObject({ active: 1, succeeded: 2 }));
    const [third] = await running(1);
    await end(third!, "Succeeded");
    await eventually(async () => expect(await conditions()).toEqual(["SuccessCriteriaMet", "Complete"]));
    const ended = await status();
    expect(ended).toMatchObject({ succeeded: 3, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    expect(ended.completionTime).toBeDefined();
    expect(ended.active).toBeUndefined();
    expect(await tracked()).toEqual([]);
    expect((await pods.list()).items).toHaveLength(3);
    await eventually(async () => expect((await reasons()).at(-1)).toBe("Completed"));
  });
});

describe("a Job", () => {
  it("waits longer after every failure, and fails after too many", async () => {
    const { create, running, end, clock, eventually, conditions, status, settled, jobs, reasons } = await start();
    await create({ backoffLimit: 2 });
    for (const waitMs of [10_000, 20_000]) {
      const [pod] = await running(1);
      await end(pod!, "Failed");
      await clock.advance(waitMs - 3_000);
      await settled();
      await running(0);
      await clock.advance(4_000);
    }
    const [last] = await running(1);
    await end(last!, "Failed");
    await eventually(async () => expect(await conditions()).toEqual(["FailureTarget", "Failed"]));
    expect(await status()).toMatchObject({ failed: 3, terminating: 0, uncountedTerminatedPods: {} });
    const failed = (await jobs.get("j")).status.conditions?.find(({ type }) => type === "Failed");
    expect(failed).toMatchObject({
      reason: "BackoffLimitExceeded",
      message: "Job has reached the specified backoff limit",
    });
    await eventually(async () => expect((await reasons()).at(-1)).toBe("BackoffLimitExceeded"));
  });

  it("runs every index once, under its own name", async () => {
    const { create, running, end, eventually, conditions, status, names } = await start();
    await create({ completionMode: "Indexed", completions: 3, parallelism: 3 });
    const pods = await running(3);
    const indexOf = (pod: (typeof pods)[number]) => pod.metadata.labels?.[names.completionIndexAnnotation];
    expect(pods.map(indexOf).sort()).toEqual(["0", "1", "2"]);
    for (const pod of pods) {
      expect(pod.metadata.name).toMatch(new RegExp(`^j-${indexOf(pod)}-.{5}$`));
      expect(pod.spec.hostname).toBe(`j-${indexOf(pod)}`);
    }
    const byIndex = (index: string) => pods.find((pod) => indexOf(pod) === index)!;
    await end(byIndex("2"), "Succeeded");
    await end(byIndex("0"), "Succeeded");
    await eventually(async () => expect(await status()).toMatchObject({ succeeded: 2, completedIndexes: "0,2" }));
    await end(byIndex("1"), "Succeeded");
    await eventually(async () => expect(await conditions()).toEqual(["SuccessCriteriaMet", "Complete"]));
    expect(await status()).toMatchObject({ succeeded: 3, completedIndexes: "0-2" });
  });

  it("with a limit for each index goes on with the others, and fails at the end", async () => {
    const { create, running, end, eventually, conditions, status, names, clock, tracked } = await start();
    await create({ completionMode: "Indexed", completions: 2, parallelism: 2, backoffLimitPerIndex: 1 });
    const pods = await running(2);
    const [bad, good] = ["0", "1"].map(
      (index) => pods.find((pod) => pod.metadata.labels?.[names.completionIndexAnnotation] === index)!,
    );
    await end(bad!, "Failed");
    await eventually(async () => expect(await status()).toMatchObject({ active: 1 }));
    // It is kept until its replacement has learnt from it.
    expect((await tracked()).map(({ metadata }) => metadata.name)).toContain(bad!.metadata.name);
    await clock.advance(11_000);
    const again = (await running(2)).find(({ metadata }) => metadata.name !== good!.metadata.name)!;
    expect(again.metadata.annotations?.[names.indexFailureCountAnnotation]).toBe("1");
    await eventually(async () => expect(await status()).toMatchObject({ failed: 1 }));
    await end(again, "Failed");
    await eventually(async () => expect(await status()).toMatchObject({ failedIndexes: "0", failed: 2 }));
    await end(good!, "Succeeded");
    await eventually(async () => expect(await conditions()).toEqual(["FailureTarget", "Failed"]));
    expect(await status()).toMatchObject({ completedIndexes: "1", failedIndexes: "0" });
    expect(await tracked()).toEqual([]);
  });

  it("ends by a rule for failures, and takes what still runs along", async () => {
    const { create, running, end, eventually, conditions, status, pods } = await start();
    const rules = [{ action: "FailJob" as const, onExitCodes: { operator: "In" as const, values: [42] } }];
    await create({ completions: 3, parallelism: 3, podFailurePolicy: { rules } });
    const [one] = await running(3);
    await end(one!, "Failed", 42);
    await eventually(async () => expect(await conditions()).toEqual(["FailureTarget", "Failed"]));
    expect((await status()).conditions?.at(-1)).toMatchObject({
      reason: "PodFailurePolicy",
      message: `Container c for pod default/${one!.metadata.name} failed with exit code 42 matching FailJob rule at index 0`,
    });
    expect(await status()).toMatchObject({ failed: 3 });
    expect((await pods.list()).items.map(({ metadata }) => metadata.name)).toEqual([one!.metadata.name]);
  });

  it("ends when its time is over", async () => {
    const { create, running, clock, eventually, conditions, status } = await start();
    await create({ activeDeadlineSeconds: 60 });
    await running(1);
    await eventually(async () => expect((await status()).startTime).toBeDefined());
    await clock.advance(60_000);
    await eventually(async () => expect(await conditions()).toEqual(["FailureTarget", "Failed"]));
    expect((await status()).conditions?.at(-1)).toMatchObject({ reason: "DeadlineExceeded" });
  });

  it("has no pods while it is suspended, and begins its time anew when it goes on", async () => {
    const { create, running, jobs, eventually, conditions, status, clock, pods, reasons } = await start();
    await create({ suspend: true });
    await eventually(async () => expect(await conditions()).toEqual(["Suspended"]));
    expect((await status()).startTime).toBeUndefined();
    expect((await pods.list()).items).toEqual([]);
    await jobs.patch("j", { merge: { spec: { suspend: false } } });
    await running(1);
    await eventually(async () => expect(await conditions()).toEqual([]));
    const began = (await status()).startTime;
    await jobs.patch("j", { merge: { spec: { suspend: true } } });
    await eventually(async () => expect((await pods.list()).items).toEqual([]));
    await eventually(async () => expect(await conditions()).toEqual(["Suspended"]));
    expect((await status()).failed).toBeUndefined();
    await clock.advance(5_000);
    await jobs.patch("j", { merge: { spec: { suspend: false } } });
    await eventually(async () => expect((await status()).startTime).not.toBe(began));
    await running(1);
    await eventually(async () => {
      const seen = await reasons();
      expect(seen.filter((reason) => reason === "Suspended" || reason === "Resumed")).toEqual(["Suspended", "Resumed"]);
    });
  });

  it("follows its parallelism up and down without counting what it deletes", async () => {
    const { create, running, jobs, status, settled } = await start();
    await create({ completions: 10, parallelism: 1 });
    await running(1);
    await jobs.patch("j", { merge: { spec: { parallelism: 4 } } });
    await running(4);
    await jobs.patch("j", { merge: { spec: { parallelism: 2 } } });
    await running(2);
    await settled();
    expect((await status()).failed).toBeUndefined();
  });

  it("replaces pods that somebody deletes, and counts them as failed", async () => {
    const { create, running, pods, status, eventually, clock } = await start();
    await create({});
    const [pod] = await running(1);
    await pods.delete(pod!.metadata.name, { gracePeriodSeconds: 0 });
    await clock.advance(12_000);
    await running(1);
    await eventually(async () => expect(await status()).toMatchObject({ active: 1, failed: 1 }));
  });

  it("counts every pod once when it is cut off at any point", async () => {
    const { create, running, end, eventually, conditions, status, restart, tracked, clock } = await start();
    await create({ completions: 4, parallelism: 2, backoffLimit: 10 });
    for (const phases of [["Succeeded", "Failed"], ["Succeeded", "Succeeded"], ["Succeeded"]] as const) {
      await clock.advance(60_000);
      const found = await running(phases.length);
      for (const [at, phase] of phases.entries()) await end(found[at]!, phase);
      // The pods' changes wait for their batch: the controller is stopped in the middle of what follows.
      await clock.advance(101);
      await restart();
      await restart();
    }
    await eventually(async () => expect(await conditions()).toEqual(["SuccessCriteriaMet", "Complete"]));
    expect(await status()).toMatchObject({ succeeded: 4, failed: 1, uncountedTerminatedPods: {} });
    expect(await tracked()).toEqual([]);
  });

  it("lets its pods go when it is deleted, and those that it finds without a job", async () => {
    const { create, running, jobs, tracked, eventually, pods, names, manager, restart } = await start();
    await create({ parallelism: 2, completions: 2 });
    await running(2);
    await manager.stop();
    await jobs.delete("j", { propagationPolicy: "Orphan" });
    await pods.create({
      metadata: { name: "stray", finalizers: [names.jobTrackingFinalizer] },
      spec: { containers: [{ name: "c", image: "i" }] },
    });
    await restart();
    await eventually(async () => expect(await tracked()).toEqual([]));
    expect((await pods.list()).items).toHaveLength(3);
  });

  it("of another controller is left alone, with its pods", async () => {
    const { create, settled, pods, jobs, status, names } = await start();
    const { metadata } = await create({ managedBy: "example.com/other" });
    await pods.create({
      metadata: {
        name: "p",
        finalizers: [names.jobTrackingFinalizer],
        ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "j", uid: metadata.uid, controller: true }],
      },
      spec: { containers: [{ name: "c", image: "i" }] },
    });
    await jobs.patch("j", { merge: { spec: { parallelism: 5 } } });
    await settled();
    expect(await status()).toEqual({});
    expect((await pods.get("p")).metadata.finalizers).toEqual([names.jobTrackingFinalizer]);
    expect((await pods.list()).items).toHaveLength(1);
  });

  it("with a selector of its own takes in the pods that it finds", async () => {
    const { jobs, pods, names, eventually, end, conditions } = await start();
    await pods.create({
      metadata: { name: "p", labels: { mine: "yes" } },
      spec: { containers: [{ name: "c", image: "i" }] },
    });
    await jobs.create({
      metadata: { name: "j" },
      spec: {
        manualSelector: true,
        selector: { matchLabels: { mine: "yes" } },
        template: {
          metadata: { labels: { mine: "yes" } },
          spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
        },
      },
    });
    await eventually(async () => {
      const { metadata } = await pods.get("p");
      expect(metadata.ownerReferences).toMatchObject([{ kind: "Job", name: "j" }]);
      expect(metadata.finalizers).toEqual([names.jobTrackingFinalizer]);
    });
    await end({ metadata: { name: "p" } }, "Succeeded");
    await eventually(async () => expect(await conditions()).toEqual(["SuccessCriteriaMet", "Complete"]));
    expect((await pods.list()).items).toHaveLength(1);
  });

  it("that succeeds early ends its other pods without counting them", async () => {
    const { create, running, end, eventually, conditions, status, names } = await start();
    const successPolicy = { rules: [{ succeededIndexes: "1" }] };
    await create({ completionMode: "Indexed", completions: 3, parallelism: 3, successPolicy });
    const pods = await running(3);
    await end(pods.find(({ metadata }) => metadata.labels?.[names.completionIndexAnnotation] === "1")!, "Succeeded");
    await eventually(async () => expect(await conditions()).toEqual(["SuccessCriteriaMet", "Complete"]));
    expect((await status()).conditions?.at(-1)).toMatchObject({
      reason: "SuccessPolicy",
      message: "Matched rules at index 0",
    });
    expect((await status()).failed).toBeUndefined();
  });

  it("where only failed pods are replaced waits until the old one has ended", async () => {
    const { create, running, pods, eventually, status, settled, clock } = await start();
    await create({ podReplacementPolicy: "Failed" });
    const [pod] = await running(1);
    const { name } = pod!.metadata;
    await pods.bind(name, "n1");
    await pods.delete(name);
    await eventually(async () => expect(await status()).toMatchObject({ terminating: 1 }));
    await clock.advance(20_000);
    await settled();
    await running(0);
    await pods.status.patch(name, { merge: { status: { phase: "Failed" } } });
    await clock.advance(20_000);
    await running(1);
    await eventually(async () => expect(await status()).toMatchObject({ active: 1, failed: 1, terminating: 0 }));
  });

  it.each<[string, (status: Job["status"]) => boolean]>([
    ["first", () => true],
    ["last", ({ conditions = [] }) => conditions.some(({ type }) => type === "Complete")],
  ])("ends though the store was put back to before its %s write", async (_, isLost) => {
    let lost = 0;
    const between = (inner: Transport): Transport => ({
      connect: (sent) => inner.connect(sent),
      close: () => inner.close(),
      request: async (sent) => {
        if (
          lost > 0 ||
          sent.method !== "PUT" ||
          !sent.path.startsWith("/apis/batch/v1/namespaces/default/jobs/j/status")
        )
          return inner.request(sent);
        const job = JSON.parse(String(sent.body)) as Job;
        if (!isLost(job.status)) return inner.request(sent);
        lost += 1;
        const answer = await inner.request({
          ...sent,
          path: `${sent.path}${sent.path.includes("?") ? "&" : "?"}dryRun=All`,
        });
        const stored = JSON.parse(String(Buffer.from(await answer.bytes()))) as Job;
        stored.metadata.resourceVersion = "9007199254740991";
        return { ...answer, bytes: async () => Buffer.from(JSON.stringify(stored)) };
      },
    });
    const { create, running, end, conditions, clock } = await start("platform", between);
    await create();
    await end((await running(1))[0]!, "Succeeded");
    await eventuallyAt(clock, 1_000, async () => expect(await conditions()).toContain("Complete"));
    expect(lost).toBe(1);
  });
});
