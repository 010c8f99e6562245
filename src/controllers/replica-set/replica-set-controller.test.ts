// ReplicaSets and ReplicationControllers against a whole server.

import { describe, expect, it } from "vitest";
import { kinds } from "../../client/built-in-kinds.ts";
import { DIALECTS } from "../../meta/names.ts";
import { type ControllersInProcess, controllersInProcess } from "../controllers.testing.ts";
import { makeReady } from "../pods-of-owner/pods.testing.ts";
import { replicaSetController, replicationController } from "./replica-set-controller.ts";

const WITHOUT_ACCOUNTS = ["--disable-admission-plugins=ServiceAccount"];
const spec = (replicas: number) => ({
  replicas,
  selector: { matchLabels: { app: "web" } },
  template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i" }] } },
});

const start = (options: Partial<Parameters<typeof controllersInProcess>[0]> = {}) =>
  controllersInProcess({
    definitions: [replicaSetController, replicationController],
    serverFlags: WITHOUT_ACCOUNTS,
    ...options,
  });

const podsOf = async ({ client }: ControllersInProcess) => (await client.core.v1.pods("default").list()).items;
const eventsOf = async ({ client }: ControllersInProcess, reason: string) =>
  (await client.core.v1.events("default").list()).items.filter((event) => event.reason === reason);

describe.each(DIALECTS)("a ReplicaSet of the dialect %s", (dialect) => {
  it("gets its pods, says how they are, replaces what goes and takes the least useful away", async () => {
    const running = await start({ dialect });
    const { client, clock, eventually, close } = running;
    const sets = client.apps.v1.replicaSets("default");
    const informer = client.informer(kinds.apps.v1.replicaSets, { namespace: "default" });
    const told: number[] = [];
    informer.addHandlers({ updated: ({ status }) => told.push(status.replicas) });
    informer.start();
    await informer.whenSynced();
    await sets.create({ metadata: { name: "web" }, spec: { ...spec(3), minReadySeconds: 10 } });
    await eventually(async () =>
      expect((await sets.get("web")).status).toMatchObject({ replicas: 3, fullyLabeledReplicas: 3 }),
    );
    await eventually(async () => expect(told.at(-1)).toBe(3));
    // That there are none yet is no news, as they are on their way.
    expect(told).not.toContain(0);
    await informer.stop();
    const pods = await podsOf(running);
    expect(pods.map(({ metadata }) => metadata.name.replace(/.{5}$/, ""))).toEqual(["web-", "web-", "web-"]);
    expect(pods[0]!.metadata.ownerReferences).toMatchObject([{ kind: "ReplicaSet", name: "web", controller: true }]);

    await makeReady(client, pods[0]!, clock.nowMs());
    await eventually(async () => expect((await sets.get("web")).status).toMatchObject({ readyReplicas: 1 }));
    expect((await sets.get("web")).status.availableReplicas ?? 0).toBe(0);
    await clock.advance(10_000);
    await eventually(async () => expect((await sets.get("web")).status).toMatchObject({ availableReplicas: 1 }));

    await client.core.v1.pods("default").delete(pods[1]!.metadata.name, { gracePeriodSeconds: 0 });
    await eventually(async () => {
      const names = (await podsOf(running)).map(({ metadata }) => metadata.name);
      expect(names).toHaveLength(3);
      expect(names).not.toContain(pods[1]!.metadata.name);
    });
    await sets.patch("web", { merge: { spec: { replicas: 1 } } });
    await eventually(async () => {
      expect((await podsOf(running)).map(({ metadata }) => metadata.name)).toEqual([pods[0]!.metadata.name]);
      const { status, metadata } = await sets.get("web");
      expect(status).toMatchObject({ replicas: 1, observedGeneration: metadata.generation });
    });
    await eventually(async () => {
      expect(await eventsOf(running, "SuccessfulCreate")).toHaveLength(4);
      expect(await eventsOf(running, "SuccessfulDelete")).toHaveLength(2);
    });
    await close();
  });
});

