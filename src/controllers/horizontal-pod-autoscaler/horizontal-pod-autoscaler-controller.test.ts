// Autoscalers against a whole server. Metrics are served from custom resources in the groups of metrics, which answer lists
// of the same shape.

import { describe, expect, it } from "vitest";
import type { HorizontalPodAutoscaler } from "../../kinds/autoscaling/horizontal-pod-autoscaler-v2.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import { DIALECTS, type Dialect } from "../../meta/names.ts";
import { timeOfMs } from "../../meta/time.ts";
import { type ControllersInProcess, controllersInProcess } from "../controllers.testing.ts";
import { replicaSetController } from "../replica-set/replica-set-controller.ts";
import { horizontalPodAutoscalerController } from "./horizontal-pod-autoscaler-controller.ts";

const labels = { app: "web" };

async function start(replicas: number, dialect: Dialect = "platform"): Promise<ControllersInProcess> {
  const running = await controllersInProcess({
    definitions: [horizontalPodAutoscalerController, replicaSetController],
    serverFlags: ["--disable-admission-plugins=ServiceAccount"],
    dialect,
  });
  const { client, eventually } = running;
  const containers = [{ name: "c", image: "i", resources: { requests: { cpu: "100m" } } }];
  await client.apps.v1.replicaSets("default").create({
    metadata: { name: "web" },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  });
  await eventually(async () => expect((await podsOf(running)).length).toBe(replicas));
  return running;
}

const podsOf = async ({ client }: ControllersInProcess) => (await client.core.v1.pods("default").list()).items;
const wanted = async ({ client }: ControllersInProcess) =>
  (await client.apps.v1.replicaSets("default").get("web")).spec.replicas;
const autoscalerOf = ({ client }: ControllersInProcess, name = "web") =>
  client.autoscaling.v2.horizontalPodAutoscalers("default").get(name);
const conditionsOf = async (running: ControllersInProcess) =>
  Object.fromEntries(
    ((await autoscalerOf(running)).status.conditions ?? []).map(({ type, status, reason }) => [
      type,
      `${status} ${reason}`,
    ]),
  );

/** Resolves with the first look, which comes after a while. */
async function autoscale(
  running: ControllersInProcess,
  spec: Draft<HorizontalPodAutoscaler["spec"]> = {},
  name = "web",
) {
  await create(running, spec, name);
  await running.eventually(async () => {
    await running.clock.advance(1_000);
    expect((await autoscalerOf(running, name)).status.conditions).toBeDefined();
  });
}

function create(running: ControllersInProcess, spec: Draft<HorizontalPodAutoscaler["spec"]> = {}, name = "web") {
  return running.client.autoscaling.v2.horizontalPodAutoscalers("default").create({
    metadata: { name },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web" },
      minReplicas: 1,
      maxReplicas: 10,
      ...spec,
    },
  });
}

