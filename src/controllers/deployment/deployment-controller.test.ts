// Deployments against a whole server, with the controller of ReplicaSets beside theirs.

import { describe, expect, it } from "vitest";
import type { Deployment } from "../../kinds/apps/deployment.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import { DIALECTS } from "../../meta/names.ts";
import { type ControllersInProcess, controllersInProcess } from "../controllers.testing.ts";
import { isReady } from "../pods-of-owner/pod-state.ts";
import { nodesWhere } from "../pods-of-owner/pods.testing.ts";
import { replicaSetController } from "../replica-set/replica-set-controller.ts";
import { deploymentController } from "./deployment-controller.ts";
import { TEMPLATE_HASH_LABEL } from "./template-hash.ts";

const imageOf = (object: { spec: { containers: { image?: string }[] | null } }) => object.spec.containers?.[0]?.image;
/** Pods of other images run; those of this one never do. */
const BROKEN = "broken";
const nodes = nodesWhere((pod) => imageOf(pod) !== BROKEN);

function start(options: Partial<Parameters<typeof controllersInProcess>[0]> = {}): Promise<ControllersInProcess> {
  return controllersInProcess({
    definitions: [deploymentController, replicaSetController, nodes],
    serverFlags: ["--disable-admission-plugins=ServiceAccount"],
    ...options,
  });
}

function web(spec: Draft<Deployment["spec"]> = {}, image = "v1"): Draft<Deployment> {
  return {
    metadata: { name: "web" },
    spec: {
      replicas: 4,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image }] } },
      ...spec,
    },
  };
}

const deploymentsOf = ({ client }: ControllersInProcess) => client.apps.v1.deployments("default");
const setsOf = async ({ client }: ControllersInProcess) => (await client.apps.v1.replicaSets("default").list()).items;
const sizesOf = async (running: ControllersInProcess) =>
  Object.fromEntries((await setsOf(running)).map((set) => [imageOf(set.spec.template), set.spec.replicas]));
const setImage = (running: ControllersInProcess, image: string) =>
  deploymentsOf(running).patch("web", {
    strategic: { spec: { template: { spec: { containers: [{ name: "c", image }] } } } },
  });
const progressOf = async (running: ControllersInProcess) =>
  (await deploymentsOf(running).get("web")).status.conditions?.find(({ type }) => type === "Progressing");

/** As `rollout status` sees it. */
async function isRolledOut(running: ControllersInProcess): Promise<void> {
  const { metadata, spec, status } = await deploymentsOf(running).get("web");
  expect(status.observedGeneration).toBe(metadata.generation);
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0 } = status;
  expect([updatedReplicas, replicas, availableReplicas]).toEqual([spec.replicas, spec.replicas, spec.replicas]);
  expect((await progressOf(running))?.reason).toBe("NewReplicaSetAvailable");
}

