import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../base/json.ts";
import type { Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { machineFacts } from "../node/machine.testing.ts";
import { NODE, RunningNode } from "./pod-runner.testing.ts";

const GI = 2 ** 30;
const MI = 2 ** 20;
const SHORT = machineFacts({ memoryAvailableBytes: 512 * MI });
const FULL_DISK = { totalBytes: 100 * GI, availableBytes: GI, inodes: 1_000, inodesFree: 900 };

let node: RunningNode;
afterEach(async () => await node.close());

const start = async (config: JsonObject) => {
  node = await RunningNode.start({ evictionHard: { "memory.available": "1Gi" }, ...config });
};

/** The runtime tells how much memory pods use. */
function using(bytes: ReadonlyMap<Stored<Pod>, number>): void {
  node.runtime.overrides.listPodSandboxStats = () => ({
    stats: [...bytes].map(([{ metadata }, value]) => ({
      attributes: { metadata: { uid: metadata.uid, name: metadata.name, namespace: metadata.namespace, attempt: 0 } },
      linux: {
        memory: { workingSetBytes: { value } },
        containers: [
          { attributes: { metadata: { name: "main", attempt: 0 } }, memory: { workingSetBytes: { value } } },
        ],
      },
    })),
  });
}

const failed = async (pod: Stored<Pod>) =>
  await node.untilPod(pod, "it is evicted", ({ status }) => status.phase === "Failed");

describe("a node short of memory", () => {
  it("ends the pod that uses most beyond what it asked for, and says why", async () => {
    await start({});
    const [modest, greedy] = [await node.run(), await node.run()];
    await node.running(modest);
    await node.running(greedy);
    using(
      new Map([
        [modest, 10 * MI],
        [greedy, 100 * MI],
      ]),
    );
    node.machine = SHORT;
    const { status } = await failed(greedy);
    const message =
      "The node was low on resource: memory. Threshold quantity: 1Gi, available: 512Mi. Container main was using 100Mi, request is 0, has larger consumption of memory. ";
    expect(status).toMatchObject({ reason: "Evicted", message });
    expect(status.conditions).toContainEqual(
      expect.objectContaining({ type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet", message }),
    );
    node.machine = machineFacts();
    expect(await node.events(greedy)).toContain("Evicted");
    expect((await node.pod(modest))?.status.phase).toBe("Running");
  });

  it("ends one pod after the other as soon as each has ended, while it is short", async () => {
    await start({});
    const pods = [await node.run(), await node.run()];
    for (const pod of pods) await node.running(pod);
    using(new Map(pods.map((pod, index) => [pod, (10 - index) * MI])));
    node.machine = SHORT;
    await failed(pods[0]!);
    const firstMs = node.clock.nowMs();
    await failed(pods[1]!);
    // Not only when the time is over that is waited for one at most.
    expect(node.clock.nowMs() - firstMs).toBeLessThan(30_000);
  });

  it("leaves alone what the cluster cannot do without, and takes nothing that asks for no memory", async () => {
    await start({});
    const spec = { containers: [{ name: "main", image: "example.com/app:1" }] };
    const own = { apiVersion: "v1", kind: "Pod", metadata: { name: "own" }, spec };
    writeFileSync(join(node.manifests, "own.json"), JSON.stringify(own));
    const phase = () => node.runner.pods().find(({ metadata }) => metadata.name === `own-${NODE}`)?.status.phase;
    await node.until("the node's own pod runs", () => phase() === "Running");
    node.machine = SHORT;
    await node.until("pressure is reported", () => node.pressures().has("memory"));
    const refused = await node.run();
    const { status } = await failed(refused);
    expect(status).toMatchObject({
      reason: "Evicted",
      message: "Pod was rejected: The node had condition: [MemoryPressure]. ",
    });
    expect(phase()).toBe("Running");
  });

  it("gives pods the time of a soft threshold", async () => {
    await start({
      evictionHard: {},
      evictionSoft: { "memory.available": "1Gi" },
      evictionSoftGracePeriod: { "memory.available": "1m" },
      evictionMaxPodGracePeriod: 3,
    });
    const pod = await node.run({ terminationGracePeriodSeconds: 20 });
    await node.running(pod);
    node.machine = SHORT;
    const startedMs = node.clock.nowMs();
    await failed(pod);
    expect(node.clock.nowMs() - startedMs).toBeGreaterThanOrEqual(60_000);
    expect(node.runtime.requests("stopContainer").map(({ timeout }) => timeout)).toEqual([3]);
  });
});

describe("a node short of disk", () => {
  it("removes images that nobody uses before it ends a pod", async () => {
    await start({ evictionHard: { "nodefs.available": "10%" } });
    const pod = await node.run();
    await node.running(pod);
    node.runtime.images.set("example.com/unused:1", { id: "sha256:unused", size: GI });
    // What an agent finds at its start is old enough to go.
    await node.stopAgent();
    await node.startAgent();
    node.runtime.overrides.removeImage = () => {
      node.runtime.images.delete("example.com/unused:1");
      node.machine = machineFacts();
      return {};
    };
    node.machine = machineFacts({ rootFilesystem: FULL_DISK });
    await node.until("the image is gone", () => !node.runtime.images.has("example.com/unused:1"));
    await node.clock.advance(20_000);
    expect((await node.pod(pod))?.status.phase).toBe("Running");
  });
});

it("a pod whose volume outgrows its limit is ended", async () => {
  await start({ volumeStatsAggPeriod: "1s" });
  const pod = await node.run({
    containers: [
      { name: "main", image: "example.com/app:1", volumeMounts: [{ name: "scratch", mountPath: "/scratch" }] },
    ],
    volumes: [{ name: "scratch", emptyDir: { sizeLimit: "1Mi" } }],
  });
  await node.running(pod);
  using(new Map([[pod, MI]]));
  const volume = join(node.root, "pods", pod.metadata.uid, "volumes", `${node.api.client.names.ownDomain}~empty-dir`);
  mkdirSync(volume, { recursive: true });
  writeFileSync(join(volume, "scratch", "big"), Buffer.alloc(2 * MI, 1));
  const { status } = await failed(pod);
  expect(status).toMatchObject({
    reason: "Evicted",
    message: 'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ',
  });
  expect(status.conditions?.map(({ type }) => type)).not.toContain("DisruptionTarget");
});
