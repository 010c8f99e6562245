// Controllers, scheduler and simulated nodes in one process with the server, as `plinth up` runs them, everybody with the rights
// of its own role. BENCH_ONLY=services,namespace chooses parts; BENCH_NODES and BENCH_PODS make a cluster smaller;
// BENCH_SCHEDULER=here keeps the scheduler in the thread of the server.

import { systemClock } from "../src/base/clock.ts";
import { kinds } from "../src/client/built-in-kinds.ts";
import type { Client } from "../src/client/client.ts";
import type { Informer, Stored } from "../src/client/informer.ts";
import type { Pod } from "../src/kinds/core/pod.ts";
import type { Draft } from "../src/kinds/define-kind.ts";
import type { EndpointSlice } from "../src/kinds/discovery/endpoint-slice.ts";
import type { SimulatedNodes } from "../src/simulated-nodes/simulated-nodes.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { type Cost, costFigures, costOf, idle, inParallel, memoryMib, quantiles, until } from "./measure.ts";
import { report } from "./report.ts";

const NODES = Number(process.env["BENCH_NODES"] ?? 5_000);
const PODS = Number(process.env["BENCH_PODS"] ?? 50_000);
const REPLICAS = Math.min(PODS, 5_000);
const SERVICES = Math.ceil(Math.min(PODS, 10_000) / 10);
const PODS_OF_SERVICE = 10;
/** Pods of nodes that are not there are in no slice. */
const SERVICE_NODES = 100;
/** They never report: on a slow machine they would be taken for dead, and their pods with them. */
const PATIENT = ["--node-startup-grace-period=1h"];
const READINESS_CHANGES = 100;
const OBJECTS = 10_000;
const RESTING_MS = 10_000;
const RESTS = 3;

const PARTS: Readonly<Record<string, () => Promise<void>>> = { idle: measureIdle, services, namespace, cluster, fill };
const only = process.env["BENCH_ONLY"]?.split(",");
for (const [name, part] of Object.entries(PARTS)) if (only?.includes(name) ?? true) await part();

/** What controllers cost that have nothing to do. */
async function measureIdle(): Promise<void> {
  const plane = await startControlPlane();
  const bare = await restingCost();
  const manager = await plane.startControllers();
  const full = await restingCost();
  const figures = { "% of a core": 100 * (full.share - bare.share), MiB: full.heap - bare.heap };
  report("idle controllers", figures, { "% of a core": 1, MiB: 30 });
  await manager.stop();
  await plane.close();
}

/** The least of some: in one or another V8 collects the garbage of the start, which takes more than minutes of rest do. */
async function restingCost(): Promise<{ readonly heap: number; readonly share: number }> {
  await idle();
  const { heap } = memoryMib();
  const shares: number[] = [];
  for (let time = 0; time < RESTS; time += 1) shares.push(await coreShare());
  return { heap, share: Math.min(...shares) };
}

/** Slices after a cold restart, and of pods that change. */
async function services(): Promise<void> {
  const plane = await startControlPlane();
  const { client } = plane;
  let manager = await plane.startControllers(PATIENT);
  await untilAccount(client, "default");
  const count = SERVICES * PODS_OF_SERVICE;
  await inParallel(SERVICES, (index) =>
    client.core.v1.services("default").create({
      metadata: { name: `service-${index}` },
      spec: { selector: { app: `app-${index}` }, ports: [{ port: 80 }] },
    }),
  );
  await manager.stop();
  await inParallel(SERVICE_NODES, (index) => client.core.v1.nodes().create({ metadata: { name: `node-${index}` } }));
  await inParallel(count, (index) => createReadyPod(client, index));
  await idle();
  const slices = client.informer(kinds.discovery.v1.endpointSlices, { withoutManagedFields: true });
  slices.start();
  const restart = await costOf(async () => {
    manager = await plane.startControllers(PATIENT);
    await until(async () => readyEndpoints(slices) === count);
  });
  await slices.stop();
  report(`${count} pods of ${SERVICES} Services in their slices`, costFigures(restart), { seconds: 10 });
  await idle();
  const times = await readinessTimes(client);
  report("a readiness in its slice", quantiles(times), { "ms p99": 100 });
  await manager.stop();
  await plane.close();
}