describe.each(DIALECTS)("a Deployment of the dialect %s", (dialect) => {
  it("rolls out, rolls on, and rolls back to a set that it has had", async () => {
    const running = await start({ dialect });
    const { client, eventually, close } = running;
    const { names } = client;
    const revisionOf = (object: { metadata: { annotations?: Record<string, string> } }) =>
      object.metadata.annotations?.[names.deploymentRevisionAnnotation];
    await deploymentsOf(running).create({ ...web(), metadata: { name: "web", annotations: { cause: "first" } } });
    await eventually(() => isRolledOut(running));
    const [first] = await setsOf(running);
    const hash = first!.metadata.labels?.[TEMPLATE_HASH_LABEL] ?? "";
    expect(first!.metadata).toMatchObject({
      name: `web-${hash}`,
      annotations: {
        cause: "first",
        [names.deploymentRevisionAnnotation]: "1",
        [names.deploymentDesiredReplicasAnnotation]: "4",
        [names.deploymentMaxReplicasAnnotation]: "5",
      },
      ownerReferences: [{ kind: "Deployment", name: "web", controller: true, blockOwnerDeletion: true }],
    });
    expect(first!.spec.selector?.matchLabels).toEqual({ app: "web", [TEMPLATE_HASH_LABEL]: hash });
    const { status } = await deploymentsOf(running).get("web");
    expect(status.conditions?.find(({ type }) => type === "Available")).toMatchObject({
      status: "True",
      reason: "MinimumReplicasAvailable",
    });

    await setImage(running, "v2");
    await eventually(async () => {
      await isRolledOut(running);
      expect(await sizesOf(running)).toEqual({ v1: 0, v2: 4 });
    });
    expect(revisionOf(await deploymentsOf(running).get("web"))).toBe("2");

    await setImage(running, "v1");
    await eventually(async () => {
      await isRolledOut(running);
      expect(await sizesOf(running)).toEqual({ v1: 4, v2: 0 });
    });
    const again = (await setsOf(running)).find((set) => imageOf(set.spec.template) === "v1")!;
    expect(again.metadata.uid).toBe(first!.metadata.uid);
    expect(revisionOf(again)).toBe("3");
    expect(again.metadata.annotations?.[names.deploymentRevisionHistoryAnnotation]).toBe("1");
    expect(revisionOf(await deploymentsOf(running).get("web"))).toBe("3");
    await eventually(async () => {
      const { items } = await client.core.v1.events("default").list();
      const messages = items.filter(({ reason }) => reason === "ScalingReplicaSet").map(({ message }) => message);
      expect(messages).toContain(`Scaled up replica set ${first!.metadata.name} from 0 to 4`);
    });
    await close();
  });
});

describe("a rolling update", () => {
  it("never has more or fewer pods than its limits allow, though its controllers are restarted", async () => {
    const running = await start();
    const { client, eventually, restart, close } = running;
    const rollingUpdate = { maxSurge: 2, maxUnavailable: 1 };
    await deploymentsOf(running).create(web({ replicas: 10, strategy: { type: "RollingUpdate", rollingUpdate } }));
    await eventually(() => isRolledOut(running));

    const pods = new Map((await client.core.v1.pods("default").list()).items.map((pod) => [pod.metadata.uid, pod]));
    const stop = new AbortController();
    const { metadata } = await client.core.v1.pods("default").list();
    const seen = { most: 0, fewestReady: 10 };
    const watching = (async () => {
      const options = { signal: stop.signal, resourceVersion: metadata.resourceVersion };
      for await (const change of client.core.v1.pods("default").watch(options)) {
        if (change.type === "DELETED") pods.delete(change.object.metadata.uid);
        else if (change.type === "ADDED" || change.type === "MODIFIED")
          pods.set(change.object.metadata.uid, change.object);
        seen.most = Math.max(seen.most, pods.size);
        seen.fewestReady = Math.min(seen.fewestReady, [...pods.values()].filter(isReady).length);
      }
    })().catch(() => undefined);
    await setImage(running, "v2");
    await eventually(async () => expect((await sizesOf(running))["v2"]).toBeGreaterThan(2));
    await restart();
    await eventually(async () => {
      await isRolledOut(running);
      expect([...pods.values()].map((pod) => imageOf(pod))).toEqual(Array(10).fill("v2"));
    });
    stop.abort();
    await watching;
    expect(seen.most).toBeLessThanOrEqual(12);
    expect(seen.fewestReady).toBeGreaterThanOrEqual(9);
    await close();
  });

  it("stops at a template that does not work, says so in time, and goes on with the next one", async () => {
    const running = await start();
    const { clock, eventually, close } = running;
    const rollingUpdate = { maxSurge: 1, maxUnavailable: 1 };
    await deploymentsOf(running).create(
      web({ progressDeadlineSeconds: 60, strategy: { type: "RollingUpdate", rollingUpdate } }),
    );
    await eventually(() => isRolledOut(running));
    await setImage(running, BROKEN);
    await eventually(async () => expect(await sizesOf(running)).toEqual({ v1: 3, [BROKEN]: 2 }));
    await eventually(async () => expect(await progressOf(running)).toMatchObject({ reason: "ReplicaSetUpdated" }));
    // Pods that were on their way when the clock was moved count as progress.
    await eventually(async () => {
      await clock.advance(70_000);
      const condition = await progressOf(running);
      expect(condition).toMatchObject({ status: "False", reason: "ProgressDeadlineExceeded" });
      expect(condition?.message).toMatch(/^ReplicaSet "web-\w+" has timed out progressing\.$/);
    });
    expect(await sizesOf(running)).toEqual({ v1: 3, [BROKEN]: 2 });
    await setImage(running, "v3");
    await eventually(async () => {
      await isRolledOut(running);
      expect(await sizesOf(running)).toEqual({ v1: 0, [BROKEN]: 0, v3: 4 });
    });
    await close();
  });

  it("scales in proportion while it is paused in the middle, and ends once it is resumed", async () => {
    const running = await start();
    const { eventually, close } = running;
    const rollingUpdate = { maxSurge: 0, maxUnavailable: 5 };
    const deployments = deploymentsOf(running);
    await deployments.create(web({ replicas: 10, strategy: { type: "RollingUpdate", rollingUpdate } }));
    await eventually(() => isRolledOut(running));
    await setImage(running, BROKEN);
    await eventually(async () => expect(await sizesOf(running)).toEqual({ v1: 5, [BROKEN]: 5 }));
    await deployments.patch("web", { merge: { spec: { paused: true } } });
    await eventually(async () => expect(await progressOf(running)).toMatchObject({ reason: "DeploymentPaused" }));
    await deployments.scale.patch("web", { merge: { spec: { replicas: 20 } } });
    await eventually(async () => expect(await sizesOf(running)).toEqual({ v1: 10, [BROKEN]: 10 }));
    await setImage(running, "v2");
    await eventually(async () => {
      const { metadata, status } = await deployments.get("web");
      expect(status.observedGeneration).toBe(metadata.generation);
    });
    expect(await sizesOf(running)).toEqual({ v1: 10, [BROKEN]: 10 });
    await deployments.patch("web", { merge: { spec: { paused: false } } });
    await eventually(async () => {
      await isRolledOut(running);
      expect(await sizesOf(running)).toEqual({ v1: 0, [BROKEN]: 0, v2: 20 });
    });
    await close();
  });
});

