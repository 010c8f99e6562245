// Claims of devices against a whole server.

import { afterEach, describe, expect, it } from "vitest";
import type { Informer } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { ResourceClaim } from "../../kinds/resource/resource-claim.ts";
import type { ResourceClaimTemplate } from "../../kinds/resource/resource-claim-template.ts";
import { DIALECTS, type Dialect } from "../../meta/names.ts";
import { type ControllersInProcess, controllersInProcess } from "../controllers.testing.ts";
import type { ControllerContext } from "../framework/controller.ts";
import { resourceClaimController } from "./resource-claim-controller.ts";
import { ResourceClaimSync } from "./resource-claim-sync.ts";

let world: ControllersInProcess;
afterEach(() => world.close());

const devices = { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] };

async function start(dialect: Dialect = "platform", serverFlags: string[] = []) {
  world = await controllersInProcess({
    definitions: [resourceClaimController],
    dialect,
    ownAccounts: true,
    serverFlags: ["--disable-admission-plugins=ServiceAccount", ...serverFlags],
  });
  const { client, eventually } = world;
  const pods = client.core.v1.pods("default");
  const claims = client.devices.v1.resourceClaims("default");
  const templates = client.devices.v1.resourceClaimTemplates("default");
  return {
    ...world,
    pods,
    claims,
    names: client.names,
    createTemplate: () =>
      templates.create({ metadata: { name: "t" }, spec: { metadata: { labels: { a: "b" } }, spec: { devices } } }),
    createPod: (name = "p") =>
      pods.create({
        metadata: { name },
        spec: {
          resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "t" }],
          containers: [{ name: "c", image: "i", resources: { claims: [{ name: "gpu" }] } }],
        },
      }),
    made: (name = "p") =>
      eventually(async () => {
        const { status } = await pods.get(name);
        expect(status.resourceClaimStatuses).toHaveLength(1);
        return claims.get(status.resourceClaimStatuses![0]!.resourceClaimName ?? "");
      }),
    settled: () => eventually(() => expect(world.manager.busy).toBe(false)),
    reasons: async () => (await client.core.v1.events("default").list()).items.map(({ reason }) => reason),
    /** As the scheduler writes it. */
    async allocate(name: string, podName: string) {
      const { uid } = (await pods.get(podName)).metadata;
      await claims.modify(name, (claim) => {
        claim.metadata.finalizers = [client.names.claimProtectionFinalizer];
      });
      const results = [{ request: "r", driver: "example.com", pool: "p", device: "d" }];
      await claims.status.modify(name, (claim) => {
        claim.status = {
          allocation: { devices: { results } },
          reservedFor: [{ resource: "pods", name: podName, uid }],
        };
      });
    },
  };
}

describe.each(DIALECTS)("a pod of the dialect %s", (dialect) => {
  it("gets its claim from the template, once, and gives it back when it has ended", async () => {
    const { createTemplate, createPod, made, pods, claims, allocate, eventually, restart, names, settled } =
      await start(dialect);
    await createTemplate();
    await createPod();
    const claim = await made();
    expect(claim.metadata).toMatchObject({
      labels: { a: "b" },
      annotations: { [names.podClaimNameAnnotation]: "gpu" },
      ownerReferences: [{ kind: "Pod", name: "p", controller: true }],
    });
    expect(claim.metadata.name).toMatch(/^p-gpu-.{5}$/);
    await restart();
    await settled();
    expect((await claims.list()).items).toHaveLength(1);
    await allocate(claim.metadata.name, "p");
    await pods.status.patch("p", { merge: { status: { phase: "Succeeded" } } });
    await eventually(async () => expect((await claims.list()).items).toEqual([]));
    expect(world.refused).toEqual([]);
  });
});

describe("claims of devices", () => {
  it("wait for their template, and say so", async () => {
    const { createTemplate, createPod, made, reasons, eventually } = await start();
    await createPod();
    await eventually(async () => expect(await reasons()).toContain("FailedResourceClaimCreation"));
    await createTemplate();
    await made();
  });

  it("that were made before a crash are found again", async () => {
    const { createTemplate, createPod, claims, pods, restart, manager, made, names } = await start();
    await createTemplate();
    await manager.stop();
    const { metadata } = await createPod();
    const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: metadata.uid, controller: true };
    const before = await claims.create({
      metadata: { name: "before", annotations: { [names.podClaimNameAnnotation]: "gpu" }, ownerReferences: [owner] },
      spec: { devices },
    });
    await restart();
    expect((await made()).metadata.uid).toBe(before.metadata.uid);
    expect((await claims.list()).items).toHaveLength(1);
    await pods.delete("p");
  });

  it("are reserved for pods that somebody put on a node by hand", async () => {
    const { claims, pods, eventually, client } = await start();
    await claims.create({ metadata: { name: "s" }, spec: { devices } });
    const results = [{ request: "r", driver: "example.com", pool: "p", device: "d" }];
    await claims.status.modify("s", (claim) => {
      claim.status = { allocation: { devices: { results } } };
    });
    await client.core.v1.nodes().create({ metadata: { name: "n" } });
    const { metadata } = await pods.create({
      metadata: { name: "p" },
      spec: {
        nodeName: "n",
        resourceClaims: [{ name: "x", resourceClaimName: "s" }],
        containers: [{ name: "c", image: "i" }],
      },
    });
    await eventually(async () =>
      expect((await claims.get("s")).status.reservedFor).toMatchObject([
        { resource: "pods", name: "p", uid: metadata.uid },
      ]),
    );
    await pods.delete("p", { gracePeriodSeconds: 0 });
    await eventually(async () => expect((await claims.get("s")).status.reservedFor).toBeUndefined());
    // It was not made for the pod: it stays, and keeps what nobody of ours allocated.
    expect((await claims.get("s")).status.allocation).toBeDefined();
  });

  it("stay reserved for a pod of which the cache still shows one before it", async () => {
    const { pods, claims, createPod, createTemplate, allocate, clock, client } = await start();
    await world.manager.stop();
    await createTemplate();
    const before = await createPod();
    await pods.delete("p", { gracePeriodSeconds: 0 });
    const { metadata } = await createPod();
    await claims.create({ metadata: { name: "s" }, spec: { devices } });
    await allocate("s", "p");
    const sync = new ResourceClaimSync({
      context: { client, clock, names: client.names } as unknown as ControllerContext,
      pods: { cache: { get: () => before } } as unknown as Informer<Pod>,
      claims: {} as Informer<ResourceClaim>,
      templates: {} as Informer<ResourceClaimTemplate>,
    });
    await sync.syncClaim(await claims.get("s"));
    expect((await claims.get("s")).status.reservedFor).toMatchObject([{ name: "p", uid: metadata.uid }]);
  });

  it("are nobody's business where the server does not know them", async () => {
    const { client, pods } = await start("kubernetes", ["--runtime-config=resource.k8s.io/v1=false"]);
    await pods.create({ metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } });
    expect((await client.core.v1.events("default").list()).items).toEqual([]);
  });
});
