import { afterEach, describe, expect, it } from "vitest";
import { asUser } from "../apiserver/server.testing.ts";
import { silentLog } from "../base/log.ts";
import { Metrics } from "../base/metrics.ts";
import { nextTurn } from "../base/next-turn.ts";
import { Client } from "../client/client.ts";
import { InProcessTransport } from "../client/in-process-transport.ts";
import { inProcessRequest } from "../http/in-process.ts";
import type { Pod } from "../kinds/core/pod.ts";
import type { Draft } from "../kinds/define-kind.ts";
import { RELEASE } from "../meta/version.ts";
import {
  type SimulatedCluster,
  type SimulatedClusterOptions,
  simulatedCluster,
} from "../simulated-nodes/simulated-nodes.testing.ts";
import { Scheduler } from "./scheduler.ts";
import { schedulerMetrics } from "./scheduler-metrics.ts";

type Handler = SimulatedCluster["server"]["handler"];

/** A cluster of simulated nodes with a scheduler that has the rights of its role and no more. */
interface ScheduledCluster extends SimulatedCluster {
  /** The process of the scheduler ends, and another begins. */
  restartScheduler(): Promise<void>;
  stopScheduler(): Promise<void>;
  /** What is measured, as it is served. */
  measured(): Promise<string>;
}

let cluster: ScheduledCluster;
/** What becomes of the next binding or deletion, instead of the usual. */
let mishap: "lost on the way there" | "lost on the way back" | "refused" | undefined;
/** What the scheduler asks about drivers is answered after this. */
let drivers = Promise.resolve();
/** Patches of claims for devices. */
let claimPatches = 0;
afterEach(() => cluster.close());

async function start(options: SimulatedClusterOptions): Promise<void> {
  const nodes = await simulatedCluster(options);
  const { server, clock } = nodes;
  const registry = new Metrics({ release: RELEASE });
  const metrics = schedulerMetrics(registry);
  const build = () => {
    const headers = { "user-agent": "scheduler/1", ...asUser({ name: "system:kube-scheduler", groups: [] }) };
    const transport = new InProcessTransport({ handler: withMishaps(server.handler), headers });
    const client = new Client({ transport, dialect: options.dialect ?? "platform", clock });
    const settings = { percentageOfNodesToScore: 0 };
    return new Scheduler({ client, clock, random: () => 0.5, log: silentLog, options: settings, metrics });
  };
  let scheduler = build();
  await scheduler.start();
  cluster = {
    ...nodes,
    stopScheduler: () => scheduler.stop(),
    async measured() {
      let text = "";
      for await (const piece of registry.expose()) text += piece;
      return text;
    },
    async restartScheduler() {
      await scheduler.stop();
      scheduler = build();
      await scheduler.start();
    },
    async close() {
      await scheduler.stop();
      await nodes.close();
    },
  };
}

function withMishaps(handler: Handler): Handler {
  return async (request) => {
    if (request.url.includes("/csi")) await drivers;
    if (request.method === "PATCH" && request.url.includes("/resourceclaims/")) claimPatches += 1;
    const happens = request.url.includes("/binding") || request.method === "DELETE" ? mishap : undefined;
    if (happens === undefined) return handler(request);
    mishap = undefined;
    if (happens === "refused") return handler(asReplacement(request));
    if (happens === "lost on the way back") await handler(request);
    throw new Error(happens);
  };
}

/** The same as a PUT: nobody replaces a binding. */
function asReplacement({ url, headers: sent, connection }: Parameters<Handler>[0]): Parameters<Handler>[0] {
  const headers = Object.fromEntries(sent.namesWithPrefix("").map((name) => [name, sent.all(name)]));
  return inProcessRequest({ method: "PUT", url, headers, connection });
}

const pods = () => cluster.client.core.v1.pods("default");