describe("a Deployment", () => {
  it("that recreates ends all old pods before the first new one", async () => {
    const running = await start();
    const { client, clock, eventually, close } = running;
    const { template } = web().spec!;
    const held = { ...template, metadata: { ...template!.metadata, finalizers: ["example.com/hold"] } };
    await deploymentsOf(running).create(web({ replicas: 2, strategy: { type: "Recreate" }, template: held }));
    await eventually(() => isRolledOut(running));
    await setImage(running, "v2");
    const pods = client.core.v1.pods("default");
    const imagesOf = async () => (await pods.list()).items.map((pod) => imageOf(pod)).sort();
    // Both end, as their set says, but are not gone yet.
    await eventually(async () => expect((await setsOf(running))[0]?.status.replicas).toBe(0));
    await eventually(async () => {
      const { metadata, status } = await deploymentsOf(running).get("web");
      expect([status.observedGeneration, status.replicas ?? 0]).toEqual([metadata.generation, 0]);
    });
    expect(await imagesOf()).toEqual(["v1", "v1"]);
    const [first, second] = (await pods.list()).items;
    const letGo = (pod: typeof first) => pods.patch(pod!.metadata.name, { merge: { metadata: { finalizers: null } } });
    await letGo(first);
    await eventually(async () => expect(await imagesOf()).toEqual(["v1"]));
    // Nothing is left over of earlier looks: only the last pod itself can bring the next one.
    await clock.advance(10_000);
    expect(await setsOf(running)).toHaveLength(1);
    await letGo(second);
    await eventually(async () => {
      await isRolledOut(running);
      expect(await imagesOf()).toEqual(["v2", "v2"]);
    });
    await close();
  });

  it("that recreates does not wait for old pods that have ended, though something still holds them", async () => {
    const running = await start();
    const { client, clock, eventually, close } = running;
    const { template } = web().spec!;
    const held = { ...template, metadata: { ...template!.metadata, finalizers: ["example.com/hold"] } };
    await deploymentsOf(running).create(web({ replicas: 1, strategy: { type: "Recreate" }, template: held }));
    await eventually(() => isRolledOut(running));
    await setImage(running, "v2");
    await eventually(async () => {
      const { metadata, status } = await deploymentsOf(running).get("web");
      expect([status.observedGeneration, status.replicas ?? 0]).toEqual([metadata.generation, 0]);
    });
    await clock.advance(10_000);
    expect(await setsOf(running)).toHaveLength(1);
    const pods = client.core.v1.pods("default");
    const [old] = (await pods.list()).items;
    await pods.status.patch(old!.metadata.name, { merge: { status: { phase: "Failed" } } });
    await eventually(async () =>
      expect((await pods.list()).items.map((pod) => imageOf(pod)).sort()).toEqual(["v1", "v2"]),
    );
    await close();
  });

  it("keeps as many old sets as it is asked to", async () => {
    const running = await start();
    const { eventually, close } = running;
    await deploymentsOf(running).create(web({ replicas: 1, revisionHistoryLimit: 1 }));
    for (const image of ["v2", "v3", "v4"]) {
      await eventually(() => isRolledOut(running));
      await setImage(running, image);
    }
    await eventually(async () => {
      await isRolledOut(running);
      expect(await sizesOf(running)).toEqual({ v3: 0, v4: 1 });
    });
    await close();
  });

  it("takes another name for its set when the first is taken", async () => {
    const running = await start();
    const { client, eventually, close } = running;
    await deploymentsOf(running).create(web({ replicas: 0 }));
    await eventually(() => isRolledOut(running));
    const [{ metadata, spec }] = (await setsOf(running)) as [Awaited<ReturnType<typeof setsOf>>[0]];
    await deploymentsOf(running).delete("web");
    await client.apps.v1.replicaSets("default").delete(metadata.name);
    const labels = { app: "other" };
    await client.apps.v1.replicaSets("default").create({
      metadata: { name: metadata.name },
      spec: { ...spec, selector: { matchLabels: labels }, template: { ...spec.template, metadata: { labels } } },
    });
    await deploymentsOf(running).create(web({ replicas: 2 }));
    await eventually(() => isRolledOut(running));
    expect((await deploymentsOf(running).get("web")).status.collisionCount).toBe(1);
    expect((await client.apps.v1.replicaSets("default").get(metadata.name)).spec.selector?.matchLabels).toEqual(labels);
    await close();
  });

  it("adopts a set that nobody owns, and takes its pods over", async () => {
    const running = await start();
    const { client, eventually, close } = running;
    const { template } = web({}, "v0").spec!;
    await client.apps.v1.replicaSets("default").create({
      metadata: { name: "stray", labels: { app: "web" } },
      spec: { replicas: 3, selector: { matchLabels: { app: "web" } }, template: template! },
    });
    await eventually(async () => expect((await setsOf(running))[0]?.status.availableReplicas).toBe(3));
    await deploymentsOf(running).create(web());
    await eventually(async () => {
      await isRolledOut(running);
      expect(await sizesOf(running)).toEqual({ v0: 0, v1: 4 });
    });
    const stray = await client.apps.v1.replicaSets("default").get("stray");
    expect(stray.metadata.ownerReferences).toMatchObject([{ name: "web", controller: true }]);
    await close();
  });

  it("says why its set cannot be created, and creates it when it can", async () => {
    const running = await start();
    const { client, clock, eventually, close } = running;
    await client.core.v1.resourceQuotas("default").create({
      metadata: { name: "none" },
      spec: { hard: { "count/replicasets.apps": "0" } },
    });
    await client.core.v1.resourceQuotas("default").status.patch("none", {
      merge: { status: { hard: { "count/replicasets.apps": "0" }, used: { "count/replicasets.apps": "0" } } },
    });
    await deploymentsOf(running).create(web());
    await eventually(async () =>
      expect(await progressOf(running)).toMatchObject({ status: "False", reason: "ReplicaSetCreateError" }),
    );
    await client.core.v1.resourceQuotas("default").delete("none");
    await clock.advance(1_100_000);
    await eventually(() => isRolledOut(running));
    await close();
  });
});
