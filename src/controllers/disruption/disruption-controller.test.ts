// PodDisruptionBudgets and evictions against a whole server, with pods of ReplicaSets.

import { describe, expect, it } from "vitest";
import type { PodDisruptionBudget } from "../../kinds/policy/pod-disruption-budget.ts";
import { DIALECTS } from "../../meta/names.ts";
import { timeOfMs } from "../../meta/time.ts";
import { type ControllersInProcess, controllersInProcess } from "../controllers.testing.ts";
import { nodesWhere } from "../pods-of-owner/pods.testing.ts";
import { replicaSetController } from "../replica-set/replica-set-controller.ts";
import { disruptionController } from "./disruption-controller.ts";

const labels = { app: "web" };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };

async function start(spec: PodDisruptionBudget["spec"], dialect: "platform" | "kubernetes" = "platform") {
  const running = await controllersInProcess({
    definitions: [disruptionController, replicaSetController, nodesWhere(() => true)],
    serverFlags: ["--disable-admission-plugins=ServiceAccount"],
    dialect,
  });
  const { client } = running;
  await client.policy.v1
    .podDisruptionBudgets("default")
    .create({ metadata: { name: "b" }, spec: { selector, ...spec } });
  return running;
}

const budgetOf = ({ client }: ControllersInProcess) => client.policy.v1.podDisruptionBudgets("default").get("b");
const podsOf = async ({ client }: ControllersInProcess) => (await client.core.v1.pods("default").list()).items;

describe.each(DIALECTS)("a budget of the dialect %s", (dialect) => {
  it("grants as many evictions as it has to spare, and more when pods have been replaced", async () => {
    const running = await start({ maxUnavailable: 1 }, dialect);
    const { client, eventually, close } = running;
    await client.apps.v1
      .replicaSets("default")
      .create({ metadata: { name: "web" }, spec: { replicas: 3, selector, template } });
    await eventually(async () =>
      expect((await budgetOf(running)).status).toMatchObject({
        expectedPods: 3,
        desiredHealthy: 2,
        currentHealthy: 3,
        disruptionsAllowed: 1,
        conditions: [{ type: "DisruptionAllowed", status: "True", reason: "SufficientPods" }],
      }),
    );
    const [first, second] = await podsOf(running);
    // The replacement must not be ready before the second eviction is asked for.
    await running.manager.stop();
    await client.core.v1.pods("default").evict(first!.metadata.name);
    await expect(client.core.v1.pods("default").evict(second!.metadata.name)).rejects.toMatchObject({
      code: 429,
      causes: [
        { reason: "DisruptionBudget", message: "The disruption budget b needs 2 healthy pods and has 3 currently" },
      ],
    });
    await running.restart();
    await eventually(async () => expect((await budgetOf(running)).status.disruptionsAllowed).toBe(1));
    expect((await budgetOf(running)).status.disruptedPods).toBeUndefined();
    await client.core.v1.pods("default").evict(second!.metadata.name);
    await close();
  });
});

describe("a budget", () => {
  it("counts a percentage of what controllers want, of custom kinds too", async () => {
    const running = await start({ minAvailable: "50%" });
    const { client, eventually, close } = running;
    await client.apiextensions.v1.customResourceDefinitions().create({
      metadata: { name: "fleets.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "fleets", kind: "Fleet" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: { spec: { type: "object", properties: { replicas: { type: "integer" } } } },
              },
            },
            subresources: { scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } },
          },
        ],
      },
    });
    const fleets = client.named({ group: "example.com", version: "v1", resource: "fleets", kind: "Fleet" }, "default");
    const fleet = await eventually(() => fleets.create({ metadata: { name: "f" }, spec: { replicas: 5 } }));
    const owner = { apiVersion: "example.com/v1", kind: "Fleet", name: "f", uid: fleet.metadata.uid, controller: true };
    await client.core.v1
      .pods("default")
      .create({ metadata: { name: "p", labels, ownerReferences: [owner] }, spec: template.spec });
    await eventually(async () =>
      expect((await budgetOf(running)).status).toMatchObject({
        expectedPods: 5,
        desiredHealthy: 3,
        currentHealthy: 1,
        disruptionsAllowed: 0,
      }),
    );
    await close();
  });

  it("allows nothing and says why while pods belong to what does not scale", async () => {
    const running = await start({ maxUnavailable: 1 });
    const { client, eventually, close } = running;
    const owner = { apiVersion: "apps/v1", kind: "DaemonSet", name: "all", uid: "u", controller: true };
    await client.core.v1
      .pods("default")
      .create({ metadata: { name: "p", labels, ownerReferences: [owner] }, spec: template.spec });
    const message = "daemonsets.apps does not implement the scale subresource";
    await eventually(async () => {
      expect((await budgetOf(running)).status.conditions).toMatchObject([{ reason: "SyncFailed", message }]);
      const { items } = await client.core.v1.events("default").list();
      expect(items.find(({ reason }) => reason === "CalculateExpectedPodCountFailed")?.message).toBe(
        `Failed to calculate the number of expected pods: ${message}`,
      );
    });
    await close();
  });

  it("allows nothing and says why while the controller of a pod cannot be found", async () => {
    const running = await start({ minAvailable: "50%" });
    const { client, eventually, close } = running;
    const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "gone", uid: "u", controller: true };
    await client.core.v1
      .pods("default")
      .create({ metadata: { name: "p", labels, ownerReferences: [owner] }, spec: template.spec });
    await eventually(async () =>
      expect((await budgetOf(running)).status).toMatchObject({
        disruptionsAllowed: 0,
        conditions: [{ status: "False", reason: "SyncFailed", message: 'found no controllers for pod "p"' }],
      }),
    );
    await client.core.v1.pods("default").patch("p", { merge: { metadata: { ownerReferences: null } } });
    await eventually(async () => {
      expect((await budgetOf(running)).status.conditions).toMatchObject([{ reason: "InsufficientPods" }]);
      const { items } = await client.core.v1.events("default").list();
      expect(items.map(({ reason }) => reason)).toContain("UnmanagedPods");
    });
    await close();
  });

  it("does not wait for ever for a pod that was to go, and takes the word back that it is about to", async () => {
    const running = await start({ minAvailable: 0 });
    const { client, clock, eventually, close } = running;
    await client.core.v1.pods("default").create({ metadata: { name: "p", labels }, spec: template.spec });
    await eventually(async () => expect((await budgetOf(running)).status.disruptionsAllowed).toBe(1));
    const at = timeOfMs(clock.nowMs());
    await client.core.v1.pods("default").status.modify("p", (pod) => {
      pod.status.conditions = [
        ...(pod.status.conditions ?? []),
        {
          type: "DisruptionTarget",
          status: "True",
          reason: "EvictionByEvictionAPI",
          lastProbeTime: null,
          lastTransitionTime: at,
        },
      ];
    });
    await client.policy.v1.podDisruptionBudgets("default").status.modify("b", ({ status }) => {
      status.disruptedPods = { p: at };
    });
    await eventually(async () =>
      expect((await budgetOf(running)).status).toMatchObject({ currentHealthy: 0, disruptionsAllowed: 0 }),
    );
    await clock.advance(121_000);
    await eventually(async () => {
      expect((await budgetOf(running)).status).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 1 });
      const { status } = await client.core.v1.pods("default").get("p");
      expect(status.conditions?.find(({ type }) => type === "DisruptionTarget")).toMatchObject({
        status: "False",
        observedGeneration: 1,
      });
    });
    await close();
  });
});
