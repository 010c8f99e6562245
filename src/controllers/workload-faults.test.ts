// Workloads where every third request of a controller fails, each under its own account: what has to be there is there in
// the end, once; and then nothing is asked any more.

import { describe, expect, it } from "vitest";
import { type ApiRequest, TransportError } from "../client/transport.ts";
import { type ControllersInProcess, controllersInProcess } from "./controllers.testing.ts";
import { cronJobController } from "./cronjob/cronjob-controller.ts";
import { daemonSetController } from "./daemonset/daemon-set-controller.ts";
import type { ControllerDefinition } from "./framework/controller.ts";
import { jobController } from "./job/job-controller.ts";
import { nodesWhere } from "./pods-of-owner/pods.testing.ts";
import { statefulSetController } from "./statefulset/stateful-set-controller.ts";

type World = ControllersInProcess;

interface Workload {
  readonly definition: ControllerDefinition;
  start(world: World): Promise<void>;
  /** Throws until all is as it shall be. */
  check(world: World): Promise<void>;
}

const template = (labels: Record<string, string>) => ({
  metadata: { labels },
  spec: { containers: [{ name: "c", image: "i" }] },
});
const podNames = async ({ client }: World) =>
  (await client.core.v1.pods("default").list()).items.map(({ metadata }) => metadata.name).sort();

const workloads: Record<string, Workload> = {
  "a Job": {
    definition: jobController,
    start: async ({ client }) => {
      const spec = { restartPolicy: "Never" as const, containers: [{ name: "c", image: "i" }] };
      await client.batch.v1.jobs("default").create({
        metadata: { name: "j" },
        spec: { completions: 4, parallelism: 4, completionMode: "Indexed", template: { spec } },
      });
    },
    async check(world) {
      const pods = world.client.core.v1.pods("default");
      for (const { metadata, status } of (await pods.list()).items) {
        if (status.phase === "Running")
          await pods.status.patch(metadata.name, { merge: { status: { phase: "Succeeded" } } });
      }
      const { status } = await world.client.batch.v1.jobs("default").get("j");
      expect(status.conditions?.at(-1)?.type).toBe("Complete");
      expect(status).toMatchObject({ succeeded: 4, completedIndexes: "0-3" });
      expect(status.failed).toBeUndefined();
      expect((await podNames(world)).map((name) => name.slice(0, 3))).toEqual(["j-0", "j-1", "j-2", "j-3"]);
    },
  },
  "a StatefulSet": {
    definition: statefulSetController,
    start: async ({ client }) => {
      const resources = { requests: { storage: "1Gi" } };
      await client.apps.v1.statefulSets("default").create({
        metadata: { name: "web" },
        spec: {
          replicas: 3,
          selector: { matchLabels: { app: "web" } },
          template: template({ app: "web" }),
          volumeClaimTemplates: [{ metadata: { name: "d" }, spec: { accessModes: ["ReadWriteOnce"], resources } }],
          persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" },
        },
      });
    },
    async check(world) {
      expect(await podNames(world)).toEqual(["web-0", "web-1", "web-2"]);
      const { items } = await world.client.core.v1.persistentVolumeClaims("default").list();
      expect(items.map(({ metadata }) => metadata.ownerReferences?.[0]?.kind)).toEqual(Array(3).fill("StatefulSet"));
      expect((await world.client.apps.v1.statefulSets("default").get("web")).status.readyReplicas).toBe(3);
      expect((await world.client.apps.v1.controllerRevisions("default").list()).items).toHaveLength(1);
    },
  },
  "a DaemonSet": {
    definition: daemonSetController,
    start: async ({ client }) => {
      for (const name of ["a", "b", "c"]) await client.core.v1.nodes().create({ metadata: { name } });
      await client.apps.v1.daemonSets("default").create({
        metadata: { name: "ds" },
        spec: { selector: { matchLabels: { app: "ds" } }, template: template({ app: "ds" }) },
      });
    },
    async check(world) {
      expect(await podNames(world)).toHaveLength(3);
      const { status } = await world.client.apps.v1.daemonSets("default").get("ds");
      expect(status).toMatchObject({ desiredNumberScheduled: 3, numberAvailable: 3, observedGeneration: 1 });
    },
  },
  "a CronJob": {
    definition: cronJobController,
    start: async ({ client, clock }) => {
      // Once, in two minutes.
      const at = new Date(clock.nowMs() + 120_000);
      const schedule = `${at.getUTCMinutes()} ${at.getUTCHours()} ${at.getUTCDate()} ${at.getUTCMonth() + 1} *`;
      const spec = { restartPolicy: "Never" as const, containers: [{ name: "c", image: "i" }] };
      await client.batch.v1.cronJobs("default").create({
        metadata: { name: "c" },
        spec: { schedule, timeZone: "Etc/UTC", jobTemplate: { spec: { template: { spec } } } },
      });
      await clock.advance(180_000);
    },
    async check({ client }) {
      const { items } = await client.batch.v1.jobs("default").list();
      expect(items).toHaveLength(1);
      const { status } = await client.batch.v1.cronJobs("default").get("c");
      expect(status.active?.map(({ uid }) => uid)).toEqual(items.map(({ metadata }) => metadata.uid));
    },
  },
};

async function getsThere(
  { definition, start, check }: Workload,
  options: Pick<Parameters<typeof controllersInProcess>[0], "fault" | "between">,
): Promise<void> {
  const world = await controllersInProcess({
    definitions: [definition, nodesWhere(() => true)],
    ownAccounts: true,
    serverFlags: ["--disable-admission-plugins=ServiceAccount,TaintNodesByCondition"],
    ...options,
  });
  try {
    await start(world);
    await world.eventually(() => check(world));
    expect(world.refused).toEqual([]);
    await world.eventually(() => expect(world.manager.busy).toBe(false));
    await world.clock.advance(10_000);
    const before = world.requests;
    await world.clock.advance(600_000);
    expect(world.requests - before).toBeLessThan(10);
    await check(world);
  } finally {
    await world.close();
  }
}

/** Of the requests that write, every third one. */
function everyThirdWrite(): (request: ApiRequest) => boolean {
  let sent = 0;
  return ({ method }) => {
    if (method === "GET") return false;
    sent += 1;
    return sent % 3 === 2;
  };
}

describe.each(Object.entries(workloads))("%s", (_name, workload) => {
  it.each([409, 410, 429, 500])("gets there although requests are answered with %s", async (code) => {
    const isHit = everyThirdWrite();
    await getsThere(workload, { fault: (request) => (isHit(request) ? code : undefined) });
  });

  it("gets there although answers get lost on the way", async () => {
    const isHit = everyThirdWrite();
    await getsThere(workload, {
      between: (inner) => ({
        connect: (request) => inner.connect(request),
        close: () => inner.close(),
        async request(request) {
          const response = await inner.request(request);
          if (isHit(request)) throw new TransportError("lost", "the answer got lost");
          return response;
        },
      }),
    });
  });
});