/** A namespace of many objects goes, while others ask for something else. */
async function namespace(): Promise<void> {
  const plane = await startControlPlane();
  const { client } = plane;
  const manager = await plane.startControllers();
  await client.core.v1.namespaces().create({ metadata: { name: "full" } });
  await inParallel(OBJECTS, (index) =>
    client.core.v1.configMaps("full").create({ metadata: { name: `object-${index}` }, data: { key: "value" } }),
  );
  await idle();
  const isGone = async () => (await client.core.v1.namespaces().find("full")) === undefined;
  // As long as the namespace takes: a percentile of fewer requests says less.
  const before = await latencies(client, async () => {
    await idle(4_000);
  });
  let cost: Cost | undefined;
  const meanwhile = await latencies(client, async () => {
    cost = await costOf(async () => {
      await client.core.v1.namespaces().delete("full");
      await until(isGone);
    });
  });
  report(`a namespace of ${OBJECTS} objects is empty`, costFigures(cost!), { seconds: 20 });
  report("others wait meanwhile", quantiles(meanwhile));
  report("others wait before", quantiles(before));
  await manager.stop();
  await plane.close();
}

/** Thousands of nodes that renew their leases, and tens of thousands of pods. */
async function cluster(): Promise<void> {
  await amongNodes(async (plane, unplaced) => {
    const { client } = plane;
    await idle();
    // As many as the simulated nodes send: every ten seconds each, at most 250 a second of all.
    report(`${Math.min(NODES / 10, 250)} renewals a second`, { "% of a core": 100 * (await coreShare()) });
    // The first pods of a process are placed by code that V8 has not compiled yet.
    for (const turn of ["first", "later"]) {
      await scheduled(plane, `plain, ${turn}`, {}, unplaced);
      await scheduled(plane, `with spread and anti-affinity, ${turn}`, constraints(client), unplaced);
    }
    const scheduler = await plane.startScheduler();
    await rolled(client);
    // The Deployment's are among them.
    await filled(client, PODS - REPLICAS, unplaced);
    return scheduler;
  });
}

/** The pods of a full cluster, and nothing before them: all of them wait when the scheduler begins. */
async function fill(): Promise<void> {
  await amongNodes(async (plane, unplaced) => {
    const { client } = plane;
    const created = await costOf(() => createPods(client, PODS, "pod"));
    report(`${PODS} pods created`, { ...costEach(PODS, created), ...costFigures(created) });
    await idle();
    const scheduler = await placed(plane, `${PODS} pods, all of a full cluster`, PODS, unplaced);
    await reportMemory();
    return scheduler;
  });
}

/** The work answers with the scheduler that it has started. */
async function amongNodes(work: (plane: ControlPlane, unplaced: Unplaced) => Promise<Stoppable>): Promise<void> {
  const plane = await startControlPlane();
  const { client } = plane;
  const manager = await plane.startControllers();
  await untilAccount(client, "default");
  const registered = client.informer(kinds.core.v1.nodes, { withoutManagedFields: true });
  registered.start();
  const unplaced = followUnplaced(client);
  const tainted = () => registered.cache.list().filter(({ spec }) => (spec.taints?.length ?? 0) > 0).length;
  let nodes: SimulatedNodes | undefined;
  const registering = await costOf(async () => {
    nodes = await plane.startNodes(NODES);
    await until(async () => registered.cache.size === NODES && tainted() === 0);
  });
  report(`${NODES} nodes registered and without taints`, costFigures(registering));
  const scheduler = await work(plane, unplaced);
  report("nodes with taints at the end", { nodes: tainted() }, { nodes: 0 });
  await registered.stop();
  await unplaced.stop();
  for (const part of [scheduler, nodes!, manager]) await part.stop();
  await plane.close();
}

