// The scheduler and simulated nodes in one process with the server: how fast nodes register, and how fast pods find a node
// among thousands. The baseline is the same pods bound to nodes that nobody had to look for, on the same server: what server
// and client cost without any decision. Everybody acts with the rights of its own role.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { inProcessClients } from "../src/apiserver/in-process-clients.ts";
import { buildApiServer } from "../src/apiserver/server.ts";
import { InProcessUsers } from "../src/authn/in-process-users.ts";
import { systemClock } from "../src/base/clock.ts";
import { silentLog } from "../src/base/log.ts";
import { Client } from "../src/client/client.ts";
import { InProcessTransport } from "../src/client/in-process-transport.ts";
import type { Pod } from "../src/kinds/core/pod.ts";
import type { Draft } from "../src/kinds/define-kind.ts";
import { namesFor } from "../src/meta/names.ts";
import { SYSTEM_MASTERS } from "../src/meta/user.ts";
import { parseApiServerOptions } from "../src/options/api-server-options.ts";
import { serverGates } from "../src/options/feature-gate-table.ts";
import { Scheduler } from "../src/scheduler/scheduler.ts";
import { SimulatedNodes } from "../src/simulated-nodes/simulated-nodes.ts";
import { openLmdbEngine } from "../src/storage/lmdb-engine.ts";

const NODES = Number(process.env["BENCH_NODES"] ?? 5_000);
const PODS = Number(process.env["BENCH_PODS"] ?? 5_000);
/** The first of them run code that is not compiled yet. */
const WARM_UP = Math.min(PODS, 1_000);
const AT_ONCE = 64;
const RESTING_MS = 10_000;
const CAPACITY = { cpu: "8", memory: "32Gi", pods: "110", "ephemeral-storage": "100Gi" };
const DIALECT = "kubernetes";

const dir = mkdtempSync(join(tmpdir(), "plinth-bench-"));
try {
  await run();
} finally {
  rmSync(dir, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const options = parseApiServerOptions([
    "--authorization-mode=Node,RBAC",
    "--enable-admission-plugins=NodeRestriction",
    "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
  ]);
  const engine = await openLmdbEngine({ dir, identity: DIALECT });
  const users = new InProcessUsers();
  const server = buildApiServer({
    names: namesFor(DIALECT),
    options,
    gates: serverGates(options.featureGates, DIALECT),
    engine,
    log: silentLog,
    inProcessUsers: users,
  });
  await server.start();
  const { handler } = server;
  const clients = inProcessClients(handler, users, DIALECT);
  const connection = users.connect({ name: "bench", groups: [SYSTEM_MASTERS] });
  const client = new Client({ transport: new InProcessTransport({ handler, connection }), dialect: DIALECT });

  const startNodes = async (): Promise<SimulatedNodes> => {
    const nodes = new SimulatedNodes({
      count: NODES,
      capacity: CAPACITY,
      reader: client,
      clientFor: clients.nodeClient,
      clock: systemClock,
      log: silentLog,
    });
    await nodes.start();
    return nodes;
  };
  const registering = performance.now();
  const first = await startNodes();
  console.log(`${NODES} nodes with leases registered in ${seconds(registering)} s`);
  await idle();
  console.log(`their ${NODES / 10} renewals a second take ${(100 * (await coreShare())).toFixed(0)} % of a core`);
  await first.stop();

  const account = () => clients.componentClient("system:kube-scheduler", "bench");
  await schedule(client, account(), {}, WARM_UP);
  const bare = await bind(client);
  console.log(`bound without a decision, nodes silent  ${Math.round(bare)} pods/s`);
  report("scheduled, nodes silent", await schedule(client, account(), {}), bare);
  report("with spread and anti-affinity", await schedule(client, account(), constraints(client)), bare);
  const second = await startNodes();
  await idle();
  report("scheduled, nodes run the pods", await schedule(client, account(), {}), bare);

  await second.stop();
  await server.close();
  await engine.close();
}

/** Of this process, while nothing else happens. */
async function coreShare(): Promise<number> {
  const before = process.cpuUsage();
  const resting = performance.now();
  await systemClock.sleep(RESTING_MS);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / (performance.now() - resting);
}

interface Measured {
  readonly perSecond: number;
  /** Of the processor, of everything in this process. */
  readonly cpuMsEach: number;
  readonly delayMs: number;
}

function report(what: string, { perSecond, cpuMsEach, delayMs }: Measured, bare: number): void {
  const rate = `${what.padEnd(39)} ${Math.round(perSecond)} pods/s`;
  const cost = `${cpuMsEach.toFixed(1)} ms of CPU each`;
  console.log(`${rate}, ${(perSecond / bare).toFixed(2)} of that; ${cost}; event loop p99 ${delayMs.toFixed(0)} ms`);
}

/** Nodes are known without looking: the next one each time. */
async function bind(client: Client): Promise<number> {
  await create(client, {}, PODS);
  const pods = client.core.v1.pods("default");
  const start = performance.now();
  await inParallel(PODS, (index) => pods.bind(nameOf(index), `simulated-${(index % NODES) + 1}`));
  const perSecond = PODS / ((performance.now() - start) / 1000);
  await remove(client, PODS);
  return perSecond;
}

/** From the start of the scheduler, with all pods waiting, to the last one's node. */
async function schedule(client: Client, account: Client, spec: Draft<Pod["spec"]>, count = PODS): Promise<Measured> {
  await create(client, spec, count);
  const scheduler = new Scheduler({
    client: account,
    clock: systemClock,
    random: Math.random,
    log: silentLog,
    options: { percentageOfNodesToScore: 0 },
  });
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const before = process.cpuUsage();
  const start = performance.now();
  await scheduler.start();
  while ((await unplaced(client)) > 0) await systemClock.sleep(50);
  const perSecond = count / ((performance.now() - start) / 1000);
  const { user, system } = process.cpuUsage(before);
  delay.disable();
  await scheduler.stop();
  await account.close();
  await remove(client, count);
  return { perSecond, cpuMsEach: (user + system) / 1000 / count, delayMs: delay.percentile(99) / 1e6 };
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

async function create(client: Client, spec: Draft<Pod["spec"]>, count: number): Promise<void> {
  const requests = { cpu: "100m", memory: "128Mi" };
  await inParallel(count, (index) =>
    client.core.v1.pods("default").create({
      metadata: { name: nameOf(index), labels: { app: "bench" } },
      spec: { containers: [{ name: "app", image: "app:1", resources: { requests } }], ...spec },
    }),
  );
  await idle();
}

async function remove(client: Client, count: number): Promise<void> {
  const pods = client.core.v1.pods("default");
  await inParallel(count, (index) => pods.delete(nameOf(index), { gracePeriodSeconds: 0 }));
  await idle();
}

async function unplaced(client: Client): Promise<number> {
  const { items } = await client.core.v1.pods("default").list({ fieldSelector: "spec.nodeName=", limit: 1 });
  return items.length;
}

function nameOf(index: number): string {
  return `pod-${index}`;
}

/** What is under way comes to its end, and is not measured with what follows. */
function idle(): Promise<void> {
  return systemClock.sleep(3_000);
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}

async function inParallel(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < count) await work(next++);
    }),
  );
}
