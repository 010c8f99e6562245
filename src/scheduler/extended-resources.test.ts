// Extended resources that come from devices, on a whole server.

import { afterEach, expect, it } from "vitest";
import { DIALECTS, type Dialect } from "../meta/names.ts";
import { type DeviceCluster, deviceCluster } from "./device-cluster.testing.ts";

let cluster: DeviceCluster;
afterEach(() => cluster.close());

const GPU = "example.com/gpu";

async function start(dialect: Dialect = "platform") {
  cluster = await deviceCluster(["DRAExtendedResource"], dialect);
  const { client, makePod, eventually } = cluster;
  const claims = client.devices.v1.resourceClaims("default");
  const amount = { [GPU]: "1" };
  const resources = { requests: amount, limits: amount };
  return {
    ...cluster,
    claims,
    nameResource: () =>
      client.devices.v1.deviceClasses().patch("gpu", { merge: { spec: { extendedResourceName: GPU } } }),
    asking: (name: string) => makePod(name, "", { containers: [{ name: "app", image: "app", resources }] }),
    pod: (name: string) => client.core.v1.pods("default").get(name),
    /** The claims that there are, once so many are. */
    claimed: (count: number) =>
      eventually(async () => {
        const { items } = await claims.list();
        expect(items).toHaveLength(count);
        return items;
      }),
  };
}

it.each(DIALECTS)("a pod gets a claim of its own for them, and says so: %s", async (dialect) => {
  const { client, offer, asking, unschedulable, nameResource, running, claimed, pod } = await start(dialect);
  await offer("simulated-2", [{ name: "a" }]);
  await asking("p");
  await unschedulable("p", /2 Insufficient example.com\/gpu/);
  await nameResource();
  await running("p");
  const [claim] = await claimed(1);
  const { metadata, spec, status } = await pod("p");
  expect(spec.nodeName).toBe("simulated-2");
  expect(status.extendedResourceClaimStatus).toEqual({
    resourceClaimName: claim?.metadata.name,
    requestMappings: [{ containerName: "app", resourceName: GPU, requestName: "container-0-request-0" }],
  });
  expect(claim?.metadata).toMatchObject({
    name: expect.stringMatching(/^p-extended-resources-/),
    annotations: { [client.names.extendedResourceClaimAnnotation]: "true" },
    ownerReferences: [{ kind: "Pod", name: "p", uid: metadata.uid, controller: true }],
    finalizers: [client.names.claimProtectionFinalizer],
  });
  expect(claim?.status).toMatchObject({
    allocation: { devices: { results: [{ device: "a", request: "container-0-request-0" }] } },
    reservedFor: [{ resource: "pods", name: "p" }],
  });
  await asking("late");
  await unschedulable("late", /2 cannot allocate all claims\. still not schedulable/);
  await offer("simulated-1", [{ name: "b" }]);
  await running("late");
  expect((await pod("late")).spec.nodeName).toBe("simulated-1");
});

it("a claim of an attempt that did not succeed is deleted, and another one made", async () => {
  const { client, offer, asking, nameResource, running, claimed, claims, pod } = await start();
  await offer("simulated-1", [{ name: "a" }]);
  // Somebody, or a scheduler of before, has made it for the pod.
  await asking("p");
  const { uid } = (await pod("p")).metadata;
  await claims.create({
    metadata: {
      name: "stale",
      annotations: { [client.names.extendedResourceClaimAnnotation]: "true" },
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid, controller: true }],
      finalizers: [client.names.claimProtectionFinalizer],
    },
    spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] } },
  });
  await nameResource();
  await running("p");
  const [claim] = await claimed(1);
  expect(claim?.metadata.name).toMatch(/^p-extended-resources-/);
});
