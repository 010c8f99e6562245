// Workloads that make no sense, as nobody can write them through the server but as they may stand in a store all the same:
// each costs one event and a backoff, and keeps nobody else waiting.

import { expect, it } from "vitest";
import { timeOfMs } from "../meta/time.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { controllersInProcess } from "./controllers.testing.ts";
import { cronJobController } from "./cronjob/cronjob-controller.ts";
import { daemonSetController } from "./daemonset/daemon-set-controller.ts";
import { deploymentController } from "./deployment/deployment-controller.ts";
import { disruptionController } from "./disruption/disruption-controller.ts";
import { horizontalPodAutoscalerController } from "./horizontal-pod-autoscaler/horizontal-pod-autoscaler-controller.ts";
import { jobController } from "./job/job-controller.ts";
import { replicaSetController, replicationController } from "./replica-set/replica-set-controller.ts";
import { statefulSetController } from "./statefulset/stateful-set-controller.ts";

const selector = { matchLabels: { app: "x" } };
/** Finds none of the pods that the template makes: whoever made them would make more without end. */
const foreign = { matchLabels: { app: "other" } };
const template = {
  metadata: { labels: { app: "x" } },
  spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
};

/** By resource: what its spec says, or lacks. */
const NONSENSE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "apps/v1 Deployment deployments": {
    "no-spec": undefined,
    "no-template": { replicas: 1, selector },
    "no-selector": { replicas: 1, template },
    "negative-count": { replicas: -3, selector, template },
    "foreign-selector": { replicas: 2, selector: foreign, template },
    "strange-strategy": { replicas: 1, selector, template, strategy: { type: "Odd" } },
    "broken-selector": { replicas: 1, selector: { matchExpressions: [{ key: "a", operator: "Odd" }] }, template },
  },
  "apps/v1 ReplicaSet replicasets": {
    "no-spec": undefined,
    "no-template": { replicas: 1, selector },
    "no-selector": { replicas: 1, template },
    "negative-count": { replicas: -3, selector, template },
    "foreign-selector": { replicas: 2, selector: foreign, template },
  },
  "v1 ReplicationController controllers": {
    "no-spec": undefined,
    "no-template": { replicas: 1, selector: { app: "x" } },
    "negative-count": { replicas: -3, selector: { app: "x" }, template },
    "foreign-selector": { replicas: 2, selector: foreign.matchLabels, template },
  },
  "apps/v1 StatefulSet statefulsets": {
    "no-spec": undefined,
    "no-template": { replicas: 1, selector, serviceName: "s" },
    "negative-count": { replicas: -3, selector, template, serviceName: "s" },
    "foreign-selector": { replicas: 2, selector: foreign, template, serviceName: "s" },
    "broken-claims": { replicas: 1, selector, template, volumeClaimTemplates: [{}] },
  },
  "apps/v1 DaemonSet daemonsets": {
    "no-spec": undefined,
    "no-template": { selector },
    "no-selector": { template },
    "foreign-selector": { selector: foreign, template, updateStrategy: { type: "OnDelete" } },
    "strange-strategy": { selector, template, updateStrategy: { type: "RollingUpdate" } },
  },
  "batch/v1 Job jobs": {
    "no-spec": undefined,
    "no-template": { completions: 1, parallelism: 1, backoffLimit: 6, selector },
    "no-selector": { completions: 1, parallelism: 1, backoffLimit: 6, template },
    "negative-count": { completions: -1, parallelism: -2, backoffLimit: -6, selector, template },
    "foreign-selector": { completions: 2, parallelism: 2, backoffLimit: 6, selector: foreign, template },
  },
  "batch/v1 CronJob cronjobs": {
    "no-spec": undefined,
    "no-template": { schedule: "* * * * *" },
    "strange-schedule": { schedule: "now and then", jobTemplate: { spec: { template } } },
    "strange-zone": { schedule: "* * * * *", timeZone: "Nowhere/At all", jobTemplate: { spec: { template } } },
  },
  "autoscaling/v2 HorizontalPodAutoscaler horizontalpodautoscalers": {
    "no-spec": undefined,
    "no-target": { minReplicas: 1, maxReplicas: 3 },
    "strange-metric": { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "x" }, metrics: [{ type: "Odd" }] },
  },
  "policy/v1 PodDisruptionBudget poddisruptionbudgets": {
    "no-spec": undefined,
    "strange-count": { selector, minAvailable: {} },
  },
};

/** Requests of ten minutes, after which most keys are tried every few minutes, if at all. */
const MAX_REQUESTS_EACH = 40;

it("costs one event and a backoff, and keeps nobody else waiting", async () => {
  const engine = new MemoryEngine();
  const run = await controllersInProcess({
    engine,
    definitions: [
      deploymentController,
      replicaSetController,
      replicationController,
      statefulSetController,
      daemonSetController,
      jobController,
      cronJobController,
      horizontalPodAutoscalerController,
      disruptionController,
    ],
    dialect: "kubernetes",
    serverFlags: ["--disable-admission-plugins=ServiceAccount"],
  });
  const { client, clock, eventually, close } = run;
  const names: string[] = [];
  const creationTimestamp = timeOfMs(clock.nowMs());
  for (const [resource, specs] of Object.entries(NONSENSE)) {
    const [apiVersion, kind = "", plural = ""] = resource.split(" ");
    for (const [what, spec] of Object.entries(specs)) {
      const name = `${what}-${kind.toLowerCase()}`;
      const metadata = {
        name,
        namespace: "default",
        uid: name,
        generation: 1,
        creationTimestamp,
      };
      // It owns itself, too.
      const ownerReferences = [{ apiVersion, kind, name, uid: name }];
      const object = {
        kind,
        apiVersion,
        metadata: { ...metadata, ownerReferences },
        ...(spec === undefined ? {} : { spec }),
        status: {},
      };
      await engine.create(`/registry/${plural}/default/${name}`, Buffer.from(JSON.stringify(object)));
      names.push(name);
    }
  }
  const app = { matchLabels: { app: "healthy" } };
  const healthy = { metadata: { labels: { app: "healthy" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  await client.apps.v1
    .deployments("default")
    .create({ metadata: { name: "healthy" }, spec: { replicas: 2, selector: app, template: healthy } });
  await client.apps.v1
    .statefulSets("default")
    .create({ metadata: { name: "healthy" }, spec: { replicas: 1, selector: app, template: healthy } });
  await eventually(async () => {
    const { items } = await client.core.v1.pods("default").list({ labelSelector: "app=healthy" });
    expect(items.length).toBe(3);
  });
  await clock.advance(60_000);
  const before = run.requests;
  await clock.advance(600_000);
  expect(run.requests - before).toBeLessThan(names.length * MAX_REQUESTS_EACH);
  const pods = await client.core.v1.pods("default").list();
  // Nothing is made for an object that makes no sense.
  expect(pods.items.map(({ metadata }) => metadata.name).filter((name) => !name.startsWith("healthy-"))).toEqual([]);
  const { items } = await client.core.v1.events("default").list();
  const told = names.map(
    (name) => [name, items.filter(({ involvedObject }) => involvedObject?.name === name)] as const,
  );
  const tooMuch = told.filter(([, events]) => events.length > 1);
  expect(tooMuch.map(([name, events]) => [name, events.map(({ reason, count }) => `${reason} ${count}`)])).toEqual([]);
  const silent = told.filter(([name, events]) => events.length === 0 && /^no-template/.test(name));
  expect(silent.map(([name]) => name)).toEqual([]);
  await close();
});
