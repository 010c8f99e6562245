// Pods that come and go while nobody can watch: their owners must not wait for them for ever.

import { expect, it } from "vitest";
import type { Client } from "../../client/client.ts";
import { controllersInProcess } from "../controllers.testing.ts";
import { daemonSetController } from "../daemonset/daemon-set-controller.ts";
import type { ControllerDefinition } from "../framework/controller.ts";
import { jobController } from "../job/job-controller.ts";
import { LostWatch } from "../lost-watch.testing.ts";
import { replicaSetController } from "../replica-set/replica-set-controller.ts";

const template = (labels: Record<string, string>) => ({
  metadata: { labels },
  spec: { restartPolicy: "Always" as const, containers: [{ name: "c", image: "i" }] },
});

const OWNERS: readonly [string, ControllerDefinition, (client: Client) => Promise<unknown>][] = [
  [
    "ReplicaSet",
    replicaSetController,
    (client) =>
      client.apps.v1.replicaSets("default").create({
        metadata: { name: "web" },
        spec: { replicas: 1, selector: { matchLabels: { app: "web" } }, template: template({ app: "web" }) },
      }),
  ],
  [
    "DaemonSet",
    daemonSetController,
    async (client) => {
      await client.core.v1.nodes().create({ metadata: { name: "n" } });
      await client.apps.v1.daemonSets("default").create({
        metadata: { name: "web" },
        spec: { selector: { matchLabels: { app: "web" } }, template: template({ app: "web" }) },
      });
    },
  ],
  [
    "Job",
    jobController,
    (client) => {
      const { spec } = template({});
      return client.batch.v1.jobs("default").create({
        metadata: { name: "web" },
        spec: { template: { spec: { ...spec, restartPolicy: "Never" } } },
      });
    },
  ],
];

const start = async (definition: ControllerDefinition) => {
  const watch = new LostWatch((path) => path.startsWith("/api/v1/pods"));
  const running = await controllersInProcess({
    definitions: [definition],
    serverFlags: ["--disable-admission-plugins=ServiceAccount,TaintNodesByCondition"],
    beforeManager: watch.beforeManager,
  });
  const pods = running.client.core.v1.pods("default");
  const namesOf = async () => (await pods.list()).items.map(({ metadata }) => metadata.name);
  return { ...running, watch, pods, namesOf };
};

it.each(OWNERS)("a %s makes a pod anew that came and went unseen", async (_, definition, create) => {
  const { client, clock, watch, pods, namesOf, eventually, close } = await start(definition);
  watch.lose();
  await create(client);
  const [unseen] = await eventually(async () => {
    const names = await namesOf();
    expect(names).toHaveLength(1);
    return names;
  });
  await pods.patch(unseen!, { merge: { metadata: { finalizers: null } } });
  await pods.delete(unseen!, { gracePeriodSeconds: 0 });
  watch.find();
  // Long after the cache shows all there is.
  await clock.advance(6 * 60_000);
  await eventually(async () => expect(await namesOf()).toHaveLength(1));
  await close();
});

it.each(OWNERS)("a %s that first sees its new pod end makes another soon", async (_, definition, create) => {
  const { client, clock, watch, pods, namesOf, eventually, close } = await start(definition);
  watch.lose();
  await create(client);
  const [ending] = await eventually(async () => {
    const names = await namesOf();
    expect(names).toHaveLength(1);
    return names;
  });
  // On a node, a pod that is deleted stays until the node lets it go.
  await pods.bind(ending!, "n");
  await pods.delete(ending!);
  watch.find();
  const beganMs = clock.nowMs();
  const others = async () => (await namesOf()).filter((name) => name !== ending);
  const isOnePerNode = definition === daemonSetController;
  await eventually(async () => {
    await clock.advance(1_000);
    // Its node has one at a time, and lets this one go when that has been seen to end.
    if (isOnePerNode && clock.nowMs() - beganMs > 30_000)
      await pods.delete(ending!, { gracePeriodSeconds: 0 }).catch(() => undefined);
    expect(await others()).toHaveLength(1);
  });
  expect(clock.nowMs() - beganMs).toBeLessThan(60_000);
  await close();
});