/** From the start of the scheduler, with all pods waiting, to the last one's node; nodes run the first meanwhile. */
async function scheduled(
  plane: ControlPlane,
  what: string,
  spec: Draft<Pod["spec"]>,
  unplaced: Unplaced,
): Promise<void> {
  const { client } = plane;
  await createPods(client, REPLICAS, "pod", spec);
  await idle();
  const scheduler = await placed(plane, `${REPLICAS} pods, ${what}`, REPLICAS, unplaced);
  await idle();
  await inParallel(REPLICAS, (index) => client.core.v1.pods("default").delete(`pod-${index}`));
  await until(async () => (await client.core.v1.pods("default").list({ limit: 1 })).items.length === 0);
  await scheduler.stop();
  await idle();
}

/** Starts a scheduler, which pods wait for. */
async function placed(plane: ControlPlane, what: string, count: number, unplaced: Unplaced): Promise<Stoppable> {
  let scheduler: Stoppable | undefined;
  let startSeconds = 0;
  const cost = await costOf(async () => {
    const startMs = performance.now();
    scheduler = await plane.startScheduler();
    startSeconds = (performance.now() - startMs) / 1000;
    await until(async () => unplaced.count() === 0);
  });
  const figures = {
    "placed a second": count / cost.seconds,
    // From when it knows all nodes and pods.
    "placed a second once it works": count / (cost.seconds - startSeconds),
    "ms of CPU each": (1000 * cost.cpuSeconds) / count,
  };
  report(what, { ...figures, ...costFigures(cost) }, { "placed a second": 500 });
  return scheduler!;
}

async function createPods(client: Client, count: number, name: string, spec: Draft<Pod["spec"]> = {}): Promise<void> {
  await inParallel(count, (index) => client.core.v1.pods("default").create(pod(`${name}-${index}`, spec)));
}

async function rolled(client: Client): Promise<void> {
  const deployments = client.apps.v1.deployments("default");
  const isReady = async () => {
    const { metadata, spec, status } = await deployments.get("web");
    const { observedGeneration, updatedReplicas, availableReplicas, replicas } = status;
    return (
      observedGeneration === metadata.generation &&
      [updatedReplicas, availableReplicas, replicas].every((count) => count === spec.replicas)
    );
  };
  const created = await costOf(async () => {
    await deployments.create({
      metadata: { name: "web" },
      spec: {
        replicas: REPLICAS,
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: pod("", {}).spec! },
      },
    });
    await until(isReady, 250);
  });
  report(`a Deployment of ${REPLICAS} is available`, costFigures(created));
  const cost = await costOf(async () => {
    const containers = [{ name: "app", image: "app:2" }];
    await deployments.patch("web", { strategic: { spec: { template: { spec: { containers } } } } });
    await until(isReady, 250);
  });
  report(`a Deployment of ${REPLICAS} rolls`, costFigures(cost), { seconds: 60 });
}

/** Pods that come and are placed meanwhile; what the process needs when all are there. */
async function filled(client: Client, count: number, unplaced: Unplaced): Promise<void> {
  if (count <= 0) return;
  const cost = await costOf(async () => {
    await createPods(client, count, "more");
    await until(async () => unplaced.count() === 0);
  });
  const figures = { ...costEach(count, cost), ...costFigures(cost) };
  report(`${count} more pods, created and placed`, figures, { "a second": 500 });
  await reportMemory();
}

function costEach(count: number, { seconds, cpuSeconds }: Cost): Record<string, number> {
  return { "a second": count / seconds, "ms of CPU each": (1000 * cpuSeconds) / count };
}

async function reportMemory(): Promise<void> {
  await idle(15_000);
  const { heap, rss, files } = memoryMib();
  const memory = { "MiB of objects": heap, "MiB in all": rss, "MiB of these in files": files };
  report(`${NODES} nodes and ${PODS} pods`, memory, { "MiB in all": 2048 });
}

function pod(name: string, spec: Draft<Pod["spec"]>): Draft<Pod> {
  const requests = { cpu: "100m", memory: "128Mi" };
  return {
    metadata: { name, labels: { app: "bench" } },
    spec: { containers: [{ name: "app", image: "app:1", resources: { requests } }], ...spec },
  };
}

/** Even over zones, and away from each other where possible. */
function constraints({ names }: Client): Draft<Pod["spec"]> {
  const labelSelector = { matchLabels: { app: "bench" } };
  const apart = { weight: 100, podAffinityTerm: { labelSelector, topologyKey: names.hostnameLabel } };
  return {
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: names.zoneLabel, whenUnsatisfiable: "DoNotSchedule", labelSelector },
    ],
    affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [apart] } },
  };
}