describe("a ReplicaSet", () => {
  it("adopts pods without a controller that it selects, and lets go of those that it does not select any more", async () => {
    const running = await start();
    const { client, eventually, close } = running;
    const pods = client.core.v1.pods("default");
    await pods.create({ metadata: { name: "stray", labels: { app: "web" } }, spec: spec(1).template.spec });
    await client.apps.v1.replicaSets("default").create({ metadata: { name: "web" }, spec: spec(1) });
    const controllerOfStray = async () => (await pods.get("stray")).metadata.ownerReferences?.[0]?.name;
    await eventually(async () => expect(await controllerOfStray()).toBe("web"));
    expect(await podsOf(running)).toHaveLength(1);

    await pods.patch("stray", { merge: { metadata: { labels: { app: "debug" } } } });
    await eventually(async () => {
      expect(await controllerOfStray()).toBeUndefined();
      expect(await podsOf(running)).toHaveLength(2);
    });
    await pods.patch("stray", { merge: { metadata: { labels: { app: "web" } } } });
    await eventually(async () => expect(await podsOf(running)).toHaveLength(1));

    // A selector without any label that must have one value.
    await pods.create({ metadata: { name: "loose", labels: { tier: "b" } }, spec: spec(1).template.spec });
    const { template } = spec(1);
    await client.apps.v1.replicaSets("default").create({
      metadata: { name: "tiers" },
      spec: {
        replicas: 1,
        selector: { matchExpressions: [{ key: "tier", operator: "In", values: ["a", "b"] }] },
        template: { ...template, metadata: { labels: { tier: "a" } } },
      },
    });
    await eventually(async () => expect((await pods.get("loose")).metadata.ownerReferences?.[0]?.name).toBe("tiers"));
    await close();
  });

  it("says why pods cannot be created, and creates them when they can", async () => {
    const running = await start({ serverFlags: [] });
    const { client, clock, eventually, close } = running;
    const sets = client.apps.v1.replicaSets("default");
    const { template, ...rest } = spec(5);
    const needsAccount = { ...template, spec: { ...template.spec, serviceAccountName: "missing" } };
    await sets.create({ metadata: { name: "web" }, spec: { ...rest, template: needsAccount } });
    await eventually(async () => {
      expect((await sets.get("web")).status.conditions).toMatchObject([
        {
          type: "ReplicaFailure",
          status: "True",
          reason: "FailedCreate",
          message: expect.stringMatching(/"missing" not found/),
        },
      ]);
    });
    expect(await podsOf(running)).toEqual([]);
    await eventually(async () => {
      const [event] = await eventsOf(running, "FailedCreate");
      expect(event?.message).toMatch(/^Error creating: pods "web-" is forbidden/);
    });
    await client.core.v1.serviceAccounts("default").create({ metadata: { name: "missing" } });
    await clock.advance(1_100_000);
    await eventually(async () => {
      expect(await podsOf(running)).toHaveLength(5);
      expect((await sets.get("web")).status.conditions ?? []).toEqual([]);
    });
    await close();
  });

  it("never creates a pod twice, though its controller is restarted in the middle", async () => {
    const running = await start();
    const { client, eventually, restart, close } = running;
    const created = new Set<string>();
    const stop = new AbortController();
    const { metadata } = await client.core.v1.pods("default").list();
    const watching = (async () => {
      const options = { signal: stop.signal, resourceVersion: metadata.resourceVersion };
      for await (const change of client.core.v1.pods("default").watch(options))
        if (change.type === "ADDED") created.add(change.object.metadata.uid);
    })().catch(() => undefined);
    await client.apps.v1.replicaSets("default").create({ metadata: { name: "web" }, spec: spec(60) });
    await eventually(async () => expect((await podsOf(running)).length).toBeGreaterThan(3));
    await restart();
    await restart();
    await eventually(async () =>
      expect((await client.apps.v1.replicaSets("default").get("web")).status.replicas).toBe(60),
    );
    await eventually(() => expect(created.size).toBe(60));
    stop.abort();
    await watching;
    await close();
  });

  it("leaves the pods of others alone, and its own when it goes without them", async () => {
    const running = await start();
    const { client, eventually, close } = running;
    const sets = client.apps.v1.replicaSets("default");
    await sets.create({ metadata: { name: "one" }, spec: spec(2) });
    await eventually(async () => expect((await sets.get("one")).status.replicas).toBe(2));
    await sets.create({ metadata: { name: "two" }, spec: spec(1) });
    await eventually(async () => expect((await sets.get("two")).status.replicas).toBe(1));
    await sets.patch("two", { merge: { spec: { replicas: 0 } } });
    await eventually(async () => expect((await sets.get("two")).status.replicas).toBe(0));
    const left = await podsOf(running);
    expect(left.map(({ metadata }) => metadata.ownerReferences?.[0]?.name)).toEqual(["one", "one"]);
    await close();
  });
});

it("a ReplicationController is kept by the same rule", async () => {
  const running = await start();
  const { client, eventually, close } = running;
  const controllers = client.core.v1.replicationControllers("default");
  await controllers.create({ metadata: { name: "old" }, spec: { replicas: 2, template: spec(1).template } });
  await eventually(async () =>
    expect((await controllers.get("old")).status).toMatchObject({ replicas: 2, observedGeneration: 1 }),
  );
  expect((await podsOf(running))[0]!.metadata.ownerReferences).toMatchObject([
    { apiVersion: "v1", kind: "ReplicationController" },
  ]);
  await controllers.patch("old", { merge: { spec: { replicas: 0 } } });
  await eventually(async () => expect(await podsOf(running)).toEqual([]));
  await close();
});

describe("pods of a ReplicaSet that end", () => {
  it.each([
    [true, 1],
    [false, undefined],
  ])("are counted when the gate is %s", async (isOn, counted) => {
    const gate = "DeploymentReplicaSetTerminatingReplicas";
    const running = await start({
      serverFlags: [...WITHOUT_ACCOUNTS, `--feature-gates=${gate}=${isOn}`],
      gateEnabled: (name) => name !== gate || isOn,
    });
    const { client, eventually, close } = running;
    const sets = client.apps.v1.replicaSets("default");
    await sets.create({ metadata: { name: "web" }, spec: spec(1) });
    await eventually(async () => expect(await podsOf(running)).toHaveLength(1));
    const [pod] = await podsOf(running);
    // On a node, a pod that is deleted stays until the node lets it go.
    await client.core.v1.pods("default").bind(pod!.metadata.name, "n");
    await sets.patch("web", { merge: { spec: { replicas: 0 } } });
    await eventually(async () => {
      expect((await podsOf(running))[0]!.metadata.deletionTimestamp).toBeDefined();
      expect((await sets.get("web")).status).toMatchObject({ replicas: 0, observedGeneration: 2 });
    });
    await eventually(async () => expect((await sets.get("web")).status.terminatingReplicas).toBe(counted));
    await client.core.v1.pods("default").delete(pod!.metadata.name, { gracePeriodSeconds: 0 });
    await eventually(async () => expect((await sets.get("web")).status.terminatingReplicas).toBe(isOn ? 0 : undefined));
    await close();
  });
});