function makePod(name: string, spec: Draft<Pod["spec"]> = {}, metadata: Draft<Pod["metadata"]> = {}, cpu = "100m") {
  const containers = [{ name: "app", image: "app", resources: { requests: { cpu } } }];
  return pods().create({ metadata: { ...metadata, name }, spec: { containers, ...spec } });
}

const nodeOf = async (name: string) => (await pods().get(name)).spec.nodeName;
const scheduledCondition = async (name: string) =>
  (await pods().get(name)).status.conditions?.find(({ type }) => type === "PodScheduled");
const running = (name: string) =>
  cluster.eventually(async () => expect((await pods().get(name)).status.phase).toBe("Running"));
const unschedulable = (name: string, message: RegExp | string) =>
  cluster.eventually(async () =>
    expect(await scheduledCondition(name)).toMatchObject({
      status: "False",
      reason: "Unschedulable",
      message: expect.stringMatching(message),
    }),
  );
const events = async (reason: string) =>
  (await cluster.client.events.v1.events("default").list()).items.filter((event) => event.reason === reason);
const priorityClass = (name: string, value: number) =>
  cluster.client.scheduling.v1.priorityClasses().create({ metadata: { name }, value });

describe("the scheduler", () => {
  it("counts a pod with what it asks for and with what it still has, until its node says otherwise", async () => {
    await start({ count: 1 });
    const resize = (cpu: string) =>
      pods().resize.patch("big", {
        strategic: { spec: { containers: [{ name: "app", resources: { requests: { cpu } } }] } } as never,
      });
    for (const [name, cpu] of [
      ["other", "1"],
      ["big", "1"],
    ] as const) {
      await makePod(name, {}, {}, cpu);
      await running(name);
    }
    // Two of four are free; one that waits for all of four is counted as if it had them already.
    await resize("4");
    await cluster.eventually(async () =>
      expect((await pods().get("big")).status.conditions).toContainEqual(
        expect.objectContaining({ type: "PodResizePending", reason: "Deferred" }),
      ),
    );
    await makePod("next", {}, {}, "2");
    await unschedulable("next", "Insufficient cpu");
    // What can never be does not count.
    await resize("5");
    await running("next");
    await pods().delete("next", { gracePeriodSeconds: 0 });
    // Of a node that says nothing about it nobody knows that it is free.
    await cluster.stopNodes();
    await resize("500m");
    await makePod("last", {}, {}, "2500m");
    await unschedulable("last", "Insufficient cpu");
    await cluster.restartNodes();
    await running("last");
  });

  it("places pods, spreads them, and says so", async () => {
    await start({ count: 3 });
    for (const name of ["a", "b", "c"]) await makePod(name);
    for (const name of ["a", "b", "c"]) await running(name);
    expect(new Set([await nodeOf("a"), await nodeOf("b"), await nodeOf("c")]).size).toBe(3);
    expect(await scheduledCondition("a")).toMatchObject({ status: "True" });
    await cluster.eventually(async () => expect(await events("Scheduled")).toHaveLength(3));
    expect((await events("Scheduled")).find(({ regarding }) => regarding?.name === "a")).toMatchObject({
      type: "Normal",
      action: "Binding",
      reportingController: "default-scheduler",
      note: expect.stringMatching(/^Successfully assigned default\/a to simulated-[123]$/),
    });
  });

  it("measures what it does", async () => {
    await start({ count: 1, capacity: { cpu: "1", memory: "1Gi", pods: "10" } });
    await makePod("small");
    await makePod("large", {}, {}, "5");
    await makePod("gated", { schedulingGates: [{ name: "example.com/wait" }] });
    await running("small");
    await unschedulable("large", /Insufficient cpu/);
    expect((await cluster.measured()).split("\n")).toEqual(
      expect.arrayContaining([
        'scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 1',
        'scheduler_schedule_attempts_total{profile="default-scheduler",result="unschedulable"} 1',
        'scheduler_pending_pods{queue="unschedulable"} 1',
        'scheduler_pending_pods{queue="gated"} 1',
        'scheduler_cache_size{type="nodes"} 1',
        'scheduler_cache_size{type="pods"} 1',
        'scheduler_unschedulable_pods{plugin="NodeResourcesFit",profile="default-scheduler"} 1',
        'scheduler_queue_incoming_pods_total{queue="active",event="UnschedulablePodAdd"} 2',
        'scheduler_queue_incoming_pods_total{queue="unschedulable",event="ScheduleAttemptFailure"} 1',
        'scheduler_pod_scheduling_attempts_bucket{le="1"} 1',
        'scheduler_pod_scheduling_sli_duration_seconds_count{attempts="1"} 1',
        "scheduler_scheduling_algorithm_duration_seconds_count 2",
        'scheduler_framework_extension_point_duration_seconds_count{extension_point="Filter",status="Unschedulable",profile="default-scheduler"} 1',
        'scheduler_framework_extension_point_duration_seconds_count{extension_point="Bind",status="Success",profile="default-scheduler"} 1',
        'scheduler_plugin_evaluation_total{plugin="NodeResourcesFit",extension_point="Filter",profile="default-scheduler"} 2',
        'scheduler_async_api_call_execution_total{call_type="pod_binding",result="success"} 1',
        'scheduler_async_api_call_execution_total{call_type="pod_status_patch",result="success"} 1',
        'scheduler_pending_async_api_calls{call_type="pod_binding"} 0',
        'scheduler_event_handling_duration_seconds_count{event="NodeAdd"} 1',
      ]),
    );
  });

  it("leaves pods of other schedulers and pods with gates alone", async () => {
    await start({ count: 1 });
    await makePod("foreign", { schedulerName: "another" });
    await makePod("gated", { schedulingGates: [{ name: "example.com/wait" }] });
    await makePod("own");
    await running("own");
    expect([await nodeOf("foreign"), await nodeOf("gated")]).toEqual([undefined, undefined]);
    expect(await scheduledCondition("gated")).toMatchObject({ status: "False", reason: "SchedulingGated" });
    await pods().patch("gated", { merge: { spec: { schedulingGates: null } } });
    await running("gated");
  });

  it("says why nothing will do, and places the pod when there is room again", async () => {
    await start({ count: 2, capacity: { cpu: "1", memory: "1Gi", pods: "10" } });
    await makePod("first", {}, {}, "700m");
    await makePod("second", {}, {}, "700m");
    await running("first");
    await running("second");
    await makePod("third", {}, {}, "700m");
    await unschedulable(
      "third",
      /^0\/2 nodes are available: 2 Insufficient cpu\. no new claims to deallocate, preemption: 0\/2 nodes/,
    );
    await cluster.eventually(async () => expect((await events("FailedScheduling")).length).toBeGreaterThan(0));
    await pods().delete("first");
    await running("third");
  });

  it("follows nodes that are closed and opened", async () => {
    await start({ count: 1 });
    const nodes = cluster.client.core.v1.nodes();
    await nodes.patch("simulated-1", { merge: { spec: { unschedulable: true } } });
    await makePod("patient");
    await unschedulable("patient", /1 node\(s\) (?:were unschedulable|had untolerated taint)/);
    await nodes.patch("simulated-1", { merge: { spec: { unschedulable: null, taints: null } } });
    await running("patient");
  });

  it("makes room for what is more important", async () => {
    await start({ count: 1, capacity: { cpu: "1", memory: "1Gi", pods: "10" } });
    await priorityClass("high", 1000);
    await makePod(
      "low",
      { terminationGracePeriodSeconds: 5 },
      { annotations: { "simulation/stop-after": "3s" } },
      "800m",
    );
    await running("low");
    await makePod("high", { priorityClassName: "high" }, {}, "800m");
    await cluster.eventually(async () => {
      expect((await pods().get("high")).status.nominatedNodeName).toBe("simulated-1");
      const low = await pods().get("low");
      expect(low.metadata.deletionTimestamp).toBeDefined();
      // What came later stands last, as upstream's.
      expect(low.status.conditions?.length).toBeGreaterThan(1);
      expect(low.status.conditions?.at(-1)).toMatchObject({
        type: "DisruptionTarget",
        status: "True",
        reason: "PreemptionByScheduler",
      });
    });
    await running("high");
    expect(await pods().find("low")).toBeUndefined();
    expect(await events("Preempted")).toMatchObject([{ regarding: { name: "low" }, related: { name: "high" } }]);
  });

  it("tries again when the server did not hear of who has to leave", async () => {
    await start({ count: 1, capacity: { cpu: "1", memory: "1Gi", pods: "10" } });
    await priorityClass("high", 1000);
    await makePod("low", {}, {}, "800m");
    await running("low");
    mishap = "lost on the way there";
    await makePod("high", { priorityClassName: "high" }, {}, "800m");
    await running("high");
    expect([await pods().find("low"), mishap]).toEqual([undefined, undefined]);
  });

  it("keeps the room that it made from pods that are less important", async () => {
    await start({ count: 1, capacity: { cpu: "1", memory: "1Gi", pods: "10" } });
    await priorityClass("high", 1000);
    await makePod("low", {}, { annotations: { "simulation/stop-after": "20s" } }, "800m");
    await running("low");
    await makePod("high", { priorityClassName: "high" }, {}, "800m");
    await cluster.eventually(async () =>
      expect((await pods().get("high")).status.nominatedNodeName).toBe("simulated-1"),
    );
    await makePod("greedy", {}, {}, "500m");
    await unschedulable("greedy", /Insufficient cpu/);
    await running("high");
    expect(await nodeOf("greedy")).toBeUndefined();
  });

  it("takes back what the server did not hear of, and tries again", async () => {
    await start({ count: 1, capacity: { cpu: "1", memory: "1Gi", pods: "10" } });
    mishap = "lost on the way there";
    await makePod("unlucky", {}, {}, "600m");
    await cluster.eventually(() => expect(mishap).toBeUndefined());
    // There is room for it once only.
    await running("unlucky");
  });

  it("keeps no room for a pod that could not be bound there", async () => {
    await start({ count: 1, capacity: { cpu: "1", memory: "1Gi", pods: "10" } });
    await priorityClass("high", 1000);
    await makePod("low", {}, { annotations: { "simulation/stop-after": "5s" } }, "800m");
    await running("low");
    await makePod("high", { priorityClassName: "high" }, {}, "800m");
    await cluster.eventually(async () => {
      expect((await pods().get("high")).status.nominatedNodeName).toBe("simulated-1");
      expect((await pods().get("low")).metadata.deletionTimestamp).toBeDefined();
    });
    mishap = "refused";
    await running("high");
    expect(mishap).toBeUndefined();
    expect((await pods().get("high")).status.nominatedNodeName).toBeUndefined();
    await cluster.eventually(async () =>
      expect((await events("FailedScheduling")).map(({ note }) => note)).toContainEqual(
        expect.stringMatching(/^running Bind plugin "DefaultBinder": /),
      ),
    );
  });

  it("keeps what the server did without saying so", async () => {
    await start({ count: 1, capacity: { cpu: "1", memory: "1Gi", pods: "10" } });
    mishap = "lost on the way back";
    await makePod("placed", {}, {}, "600m");
    await running("placed");
    expect(await scheduledCondition("placed")).toMatchObject({ status: "True" });
    await makePod("too-much", {}, {}, "600m");
    await unschedulable("too-much", /Insufficient cpu/);
  });

  it("goes on after a restart, with what was placed and what was not", async () => {
    await start({ count: 2, capacity: { cpu: "1", memory: "1Gi", pods: "10" } });
    await makePod("before", {}, {}, "900m");
    await running("before");
    await cluster.stopScheduler();
    await makePod("meanwhile", {}, {}, "900m");
    await makePod("too-many", {}, {}, "900m");
    await cluster.restartScheduler();
    await unschedulable("too-many", /2 Insufficient cpu/).catch(() => unschedulable("meanwhile", /2 Insufficient cpu/));
    // The one that got the room is bound at the same time.
    await cluster.eventually(async () => {
      const placed = (await pods().list()).items.flatMap(({ spec }) => spec.nodeName ?? []);
      expect(placed.sort()).toEqual(["simulated-1", "simulated-2"]);
    });
  });

  it("tries a pod that nobody can place a bounded number of times", async () => {
    await start({ count: 1 });
    await makePod("huge", {}, {}, "1000");
    await unschedulable("huge", /Insufficient cpu/);
    const before = (await pods().get("huge")).metadata.resourceVersion;
    await cluster.clock.advance(120_000);
    await makePod("other");
    await running("other");
    expect((await pods().get("huge")).metadata.resourceVersion).toBe(before);
    const failed = (await events("FailedScheduling")).map(({ series }) => series?.count ?? 1);
    expect(failed.reduce((sum, count) => sum + count, 0)).toBeLessThan(6);
  });

  it("binds a volume that a user keeps for a claim without taking it for its own doing", async () => {
    await start({ count: 1 });
    const { noProvisioner, boundByControllerAnnotation } = cluster.client.names;
    const { core, storage } = cluster.client;
    await storage.v1.storageClasses().create({
      metadata: { name: "local" },
      provisioner: noProvisioner,
      volumeBindingMode: "WaitForFirstConsumer",
    });
    const terms = [{ matchFields: [{ key: "metadata.name", operator: "In" as const, values: ["simulated-1"] }] }];
    await core.v1.persistentVolumes().create({
      metadata: { name: "disk" },
      spec: {
        capacity: { storage: "10Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "local",
        local: { path: "/disk" },
        nodeAffinity: { required: { nodeSelectorTerms: terms } },
        claimRef: { namespace: "default", name: "data" },
      },
    });
    const { metadata } = await core.v1.persistentVolumeClaims("default").create({
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], storageClassName: "local", resources: { requests: { storage: "1Gi" } } },
    });
    await makePod("stateful", { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] });
    const disk = await cluster.eventually(async () => {
      const found = await core.v1.persistentVolumes().get("disk");
      expect(found.spec.claimRef?.uid).toBe(metadata.uid);
      return found;
    });
    expect(disk.metadata.annotations?.[boundByControllerAnnotation]).toBeUndefined();
  });

  it("waits for claims, and takes those that wait for it where their volumes are", async () => {
    await start({ count: 3 });
    const { zoneLabel, noProvisioner, bindCompletedAnnotation } = cluster.client.names;
    await makePod("stateful", { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] });
    await unschedulable("stateful", /persistentvolumeclaim "data" not found/);
    const { core, storage } = cluster.client;
    await storage.v1.storageClasses().create({
      metadata: { name: "local" },
      provisioner: noProvisioner,
      volumeBindingMode: "WaitForFirstConsumer",
    });
    const terms = [{ matchExpressions: [{ key: zoneLabel, operator: "In" as const, values: ["zone-c"] }] }];
    await core.v1.persistentVolumes().create({
      metadata: { name: "disk" },
      spec: {
        capacity: { storage: "10Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "local",
        local: { path: "/disk" },
        nodeAffinity: { required: { nodeSelectorTerms: terms } },
      },
    });
    const claims = core.v1.persistentVolumeClaims("default");
    await claims.create({
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], storageClassName: "local", resources: { requests: { storage: "1Gi" } } },
    });
    await cluster.eventually(async () =>
      expect((await core.v1.persistentVolumes().get("disk")).spec.claimRef?.name).toBe("data"),
    );
    expect(await nodeOf("stateful")).toBeUndefined();
    // As whoever binds volumes does.
    await claims.patch("data", {
      merge: { metadata: { annotations: { [bindCompletedAnnotation]: "yes" } }, spec: { volumeName: "disk" } },
    });
    await running("stateful");
    expect(await nodeOf("stateful")).toBe("simulated-3");
  });

  it("gives a node no more volumes than its driver takes, and a claim a node with enough storage left", async () => {
    await start({ count: 3 });
    const { core, storage } = cluster.client;
    const { hostnameLabel, bindCompletedAnnotation, selectedNodeAnnotation } = cluster.client.names;
    const csiNode = (name: string, count: number) => ({
      metadata: { name },
      spec: { drivers: [{ name: "disks.example.com", nodeID: name, allocatable: { count } }] },
    });
    for (const name of ["simulated-1", "simulated-2"]) await storage.v1.csiNodes().create(csiNode(name, 1));
    await storage.v1.csiDrivers().create({ metadata: { name: "disks.example.com" }, spec: { storageCapacity: true } });
    await storage.v1.storageClasses().create({
      metadata: { name: "disks" },
      provisioner: "disks.example.com",
      volumeBindingMode: "WaitForFirstConsumer",
    });
    // The third node takes any number, but has nothing left.
    for (const name of ["simulated-1", "simulated-2"])
      await storage.v1.csiStorageCapacities("default").create({
        metadata: { name },
        storageClassName: "disks",
        nodeTopology: { matchLabels: { [hostnameLabel]: name } },
        capacity: "10Gi",
      });
    const claims = core.v1.persistentVolumeClaims("default");
    const selectedNode = async (claim: string) =>
      (await claims.get(claim)).metadata.annotations?.[selectedNodeAnnotation];
    const consume = async (name: string) => {
      await claims.create({
        metadata: { name },
        spec: {
          accessModes: ["ReadWriteOnce"],
          storageClassName: "disks",
          resources: { requests: { storage: "1Gi" } },
        },
      });
      await makePod(name, { volumes: [{ name: "v", persistentVolumeClaim: { claimName: name } }] });
    };
    let answer = (): void => undefined;
    drivers = new Promise((resolve) => {
      answer = resolve;
    });
    await consume("first");
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    expect([await selectedNode("first"), await scheduledCondition("first")]).toEqual([undefined, undefined]);
    answer();
    for (const name of ["first", "second"]) {
      if (name !== "first") await consume(name);
      await cluster.eventually(async () => expect(await selectedNode(name)).toBeDefined());
      // As whoever makes volumes does.
      await core.v1.persistentVolumes().create({
        metadata: { name },
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          storageClassName: "disks",
          csi: { driver: "disks.example.com", volumeHandle: name },
          claimRef: { namespace: "default", name },
        },
      });
      await claims.patch(name, {
        merge: { metadata: { annotations: { [bindCompletedAnnotation]: "yes" } }, spec: { volumeName: name } },
      });
      await running(name);
    }
    expect([await nodeOf("first"), await nodeOf("second")].sort()).toEqual(["simulated-1", "simulated-2"]);
    await consume("third");
    await unschedulable(
      "third",
      /0\/3 nodes are available: 1 node\(s\) did not have enough free storage, 2 node\(s\) exceed max volume count\./,
    );
    const taken = await nodeOf("first");
    await storage.v1.csiNodes().delete(taken!);
    await storage.v1.csiNodes().create(csiNode(taken!, 2));
    await cluster.eventually(async () => expect(await selectedNode("third")).toBe(taken));
  });

  describe("while a volume is made for its pod", () => {
    /** Gives the node that was chosen. */
    async function waitingPod(): Promise<string> {
      await start({ count: 2 });
      const { core, storage, names } = cluster.client;
      await storage.v1.storageClasses().create({
        metadata: { name: "disks" },
        provisioner: "disks.example.com",
        volumeBindingMode: "WaitForFirstConsumer",
      });
      const claims = core.v1.persistentVolumeClaims("default");
      await claims.create({
        metadata: { name: "data" },
        spec: {
          accessModes: ["ReadWriteOnce"],
          storageClassName: "disks",
          resources: { requests: { storage: "1Gi" } },
        },
      });
      await makePod("stateful", { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] });
      return cluster.eventually(async () => {
        const selected = (await claims.get("data")).metadata.annotations?.[names.selectedNodeAnnotation];
        expect(selected).toBeDefined();
        return selected!;
      });
    }
    const failed = (message: string) =>
      cluster.eventually(async () =>
        expect(await scheduledCondition("stateful")).toMatchObject({
          reason: "SchedulerError",
          message: `running PreBind plugin "VolumeBinding": binding volumes: ${message}`,
        }),
      );

    it("does not send the pod where the volume cannot be reached", async () => {
      const chosen = await waitingPod();
      const { core, names } = cluster.client;
      const other = chosen === "simulated-1" ? "simulated-2" : "simulated-1";
      const terms = [{ matchExpressions: [{ key: names.hostnameLabel, operator: "In" as const, values: [other] }] }];
      await core.v1.persistentVolumes().create({
        metadata: { name: "disk" },
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          storageClassName: "disks",
          csi: { driver: "disks.example.com", volumeHandle: "disk" },
          claimRef: { namespace: "default", name: "data" },
          nodeAffinity: { required: { nodeSelectorTerms: terms } },
        },
      });
      // As whoever makes volumes does.
      await core.v1.persistentVolumeClaims("default").patch("data", {
        merge: { metadata: { annotations: { [names.bindCompletedAnnotation]: "yes" } }, spec: { volumeName: "disk" } },
      });
      await failed(`pv "disk" node affinity doesn't match node "${chosen}": no matching NodeSelectorTerms`);
      await running("stateful");
      expect(await nodeOf("stateful")).toBe(other);
    });

    it("does not send the pod to a node that is gone", async () => {
      const chosen = await waitingPod();
      await cluster.stopNodes();
      await cluster.client.core.v1.nodes().delete(chosen);
      await failed(`failed to get node "${chosen}": node "${chosen}" not found`);
    });

    it.each([
      ["given back", 'ClaimRef got reset for pv "disk"'],
      ["deleted", 'failed to check binding: persistentvolume "disk" not found'],
    ])("looks for another one when the one that it had found is %s", async (what, message) => {
      await start({ count: 1 });
      const { core, storage, names } = cluster.client;
      await storage.v1.storageClasses().create({
        metadata: { name: "local" },
        provisioner: names.noProvisioner,
        volumeBindingMode: "WaitForFirstConsumer",
      });
      const terms = [{ matchFields: [{ key: "metadata.name", operator: "In" as const, values: ["simulated-1"] }] }];
      await core.v1.persistentVolumes().create({
        metadata: { name: "disk" },
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          storageClassName: "local",
          local: { path: "/disk" },
          nodeAffinity: { required: { nodeSelectorTerms: terms } },
        },
      });
      await core.v1.persistentVolumeClaims("default").create({
        metadata: { name: "data" },
        spec: {
          accessModes: ["ReadWriteOnce"],
          storageClassName: "local",
          resources: { requests: { storage: "1Gi" } },
        },
      });
      await makePod("stateful", { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] });
      await cluster.eventually(async () =>
        expect((await core.v1.persistentVolumes().get("disk")).spec.claimRef?.name).toBe("data"),
      );
      if (what === "deleted") {
        await core.v1.persistentVolumes().patch("disk", { merge: { metadata: { finalizers: null } } } as never);
        await core.v1.persistentVolumes().delete("disk");
      } else await core.v1.persistentVolumes().patch("disk", { merge: { spec: { claimRef: null } } } as never);
      await cluster.eventually(async () =>
        expect((await events("FailedScheduling")).map(({ note }) => note)).toContain(
          `running PreBind plugin "VolumeBinding": binding volumes: ${message}`,
        ),
      );
    });

    it("says that nobody makes it", async () => {
      await waitingPod();
      const { core, names } = cluster.client;
      await core.v1.persistentVolumeClaims("default").patch("data", {
        merge: { metadata: { annotations: { [names.selectedNodeAnnotation]: null } } } as never,
      });
      await failed('selectedNode annotation reset for PVC "data"');
    });
  });

  describe("with devices", () => {
    const DRIVER = "gpu.example.com";
    const claims = () => cluster.client.devices.v1.resourceClaims("default");
    const devicesOf = async (name: string) =>
      (await claims().get(name)).status.allocation?.devices?.results?.map(({ device }) => device);

    /** On the second node. */
    const offer = (...names: string[]) =>
      cluster.client.devices.v1.resourceSlices().create({
        metadata: { name: `slice-${names[0]}` },
        spec: {
          driver: DRIVER,
          nodeName: "simulated-2",
          pool: { name: `pool-${names[0]}`, generation: 1, resourceSliceCount: 1 },
          devices: names.map((name) => ({ name })),
        },
      });
    const makeClass = () =>
      cluster.client.devices.v1.deviceClasses().create({
        metadata: { name: "gpu" },
        spec: { selectors: [{ cel: { expression: `device.driver == "${DRIVER}"` } }] },
      });
    const makeClaim = (name: string) =>
      claims().create({
        metadata: { name },
        spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] } },
      });
    const claiming = (claim: string) => ({ resourceClaims: [{ name: "gpu", resourceClaimName: claim }] });

    it("waits for claims and devices, and gives a pod both where they are", async () => {
      await start({ count: 3 });
      await makePod("patient", claiming("one"));
      await makePod("other");
      await running("other");
      expect(await scheduledCondition("patient")).toBeUndefined();
      await makeClaim("one");
      await unschedulable("patient", /^0\/3 nodes are available: request r: device class gpu does not exist\. no new /);
      await makeClass();
      await unschedulable(
        "patient",
        /^0\/3 nodes are available: 3 cannot allocate all claims\. still not schedulable, /,
      );
      await offer("a");
      await running("patient");
      const { metadata, status } = await claims().get("one");
      expect([await nodeOf("patient"), await devicesOf("one")]).toEqual(["simulated-2", ["a"]]);
      expect(metadata.finalizers).toEqual([cluster.client.names.claimProtectionFinalizer]);
      expect(status.reservedFor).toMatchObject([{ resource: "pods", name: "patient" }]);
      // A second pod shares the claim, and a claim for the same device waits.
      await makePod("sharing", claiming("one"));
      await running("sharing");
      expect((await claims().get("one")).status.reservedFor).toHaveLength(2);
      await makeClaim("two");
      await makePod("late", claiming("two"));
      await unschedulable("late", /3 cannot allocate all claims/);
      await offer("b");
      await running("late");
      expect(await devicesOf("two")).toEqual(["b"]);
    });

    it("takes back what was reserved for a pod that did not get there, and tries again", async () => {
      await start({ count: 2 });
      await makeClass();
      await offer("a");
      await makeClaim("one");
      mishap = "refused";
      claimPatches = 0;
      await makePod("unlucky", claiming("one"));
      await running("unlucky");
      expect([mishap, claimPatches]).toEqual([undefined, 1]);
      expect((await claims().get("one")).status.reservedFor).toMatchObject([{ name: "unlucky" }]);
      // What nobody knows of stays reserved.
      await makeClaim("two");
      await offer("b");
      mishap = "lost on the way back";
      await makePod("placed", claiming("two"));
      await running("placed");
      expect([mishap, claimPatches]).toEqual([undefined, 1]);
    });
  });
});