interface Stoppable {
  stop(): Promise<void>;
}

interface Unplaced extends Stoppable {
  /** Pods that have no node. */
  count(): number;
}

/** Counted as changes come: to ask the server again and again would cost more than placing the pods. */
function followUnplaced(client: Client): Unplaced {
  const waiting = new Set<string>();
  const pods = client.informer(kinds.core.v1.pods, { withoutManagedFields: true });
  const look = ({ metadata, spec }: Stored<Pod>): void => {
    if (spec.nodeName) waiting.delete(metadata.uid);
    else waiting.add(metadata.uid);
  };
  pods.addHandlers({ added: look, updated: look, deleted: ({ metadata }) => void waiting.delete(metadata.uid) });
  pods.start();
  return { count: () => waiting.size, stop: () => pods.stop() };
}

/** Pods need it. */
async function untilAccount(client: Client, name: string): Promise<void> {
  await until(async () => (await client.core.v1.serviceAccounts(name).find("default")) !== undefined);
}

async function createReadyPod(client: Client, index: number): Promise<void> {
  const pods = client.core.v1.pods("default");
  const name = `pod-${index}`;
  await pods.create({
    metadata: { name, labels: { app: `app-${Math.floor(index / PODS_OF_SERVICE)}` } },
    spec: { nodeName: `node-${index % SERVICE_NODES}`, containers: [{ name: "app", image: "app:1" }] },
  });
  const podIP = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
  await pods.status.patch(name, {
    merge: {
      status: { phase: "Running", podIP, podIPs: [{ ip: podIP }], conditions: [{ type: "Ready", status: "True" }] },
    },
  });
}

function readyEndpoints(slices: Informer<EndpointSlice>): number {
  // The server has a slice of its own there.
  const own = slices.cache.list().filter(({ metadata }) => metadata.name.startsWith("service-"));
  return own.reduce((sum, { endpoints }) => sum + (endpoints ?? []).filter(isReadyEndpoint).length, 0);
}

function isReadyEndpoint({
  conditions,
}: {
  readonly conditions?: { readonly ready?: boolean | null } | null;
}): boolean {
  return conditions?.ready === true;
}

async function readinessTimes(client: Client): Promise<readonly number[]> {
  let seen: () => void = () => undefined;
  const slices = client.informer(kinds.discovery.v1.endpointSlices, { namespace: "default" });
  slices.addHandlers({ updated: () => seen() });
  slices.start();
  await slices.whenSynced();
  const times: number[] = [];
  for (let index = 0; index < READINESS_CHANGES; index += 1) {
    const start = performance.now();
    const changed = new Promise<void>((resolve) => {
      seen = resolve;
    });
    const conditions = [{ type: "Ready", status: "False" as const }];
    await client.core.v1.pods("default").status.patch(`pod-${index * PODS_OF_SERVICE}`, {
      merge: { status: { conditions } },
    });
    await changed;
    times.push(performance.now() - start);
  }
  await slices.stop();
  return times;
}

/** Some two hundred a second: of fewer, the 99th percentile would be the slowest or the next. */
const BETWEEN_PROBES_MS = 4;

/** Of small writes, one after the other, while the work goes on. */
async function latencies(client: Client, work: () => Promise<void>): Promise<readonly number[]> {
  const times: number[] = [];
  let isOver = false;
  const asking = (async () => {
    const objects = client.core.v1.configMaps("default");
    for (let turn = 0; !isOver; turn += 1) {
      const start = performance.now();
      await objects.apply({ metadata: { name: "probe" }, data: { turn: String(turn) } }, { fieldManager: "bench" });
      times.push(performance.now() - start);
      await systemClock.sleep(BETWEEN_PROBES_MS);
    }
  })();
  await work();
  isOver = true;
  await asking;
  return times;
}

/** Of this process, while nothing else happens; without the timer of costOf, which alone wakes it 200 times a second. */
async function coreShare(): Promise<number> {
  const before = process.cpuUsage();
  const start = performance.now();
  await systemClock.sleep(RESTING_MS);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / (performance.now() - start);
}
