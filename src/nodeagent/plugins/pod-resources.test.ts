import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../base/clock.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { GrpcChannel } from "../grpc/channel.ts";
import { GrpcServer } from "../grpc/grpc-server.ts";
import { HEALTHY } from "./device-messages.ts";
import { podResourcesAnswers } from "./pod-resources.ts";
import { podResourcesProcedures } from "./pod-resources-messages.ts";

const CLAIM = {
  ...{ name: "gpu", namespace: "default", uid: "c", pods: ["uid-runs"] },
  drivers: new Map([
    [
      "gpu.example.com",
      [{ poolName: "node-1", deviceName: "gpu-0", requestNames: ["gpu"], cdiDeviceIds: ["x/gpu=0"] }],
    ],
  ]),
};
const { list, allocatable, get } = podResourcesProcedures;

describe("the Pod Resources API", () => {
  const directory = mkdtempSync(join(tmpdir(), "plinth-res-"));
  const open: { close(): void }[] = [];

  const connect = async (gates: { listsActiveOnly?: boolean; offersGet?: boolean } = {}) => {
    const socketPath = join(directory, "s.sock");
    const server = await GrpcServer.listen(
      socketPath,
      podResourcesAnswers({
        pods: () => [podNamed("runs", "Running"), podNamed("ended", "Succeeded")],
        allocationsOf: (podUid, container) =>
          podUid === "uid-runs" && container !== "side"
            ? [
                {
                  podUid,
                  container,
                  resource: "r.io/x",
                  deviceIds: ["1", "gone"],
                  isInherited: false,
                  answer: undefined,
                },
              ]
            : [],
        topologyOf: (resource, id) => (resource === "r.io/x" && id === "1" ? { nodes: [{ id: 1 }] } : undefined),
        healthy: () => [["r.io/x", [{ id: "1", health: HEALTHY, topology: { nodes: [{ id: 1 }] } }]]],
        cpusOf: (podUid, container) => (podUid === "uid-runs" && container === "main" ? [2, 3] : []),
        allocatableCpus: () => [1, 2, 3],
        memoryOf: (podUid, container) =>
          podUid === "uid-runs" && container === "main" ? [{ type: "memory", size: 512, numaAffinity: [0, 1] }] : [],
        allocatableMemory: () => [{ type: "hugepages-2Mi", size: 4096, numaAffinity: [1] }],
        claimsOf: ({ metadata }, { name }) => (metadata.name === "runs" && name === "main" ? [CLAIM] : []),
        listsActiveOnly: true,
        offersGet: true,
        ...gates,
      }),
    );
    const channel = new GrpcChannel({ socketPath, timeoutMs: 5_000, clock: systemClock });
    open.push(channel, server);
    return channel;
  };

  afterEach(() => {
    for (const each of open.splice(0)) each.close();
    rmSync(join(directory, "s.sock"), { force: true });
  });

  const memory = { memoryType: "memory", size: 512, topology: { nodes: [{ id: 0 }, { id: 1 }] } };
  const device = { resourceName: "r.io/x", deviceIds: ["1"], topology: { nodes: [{ id: 1 }] } };
  // Nobody tells of it any more; the container has it all the same.
  const gone = { ...device, deviceIds: ["gone"], topology: undefined };
  const claim = {
    claimName: "gpu",
    claimNamespace: "default",
    claimResources: [
      { cdiDevices: [{ name: "x/gpu=0" }], driverName: "gpu.example.com", poolName: "node-1", deviceName: "gpu-0" },
    ],
  };
  const runs = {
    name: "runs",
    namespace: "default",
    containers: [
      { name: "side", devices: [], cpuIds: [], memory: [], dynamicResources: [] },
      { name: "main", devices: [device, gone], cpuIds: [2, 3], memory: [memory], dynamicResources: [claim] },
    ],
  };

  it("lists pods that have not ended, with the devices, processors and memory of the containers that run with them", async () => {
    const channel = await connect();
    expect(await channel.call(list, {})).toEqual({ podResources: [runs] });
  });

  it("lists those that have ended too where it is told to", async () => {
    const channel = await connect({ listsActiveOnly: false });
    const { podResources } = await channel.call(list, {});
    expect(podResources.map(({ name }) => name)).toEqual(["runs", "ended"]);
  });

  it("tells of the devices and the memory that containers may have and where they are", async () => {
    const channel = await connect();
    expect(await channel.call(allocatable, {})).toEqual({
      devices: [device],
      cpuIds: [1, 2, 3],
      memory: [{ memoryType: "hugepages-2Mi", size: 4096, topology: { nodes: [{ id: 1 }] } }],
    });
  });

  it("gets one pod, or says that it is not here", async () => {
    const channel = await connect();
    const wanted = { podName: "runs", podNamespace: "default" };
    expect(await channel.call(get, wanted)).toEqual({ podResources: runs });
    await expect(channel.call(get, { ...wanted, podNamespace: "other" })).rejects.toMatchObject({ code: "NotFound" });
  });

  it("gets none where that is switched off", async () => {
    const channel = await connect({ offersGet: false });
    const call = channel.call(get, { podName: "runs", podNamespace: "default" });
    await expect(call).rejects.toMatchObject({ code: "Unimplemented" });
  });
});

function podNamed(name: string, phase: string): Pod {
  return {
    metadata: { name, namespace: "default", uid: `uid-${name}` },
    spec: {
      initContainers: [{ name: "setup" }, { name: "side", restartPolicy: "Always" }],
      containers: [{ name: "main" }],
    },
    status: { phase },
  } as unknown as Pod;
}
