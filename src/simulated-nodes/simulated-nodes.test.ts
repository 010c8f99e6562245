import { afterEach, describe, expect, it } from "vitest";
import type { Pod } from "../kinds/core/pod.ts";
import type { Draft } from "../kinds/define-kind.ts";
import { type SimulatedCluster, simulatedCluster } from "./simulated-nodes.testing.ts";

let cluster: SimulatedCluster;
afterEach(() => cluster.close());

const pods = () => cluster.client.core.v1.pods("default");
const leases = () => cluster.client.coordination.v1.leases(cluster.client.names.nodeLeaseNamespace);

function podOn(node: string, name: string, spec: Draft<Pod["spec"]> = {}, metadata: Draft<Pod["metadata"]> = {}) {
  return pods().create({
    metadata: { ...metadata, name },
    spec: {
      nodeName: node,
      automountServiceAccountToken: false,
      containers: [{ name: "app", image: "registry/app:1" }],
      ...spec,
    },
  });
}

async function phaseIs(name: string, phase: string) {
  return cluster.eventually(async () => {
    const pod = await pods().get(name);
    expect(pod.status.phase).toBe(phase);
    return pod;
  });
}

describe("simulated nodes", () => {
  it("register with capacity, addresses and labels over three zones, as nodes with the rights of nodes", async () => {
    cluster = await simulatedCluster({ count: 4 });
    const { items } = await cluster.client.core.v1.nodes().list();
    const { zoneLabel, hostnameLabel } = cluster.client.names;
    expect(items.map(({ metadata }) => [metadata.name, metadata.labels?.[zoneLabel]])).toEqual([
      ["simulated-1", "zone-a"],
      ["simulated-2", "zone-b"],
      ["simulated-3", "zone-c"],
      ["simulated-4", "zone-a"],
    ]);
    expect(items[0]).toMatchObject({
      metadata: { labels: { [hostnameLabel]: "simulated-1" } },
      status: {
        allocatable: { cpu: "4", pods: "10" },
        addresses: [{ type: "InternalIP", address: "172.16.0.1" }, { type: "HostName" }],
      },
    });
    expect(items[0]?.status.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
  });

  it("renew their leases every ten seconds, all from one timer", async () => {
    cluster = await simulatedCluster({ count: 30 });
    const timers = cluster.clock.waiting;
    const before = (await leases().list()).items;
    expect(before).toHaveLength(30);
    await cluster.clock.advance(11_000);
    await cluster.eventually(async () => {
      const late = (await leases().list()).items.filter(
        ({ spec, metadata }) =>
          spec.renewTime === before.find((each) => each.metadata.name === metadata.name)?.spec.renewTime,
      );
      expect(late).toEqual([]);
      // Requests that are not over have timers of their own.
      expect(cluster.clock.waiting).toBeLessThanOrEqual(timers);
    });
    expect(before[0]).toMatchObject({
      spec: { leaseDurationSeconds: 40 },
      metadata: { ownerReferences: [{ kind: "Node" }] },
    });
  });

  it("take over the leases of nodes that had their names before", async () => {
    cluster = await simulatedCluster({ count: 1 });
    const nodes = cluster.client.core.v1.nodes();
    await nodes.delete("simulated-1");
    await cluster.clock.advance(1_000);
    await cluster.restartNodes();
    const { metadata } = await nodes.get("simulated-1");
    const lease = await leases().get("simulated-1");
    expect(lease.metadata.ownerReferences).toMatchObject([{ uid: metadata.uid }]);
    expect(Date.parse(lease.spec.renewTime!)).toBe(cluster.clock.nowMs());
  });

  it("begin with a sign of life, unless there was one a moment ago", async () => {
    cluster = await simulatedCluster({ count: 2 });
    const versions = async () => (await leases().list()).items.map(({ metadata }) => metadata.resourceVersion);
    const first = await versions();
    await cluster.restartNodes();
    expect(await versions()).toEqual(first);
    await cluster.clock.advance(11_000);
    await cluster.eventually(async () => expect((await versions()).some((each) => first.includes(each))).toBe(false));
    await cluster.stopNodes();
    await cluster.clock.advance(6_000);
    const last = await versions();
    await cluster.restartNodes();
    expect((await versions()).some((each) => last.includes(each))).toBe(false);
  });

  it("say that they are ready when somebody says that they are not", async () => {
    cluster = await simulatedCluster({ count: 1 });
    const nodes = cluster.client.core.v1.nodes();
    const readiness = async () =>
      (await nodes.get("simulated-1")).status.conditions?.find(({ type }) => type === "Ready")?.status;
    await nodes.status.patch("simulated-1", {
      strategic: { status: { conditions: [{ type: "Ready", status: "Unknown" }] } } as never,
    });
    expect(await readiness()).toBe("Unknown");
    await cluster.eventually(async () => expect(await readiness()).toBe("True"));
  });

  it("give pods what others add to their capacity, and take it back with it", async () => {
    cluster = await simulatedCluster({ count: 1 });
    const { client } = cluster;
    const nodes = client.core.v1.nodes();
    const setCapacity = (dongles: string | null) =>
      nodes.status.patch("simulated-1", { merge: { status: { capacity: { "example.com/dongle": dongles } } } });
    const allocatable = async () => (await nodes.get("simulated-1")).status.allocatable;
    const before = await allocatable();
    await setCapacity("4");
    await cluster.eventually(async () => expect(await allocatable()).toEqual({ ...before, "example.com/dongle": "4" }));
    await setCapacity(null);
    await cluster.eventually(async () => expect(await allocatable()).toEqual(before));
  });

  it("give pods the cpu and memory that others set in their capacity, more or less of it", async () => {
    cluster = await simulatedCluster({ count: 1 });
    const nodes = cluster.client.core.v1.nodes();
    const { status } = await nodes.get("simulated-1");
    for (const capacity of [{ cpu: "64", memory: "1Ti" }, { cpu: "2" }]) {
      const { status: now } = await nodes.status.patch("simulated-1", { merge: { status: { capacity } } });
      expect(now.allocatable).not.toMatchObject(capacity);
      await cluster.eventually(async () =>
        expect((await nodes.get("simulated-1")).status.allocatable).toEqual({ ...now.allocatable, ...capacity }),
      );
    }
    expect((await nodes.get("simulated-1")).status.conditions).toEqual(status.conditions);
  });

  it("leave what others say that pods may have of cpu and memory, also beside a new capacity", async () => {
    cluster = await simulatedCluster({ count: 1 });
    const nodes = cluster.client.core.v1.nodes();
    await nodes.status.patch("simulated-1", {
      merge: { status: { capacity: { memory: "64Gi" }, allocatable: { memory: "60Gi" } } },
    });
    await nodes.status.patch("simulated-1", { merge: { status: { allocatable: { cpu: "1" } } } });
    await cluster.clock.advance(30_000);
    expect((await nodes.get("simulated-1")).status.allocatable).toMatchObject({ cpu: "1", memory: "60Gi" });
  });

  it("stay away once they are deleted", async () => {
    cluster = await simulatedCluster({ count: 2 });
    await cluster.client.core.v1.nodes().delete("simulated-2");
    await cluster.clock.advance(25_000);
    expect((await cluster.client.core.v1.nodes().list()).items).toHaveLength(1);
  });
});

describe("a pod on a simulated node", () => {
  it("is taken, and runs with addresses and identities after a moment", async () => {
    cluster = await simulatedCluster({ count: 2 });
    await podOn("simulated-2", "web", { initContainers: [{ name: "first", image: "registry/first:1" }] });
    await cluster.eventually(async () =>
      expect((await pods().get("web")).status).toMatchObject({
        phase: "Pending",
        hostIP: "172.16.0.2",
        containerStatuses: [{ ready: false, state: { waiting: { reason: "PodInitializing" } } }],
      }),
    );
    const { status } = await phaseIs("web", "Running");
    expect(status).toMatchObject({
      podIP: expect.stringMatching(/^10\.128\./),
      initContainerStatuses: [
        { name: "first", ready: true, state: { terminated: { exitCode: 0, reason: "Completed" } } },
      ],
      containerStatuses: [
        {
          name: "app",
          ready: true,
          started: true,
          image: "registry/app:1",
          resources: {},
          imageID: expect.stringMatching(/^registry\/app@sha256:/),
          containerID: expect.stringMatching(/^simulated:\/\//),
        },
      ],
    });
    expect(status.conditions?.filter(({ status: is }) => is === "True").map(({ type }) => type)).toEqual(
      expect.arrayContaining(["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"]),
    );
  });

  it("never shares its address", async () => {
    cluster = await simulatedCluster({ count: 2 });
    for (let index = 0; index < 6; index += 1) await podOn(`simulated-${(index % 2) + 1}`, `p${index}`);
    await cluster.eventually(async () => {
      const addresses = (await pods().list()).items.map(({ status }) => status.podIP);
      expect(addresses.every((each) => each !== undefined)).toBe(true);
      expect(new Set(addresses).size).toBe(6);
    });
  });

  it("ends when it is a task, as its annotations say", async () => {
    cluster = await simulatedCluster({ count: 1 });
    await podOn("simulated-1", "good", { restartPolicy: "Never" });
    await podOn(
      "simulated-1",
      "bad",
      { restartPolicy: "Never" },
      { annotations: { "simulation/exit-code": "3", "simulation/finish-after": "5s" } },
    );
    await phaseIs("good", "Succeeded");
    const bad = await phaseIs("bad", "Failed");
    expect(bad.status.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 3, reason: "Error" });
    expect(bad.status.conditions?.find(({ type }) => type === "Ready")?.status).toBe("False");
  });

  it("starts again when its policy says so", async () => {
    cluster = await simulatedCluster({ count: 1 });
    const annotations = { "simulation/exit-code": "1", "simulation/finish-after": "1s" };
    await podOn("simulated-1", "flaky", { restartPolicy: "OnFailure" }, { annotations });
    await cluster.eventually(async () =>
      expect((await pods().get("flaky")).status.containerStatuses?.[0]).toMatchObject({
        state: { waiting: { reason: "CrashLoopBackOff" } },
        lastState: { terminated: { exitCode: 1 } },
      }),
    );
    await cluster.clock.advance(10_000);
    await cluster.eventually(async () =>
      expect((await pods().get("flaky")).status.containerStatuses?.[0]).toMatchObject({
        restartCount: 1,
        state: { running: {} },
      }),
    );
  });

  it("waits for its readiness gates", async () => {
    cluster = await simulatedCluster({ count: 1 });
    await podOn("simulated-1", "gated", { readinessGates: [{ conditionType: "example.com/lb" }] });
    const running = await phaseIs("gated", "Running");
    const ready = (pod: Pod) => pod.status.conditions?.find(({ type }) => type === "Ready");
    expect(ready(running)).toMatchObject({ status: "False", reason: "ReadinessGatesNotReady" });
    await pods().status.patch("gated", {
      strategic: { status: { conditions: [{ type: "example.com/lb", status: "True" }] } } as never,
    });
    await cluster.eventually(async () => expect(ready(await pods().get("gated"))?.status).toBe("True"));
  });

  it("ends before it is gone when it is deleted", async () => {
    cluster = await simulatedCluster({ count: 1 });
    await podOn(
      "simulated-1",
      "slow",
      {},
      { annotations: { "simulation/stop-after": "10s" }, finalizers: ["example.com/keep"] },
    );
    await phaseIs("slow", "Running");
    await pods().delete("slow");
    await cluster.clock.advance(5_000);
    expect((await pods().get("slow")).status.phase).toBe("Running");
    await cluster.clock.advance(6_000);
    await phaseIs("slow", "Succeeded");
    await cluster.eventually(async () =>
      expect((await pods().get("slow")).metadata.deletionGracePeriodSeconds).toBe(0),
    );
    await pods().patch("slow", { merge: { metadata: { finalizers: null } } });
    await cluster.eventually(async () => expect(await pods().find("slow")).toBeUndefined());
  });

  it("goes on where it was after a restart, with the address it had", async () => {
    cluster = await simulatedCluster({ count: 1 });
    await podOn("simulated-1", "a");
    const { status } = await phaseIs("a", "Running");
    await podOn("simulated-1", "b", {}, { annotations: { "simulation/start-after": "20s" } });
    await phaseIs("b", "Pending");
    await cluster.restartNodes();
    const later = await phaseIs("b", "Running");
    expect((await pods().get("a")).status.podIP).toBe(status.podIP);
    expect(later.status.podIP).not.toBe(status.podIP);
  });

  it("may carry nonsense in its annotations", async () => {
    cluster = await simulatedCluster({ count: 1 });
    const annotations = {
      "simulation/start-after": "-5s",
      "simulation/exit-code": "many",
      "simulation/finish-after": "∞",
    };
    await podOn("simulated-1", "odd", { restartPolicy: "Never" }, { annotations });
    await phaseIs("odd", "Succeeded");
  });
});