/** A group of metrics, served from objects of a custom kind. */
async function serve({ client, eventually }: ControllersInProcess, group: string, plural: string, kind: string) {
  await client.apiextensions.v1.customResourceDefinitions().create({
    metadata: {
      name: `${plural}.${group}`,
      annotations: { [client.names.apiApprovedAnnotation]: "unapproved, for tests" },
    },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind },
      versions: [
        {
          name: "v1beta1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  });
  const resource = client.named({ group, version: "v1beta1", resource: plural, kind }, "default");
  await eventually(() => resource.list());
  return resource;
}

/** All pods run since long ago, and use so many thousandths of a CPU each. */
async function use(running: ControllersInProcess, metrics: Awaited<ReturnType<typeof serve>>, milliCpu: number) {
  const { client, clock } = running;
  const since = timeOfMs(clock.nowMs() - 3_600_000);
  for (const { metadata } of await podsOf(running)) {
    await client.core.v1.pods("default").status.patch(metadata.name, {
      merge: {
        status: {
          phase: "Running",
          startTime: since,
          conditions: [{ type: "Ready", status: "True", lastTransitionTime: since }],
        },
      },
    });
    const measured = {
      timestamp: timeOfMs(clock.nowMs()),
      window: "30s",
      containers: [{ name: "c", usage: { cpu: `${milliCpu}m` } }],
    };
    await metrics.apply({ metadata: { name: metadata.name, labels }, ...measured }, { force: true });
  }
}

describe.each(DIALECTS)("an autoscaler of the dialect %s", (dialect) => {
  it("scales up at once and down after five minutes, by the use of CPU", async () => {
    const running = await start(2, dialect);
    const { client, clock, eventually, close } = running;
    const metrics = await serve(running, client.names.metricsGroup, "pods", "PodMetrics");
    await use(running, metrics, 160);
    await autoscale(running);
    await eventually(async () => expect(await wanted(running)).toBe(4));
    await eventually(async () => {
      expect(await conditionsOf(running)).toEqual({
        AbleToScale: "True SucceededRescale",
        ScalingActive: "True ValidMetricFound",
        ScalingLimited: "False DesiredWithinRange",
      });
      const { status } = await autoscalerOf(running);
      expect(status).toMatchObject({
        currentReplicas: 2,
        desiredReplicas: 4,
        lastScaleTime: expect.any(String),
        currentMetrics: [
          { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 160, averageValue: "160m" } } },
        ],
      });
      const { items } = await client.core.v1.events("default").list();
      expect(items.find(({ reason }) => reason === "SuccessfulRescale")?.message).toBe(
        "New size: 4; reason: cpu resource utilization (percentage of request) above target",
      );
    });

    await eventually(async () => expect((await podsOf(running)).length).toBe(4));
    await use(running, metrics, 20);
    await clock.advance(20_000);
    await eventually(async () =>
      expect(await conditionsOf(running)).toMatchObject({ AbleToScale: "True ScaleDownStabilized" }),
    );
    expect(await wanted(running)).toBe(4);
    for (let i = 0; i < 22; i += 1) await clock.advance(15_000);
    await eventually(async () => {
      await clock.advance(15_000);
      expect(await wanted(running)).toBe(1);
    });
    await close();
  });
});

describe("an autoscaler", () => {
  it("brings what it scales within its limits without any metric", async () => {
    const running = await start(1);
    await autoscale(running, { minReplicas: 3 });
    await running.eventually(async () => expect(await wanted(running)).toBe(3));
    await running.close();
  });

  it("lets what was created with it begin, and looks for the first time after that", async () => {
    const running = await start(1);
    const { clock, eventually, close } = running;
    await create(running, { minReplicas: 3 });
    for (let passed = 0; passed < 14; passed += 1) await clock.advance(1_000);
    expect(await wanted(running)).toBe(1);
    expect((await autoscalerOf(running)).status.conditions).toBeUndefined();
    await eventually(async () => {
      await clock.advance(1_000);
      expect(await wanted(running)).toBe(3);
    });
    await close();
  });

  it("names kind and group of a target that nobody serves", async () => {
    const running = await start(1);
    await autoscale(running, { scaleTargetRef: { apiVersion: "example.com/v1", kind: "Nothing", name: "web" } });
    await running.eventually(async () => {
      const { status } = await autoscalerOf(running);
      expect(status.conditions?.[0]?.message).toBe(
        'the HPA controller was unable to get the target\'s current scale: no matches for kind "Nothing" in group "example.com"',
      );
    });
    await running.close();
  });

  it("says why it cannot, and does nothing", async () => {
    const running = await start(2);
    const { client, clock, eventually, close } = running;
    await autoscale(running);
    await eventually(async () =>
      expect(await conditionsOf(running)).toEqual({
        AbleToScale: "True SucceededGetScale",
        ScalingActive: "False FailedGetResourceMetric",
      }),
    );
    expect(await wanted(running)).toBe(2);
    await client.apps.v1.replicaSets("default").scale.patch("web", { merge: { spec: { replicas: 0 } } });
    await clock.advance(15_000);
    await eventually(async () =>
      expect(await conditionsOf(running)).toMatchObject({ ScalingActive: "False ScalingDisabled" }),
    );
    await client.apps.v1.replicaSets("default").delete("web");
    await clock.advance(15_000);
    await eventually(async () =>
      expect(await conditionsOf(running)).toMatchObject({ AbleToScale: "False FailedGetScale" }),
    );
    await close();
  });

  it("does not fight another one for the same pods", async () => {
    const running = await start(2);
    const { clock, eventually, close } = running;
    await autoscale(running, {}, "other");
    await autoscale(running);
    await eventually(async () => {
      await clock.advance(15_000);
      expect(await conditionsOf(running)).toMatchObject({ ScalingActive: "False AmbiguousSelector" });
    });
    await close();
  });

  it("follows metrics from outside, at the pace that it is given", async () => {
    const running = await start(2);
    const { client, clock, eventually, close } = running;
    const external = await serve(running, client.names.externalMetricsGroup, "queuelength", "QueueLength");
    await external.create({ metadata: { name: "x" }, value: "90" });
    const target = { type: "AverageValue", averageValue: "10" };
    await autoscale(running, {
      metrics: [{ type: "External", external: { metric: { name: "queuelength" }, target } }],
      behavior: { scaleUp: { policies: [{ type: "Pods", value: 2, periodSeconds: 60 }] } },
    });
    await eventually(async () => expect(await wanted(running)).toBe(4));
    await eventually(async () =>
      expect(await conditionsOf(running)).toMatchObject({ ScalingLimited: "True ScaleUpLimit" }),
    );
    await clock.advance(30_000);
    expect(await wanted(running)).toBe(4);
    await clock.advance(45_000);
    await eventually(async () => expect(await wanted(running)).toBe(6));
    await close();
  });

  it("counts what it waits for by the time that passes, though somebody sets the clock", async () => {
    const running = await start(4);
    const { client, clock, eventually, close } = running;
    const external = await serve(running, client.names.externalMetricsGroup, "queuelength", "QueueLength");
    await external.create({ metadata: { name: "x" }, value: "40" });
    const target = { type: "AverageValue", averageValue: "10" };
    await autoscale(running, {
      metrics: [{ type: "External", external: { metric: { name: "queuelength" }, target } }],
    });
    await external.apply({ metadata: { name: "x" }, value: "10" }, { force: true });
    clock.setTimeOfDay(3_600_000);
    await eventually(async () => {
      await clock.advance(1_000);
      expect(await conditionsOf(running)).toMatchObject({ AbleToScale: "True ScaleDownStabilized" });
    });
    expect(await wanted(running)).toBe(4);
    clock.setTimeOfDay(-7_200_000);
    for (let i = 0; i < 21; i += 1) await clock.advance(15_000);
    await eventually(async () => {
      await clock.advance(1_000);
      expect(await wanted(running)).toBe(1);
    });
    await close();
  });
});
