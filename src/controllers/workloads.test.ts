// Workload controllers together, against a whole server: with the rights of their own roles, with failures on the way, and
// without work when there is nothing to do.

import { expect, it } from "vitest";
import type { Deployment } from "../kinds/apps/deployment.ts";
import type { Draft } from "../kinds/define-kind.ts";
import { DIALECTS } from "../meta/names.ts";
import { type ControllersInProcess, controllersInProcess } from "./controllers.testing.ts";
import { deploymentController } from "./deployment/deployment-controller.ts";
import { disruptionController } from "./disruption/disruption-controller.ts";
import { horizontalPodAutoscalerController } from "./horizontal-pod-autoscaler/horizontal-pod-autoscaler-controller.ts";
import { nodesWhere } from "./pods-of-owner/pods.testing.ts";
import { replicaSetController, replicationController } from "./replica-set/replica-set-controller.ts";

const OPTIONS = {
  definitions: [
    deploymentController,
    replicaSetController,
    replicationController,
    disruptionController,
    nodesWhere(() => true),
  ],
  serverFlags: ["--disable-admission-plugins=ServiceAccount"],
};
const labels = { app: "web" };
const web = (replicas: number, image = "v1"): Draft<Deployment> => ({
  metadata: { name: "web" },
  spec: {
    replicas,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image }] } },
  },
});
const setImage = ({ client }: ControllersInProcess, image: string) =>
  client.apps.v1
    .deployments("default")
    .patch("web", { strategic: { spec: { template: { spec: { containers: [{ name: "c", image }] } } } } });

async function isRolledOut({ client }: ControllersInProcess, replicas: number, image: string): Promise<void> {
  const { status, metadata } = await client.apps.v1.deployments("default").get("web");
  expect(status).toMatchObject({
    observedGeneration: metadata.generation,
    replicas,
    updatedReplicas: replicas,
    availableReplicas: replicas,
  });
  const { items } = await client.core.v1.pods("default").list();
  expect(items.map(({ spec }) => spec.containers?.[0]?.image)).toEqual(Array(replicas).fill(image));
}

it.each(DIALECTS)("all of them need no more rights than upstream's roles give, in the dialect %s", async (dialect) => {
  const definitions = [...OPTIONS.definitions, horizontalPodAutoscalerController];
  const running = await controllersInProcess({ ...OPTIONS, definitions, dialect, ownAccounts: true });
  const { client, clock, eventually, refused, close } = running;
  await client.core.v1.pods("default").create({
    metadata: { name: "stray", labels: { app: "old" } },
    spec: { containers: [{ name: "c", image: "v0" }] },
  });
  await client.apps.v1.deployments("default").create({ ...web(3), spec: { ...web(3).spec, revisionHistoryLimit: 0 } });
  await client.core.v1.replicationControllers("default").create({
    metadata: { name: "old" },
    spec: {
      replicas: 1,
      template: { metadata: { labels: { app: "old" } }, spec: { containers: [{ name: "c", image: "v1" }] } },
    },
  });
  await client.policy.v1.podDisruptionBudgets("default").create({
    metadata: { name: "b" },
    spec: { selector: { matchLabels: labels }, maxUnavailable: 1 },
  });
  await client.autoscaling.v2.horizontalPodAutoscalers("default").create({
    metadata: { name: "web" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 4,
      maxReplicas: 5,
    },
  });
  const deployments = client.apps.v1.deployments("default");
  await eventually(async () => {
    // Autoscalers look now and then.
    await clock.advance(1_000);
    expect((await deployments.get("web")).status.availableReplicas).toBe(4);
    expect((await client.policy.v1.podDisruptionBudgets("default").get("b")).status.disruptionsAllowed).toBe(1);
  });
  await setImage(running, "v2");
  await clock.advance(15_000);
  await eventually(async () => {
    expect((await deployments.get("web")).status.updatedReplicas).toBe(4);
    expect((await client.apps.v1.replicaSets("default").list()).items).toHaveLength(1);
    expect(
      (await client.autoscaling.v2.horizontalPodAutoscalers("default").get("web")).status.conditions,
    ).toMatchObject([
      { type: "AbleToScale", status: "True" },
      { type: "ScalingActive", status: "False", reason: "FailedGetResourceMetric" },
    ]);
  });
  // Nobody serves metrics here, which is no want of rights.
  expect(refused).toEqual([]);
  await close();
});

it("a rollout comes to its end though every third write fails, each time in another way", async () => {
  const failures = [500, 409, 429, 503, 504];
  let writes = 0;
  const running = await controllersInProcess({
    ...OPTIONS,
    fault({ method, path }) {
      if (method === "GET" || path.includes("/events")) return undefined;
      writes += 1;
      return writes % 3 === 0 ? failures[(writes / 3) % failures.length] : undefined;
    },
  });
  const { client, clock, eventually, close } = running;
  const patiently = (replicas: number, image: string) =>
    eventually(async () => {
      // Keys come back later after each failure in a row.
      await clock.advance(1_000);
      await isRolledOut(running, replicas, image);
    });
  await client.apps.v1.deployments("default").create(web(8));
  await patiently(8, "v1");
  await setImage(running, "v2");
  await patiently(8, "v2");
  await client.apps.v1.deployments("default").patch("web", { merge: { spec: { replicas: 3 } } });
  await patiently(3, "v2");
  await close();
});

it("nothing is asked of the server when there is nothing to do", async () => {
  const running = await controllersInProcess(OPTIONS);
  const { client, clock, eventually, close } = running;
  await client.apps.v1.deployments("default").create(web(4));
  await client.policy.v1.podDisruptionBudgets("default").create({
    metadata: { name: "b" },
    spec: { selector: { matchLabels: labels }, maxUnavailable: "25%" },
  });
  await eventually(() => isRolledOut(running, 4, "v1"));
  await eventually(() => expect(running.manager.busy).toBe(false));
  await clock.advance(60_000);
  const { requests } = running;
  await clock.advance(3_600_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(running.requests).toBe(requests);
  await close();
});

it("what is refused for ever is not asked for without end", async () => {
  const running = await controllersInProcess({
    ...OPTIONS,
    fault: ({ method, path }) => (method === "POST" && /\/pods$|\/pods\?/.test(path) ? 500 : undefined),
  });
  const { client, clock, eventually, close } = running;
  await client.apps.v1.deployments("default").create(web(50));
  await eventually(async () => {
    const { status } = await client.apps.v1.deployments("default").get("web");
    expect(status.conditions?.find(({ type }) => type === "ReplicaFailure")?.reason).toBe("FailedCreate");
  });
  const { requests } = running;
  for (let i = 0; i < 360; i += 1) await clock.advance(10_000);
  // After an hour of failures: some twenty tries, each with its events.
  expect(running.requests - requests).toBeLessThan(150);
  await close();
});
