import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Stored } from "../../client/informer.ts";
import type { Container } from "../../kinds/core/pod/container.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { draProcedures } from "../dra/dra-messages.ts";
import { answers, GrpcServer } from "../grpc/grpc-server.ts";
import { RunningNode } from "./pod-runner.testing.ts";

const DRIVER = "gpu.example.com";
let node: RunningNode;
let server: GrpcServer;
let calls: string[];
let problem: string;

const socketPath = () => join(node.root, "dra.sock");
const register = () =>
  node.claims.register({ name: DRIVER, supportedVersions: ["v1.DRAPlugin"], socketPath: socketPath() });

beforeEach(async () => {
  node = await RunningNode.start();
  calls = [];
  problem = "";
  const procedures = draProcedures(`${node.api.client.names.draServicePrefix}v1.DRAPlugin`);
  server = await GrpcServer.listen(socketPath(), [
    answers(procedures.prepare, ({ claims }) => {
      for (const { name } of claims) calls.push(`prepare ${name}`);
      const device = (request: string, id: string) => ({ requestNames: [request], cdiDeviceIds: [id] });
      const devices = [device("big", "example.com/gpu=0"), device("small", "example.com/gpu=1")];
      return {
        claims: claims.map(({ uid }) => ({
          key: uid,
          value: { devices: problem === "" ? devices : [], error: problem },
        })),
      };
    }),
    answers(procedures.unprepare, ({ claims }) => {
      for (const { name } of claims) calls.push(`unprepare ${name}`);
      return { claims: claims.map(({ uid }) => ({ key: uid, value: {} })) };
    }),
  ]);
});
afterEach(async () => {
  await node.close();
  server.close();
});

/** A claim that is allocated and reserved, as scheduler and controller would have it. */
async function reserve(...pods: Stored<Pod>[]): Promise<void> {
  const claims = node.api.client.devices.v1.resourceClaims("default");
  const request = (name: string) => ({ name, exactly: { deviceClassName: "gpu" } });
  const known = await claims.find("gpus");
  if (known === undefined)
    await claims.create({
      metadata: { name: "gpus" },
      spec: { devices: { requests: [request("big"), request("small")] } },
    });
  const result = (name: string, device: string) => ({ request: name, driver: DRIVER, pool: "p", device });
  const status = {
    allocation: { devices: { results: [result("big", "d0"), result("small", "d1")] } },
    reservedFor: pods.map(({ metadata }) => ({ resource: "pods", name: metadata.name, uid: metadata.uid })),
  };
  await claims.status.patch("gpus", { merge: { status } });
}

const claiming = (request?: string) => ({
  resourceClaims: [{ name: "g", resourceClaimName: "gpus" }],
  containers: [
    {
      name: "main",
      image: "example.com/app:1",
      resources: { claims: [{ name: "g", ...(request === undefined ? {} : { request }) }] },
    },
  ],
});
const given = (pod: Stored<Pod>) =>
  node.runtime.containersOf(pod.metadata.name, "main")[0]?.config.cdiDevices.map(({ name }) => name);
const remove = async (pod: Stored<Pod>) => {
  await node.api.client.core.v1.pods("default").delete(pod.metadata.name);
  await node.gone(pod);
};

describe("a pod with a resource claim", () => {
  it("gets the devices of the request that its container names, and gives them back at its end", async () => {
    await register();
    const pod = await node.run(claiming("small"));
    await reserve(pod);
    await node.running(pod);
    expect(given(pod)).toEqual(["example.com/gpu=1"]);
    const before = await node.metrics();
    expect(before).toContain(`dra_resource_claims_in_use{driver_name="${DRIVER}"} 1\n`);
    await remove(pod);
    expect(calls).toEqual(["prepare gpus", "unprepare gpus"]);
    const text = await node.metrics();
    for (const line of [
      'dra_resource_claims_in_use{driver_name="<any>"} 0',
      `dra_resource_claims_in_use{driver_name="${DRIVER}"} 0`,
      'dra_operations_duration_seconds_bucket{is_error="false",operation_name="PrepareResources",le="39.99999999999997"}',
      'dra_operations_duration_seconds_count{is_error="false",operation_name="UnprepareResources"} 1',
      `dra_grpc_operations_duration_seconds_count{driver_name="${DRIVER}",grpc_status_code="OK",method_name="NodePrepareResources"} 1`,
    ])
      expect(text).toContain(line);
  });

  it("gets the devices of the claim that was made for extended resources of its container", async () => {
    await register();
    const pod = await node.run();
    await reserve(pod);
    const requestMappings = [{ containerName: "main", resourceName: "example.com/gpu", requestName: "small" }];
    const extendedResourceClaimStatus = { resourceClaimName: "gpus", requestMappings };
    const named = { ...pod, status: { ...pod.status, extendedResourceClaimStatus } };
    const container = (name: string) => ({ name, image: "example.com/app:1", resources: {} });
    expect(await node.claims.devicesFor(named, container("main"))).toEqual(["example.com/gpu=1"]);
    expect(await node.claims.devicesFor(named, container("other"))).toEqual([]);
    expect(node.claims.preparedFor(named, container("main") as Container).map(({ name }) => name)).toEqual(["gpus"]);
    expect(node.claims.preparedFor(named, container("other") as Container)).toEqual([]);
    expect(calls).toEqual(["prepare gpus"]);
  });

  it("shares a claim with others until the last has ended, also when the agent starts again", async () => {
    await register();
    const [one, two] = [await node.run(claiming()), await node.run(claiming())];
    await reserve(one, two);
    await node.running(one);
    await node.running(two);
    expect(given(two)).toEqual(["example.com/gpu=0", "example.com/gpu=1"]);
    await node.stopAgent();
    await node.startAgent();
    await register();
    await remove(one);
    expect(calls).toEqual(["prepare gpus"]);
    await remove(two);
    expect(calls).toEqual(["prepare gpus", "unprepare gpus"]);
  });

  it("waits while the driver refuses, and says why", async () => {
    await register();
    problem = "no such card";
    const pod = await node.run(claiming());
    await reserve(pod);
    const { message } = await node.waiting(pod, "CreateContainerError");
    expect(message).toContain("no such card");
    problem = "";
    await node.running(pod);
  });

  it("waits until the claim is reserved for it", async () => {
    await register();
    await reserve();
    const pod = await node.run(claiming());
    const { message } = await node.waiting(pod, "CreateContainerError");
    expect(message).toContain("is not allowed to use resource claim gpus");
    expect(calls).toEqual([]);
  });
});
