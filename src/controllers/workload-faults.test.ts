// Workloads, a namespace and a deletion where requests fail and controllers crash between any two steps.

import { expect } from "vitest";
import { cronJobController } from "./cronjob/cronjob-controller.ts";
import { daemonSetController } from "./daemonset/daemon-set-controller.ts";
import { deploymentController } from "./deployment/deployment-controller.ts";
import { survivesFaults, type World } from "./faults-between-steps.testing.ts";
import { garbageCollector } from "./garbage-collector/garbage-collector.ts";
import { jobController } from "./job/job-controller.ts";
import { namespaceController } from "./namespace/namespace-controller.ts";
import { replicaSetController } from "./replica-set/replica-set-controller.ts";
import { statefulSetController } from "./statefulset/stateful-set-controller.ts";

const template = (labels: Record<string, string>) => ({
  metadata: { labels },
  spec: { containers: [{ name: "c", image: "i" }] },
});
const podNames = async ({ client }: World) =>
  (await client.core.v1.pods("default").list()).items.map(({ metadata }) => metadata.name).sort();

survivesFaults({
  "a Job": {
    definitions: [jobController],
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
    definitions: [statefulSetController],
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
    definitions: [daemonSetController],
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
    definitions: [cronJobController],
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
  "a Deployment that rolls": {
    definitions: [deploymentController, replicaSetController],
    async start({ client, eventually }) {
      const deployments = client.apps.v1.deployments("default");
      await deployments.create({
        metadata: { name: "web" },
        spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template: template({ app: "web" }) },
      });
      await eventually(async () => expect((await client.apps.v1.replicaSets("default").list()).items).toHaveLength(1));
      const containers = [{ name: "c", image: "i2" }];
      await deployments.patch("web", { strategic: { spec: { template: { spec: { containers } } } } });
    },
    async check(world) {
      const { items } = await world.client.core.v1.pods("default").list();
      expect(items.map(({ spec }) => spec.containers?.[0]?.image)).toEqual(["i2", "i2"]);
      const { status } = await world.client.apps.v1.deployments("default").get("web");
      expect(status).toMatchObject({ observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2 });
      const sets = (await world.client.apps.v1.replicaSets("default").list()).items;
      expect(sets.map(({ spec }) => spec.replicas).sort()).toEqual([0, 2]);
    },
  },
  "a namespace that goes": {
    definitions: [namespaceController],
    async start({ client }) {
      await client.core.v1.namespaces().create({ metadata: { name: "full" } });
      for (const name of ["a", "b"]) {
        await client.core.v1.configMaps("full").create({ metadata: { name } });
        await client.core.v1.secrets("full").create({ metadata: { name } });
      }
      await client.core.v1.namespaces().delete("full");
    },
    async check({ client }) {
      expect(await client.core.v1.namespaces().find("full")).toBeUndefined();
    },
  },
  "a deletion in the foreground": {
    definitions: [garbageCollector],
    // What is served is asked every half a minute.
    maxAtRest: 150,
    async start({ client }) {
      const maps = client.core.v1.configMaps("default");
      const { metadata } = await maps.create({ metadata: { name: "owner" } });
      const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: metadata.uid };
      for (const name of ["a", "b"]) {
        const ownerReferences = [{ ...reference, blockOwnerDeletion: true }];
        await client.core.v1.secrets("default").create({ metadata: { name, ownerReferences } });
      }
      await maps.delete("owner", { propagationPolicy: "Foreground" });
    },
    async check({ client }) {
      const left = [
        ...(await client.core.v1.configMaps("default").list()).items,
        ...(await client.core.v1.secrets("default").list()).items,
      ];
      expect(left.map(({ metadata }) => metadata.name).filter((name) => /^(owner|a|b)$/.test(name))).toEqual([]);
    },
  },
});
