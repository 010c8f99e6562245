// A part that runs pods, over a played runtime and a real server in the same process, on a clock that tests move.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { type Clock, FakeClock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { silentLog } from "../../base/log.ts";
import { Metrics } from "../../base/metrics.ts";
import { nextTurn } from "../../base/next-turn.ts";
import { queueMetrics } from "../../base/queue-metrics.ts";
import { type ClientInProcess, clientInProcess } from "../../client/client.testing.ts";
import { Client } from "../../client/client.ts";
import { EventRecorder } from "../../client/event-recorder.ts";
import { InProcessTransport } from "../../client/in-process-transport.ts";
import type { Stored } from "../../client/informer.ts";
import type { Node } from "../../kinds/core/node.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Dialect } from "../../meta/names.ts";
import type { CgroupSettings } from "../cgroups/cgroup-settings.ts";
import { type Cgroups, CgroupTree } from "../cgroups/cgroup-tree.ts";
import { PodCgroups } from "../cgroups/pod-cgroups.ts";
import { loadConfiguration } from "../config/load-configuration.ts";
import type { AgentContext, NodeContribution, PodRunner } from "../context.ts";
import { connectCri } from "../cri/cri-client.ts";
import { FakeRuntime } from "../cri/fake-runtime.testing.ts";
import { CsiDrivers } from "../csi/csi-drivers.ts";
import { PodClaims } from "../dra/pod-claims.ts";
import { PressureWatch } from "../eviction/pressure-watch.ts";
import { thresholdsOf } from "../eviction/signals.ts";
import type { ProviderSettings } from "../images/credential-provider-config.ts";
import { cgroupVersion } from "../kernel/measure-kernel.ts";
import { MemoryManager } from "../memory/memory-manager.ts";
import type { Pressure } from "../node/conditions.ts";
import { machineFacts } from "../node/machine.testing.ts";
import type { MachineFacts } from "../node/machine.ts";
import { agentPaths } from "../paths.ts";
import { ProbeTotals } from "../probes/probe-totals.ts";
import { CpuManager } from "../processors/cpu-manager.ts";
import { readNumaNodes } from "../topology/numa-nodes.ts";
import { PodTopology } from "../topology/pod-topology.ts";
import { NO_TRACER } from "../tracing/tracer.ts";
import { unmountBelow } from "../volumes/mounts.ts";
import { CutTransport } from "./cut-transport.testing.ts";
import { createPodRunner } from "./pod-runner.ts";

export const NODE = "node-1";
/** The node has reported that there are none. */
export const WIDGET = "example.com/widget";
const STEP_MS = 250;
/** Calls of the runtime go over a socket: they come in turns of the event loop. */
const TURNS = 20;
/** Of real time: for a condition that never holds. */
const PATIENCE_MS = 25_000;
const FILE_PATIENCE_MS = 1_000;

/** Instead of what tests use: another clock, and the socket of another runtime. */
interface OtherParts {
  readonly clock: Clock;
  readonly socket: string;
}

/** Two, with four gibibytes each. */
const NUMA_NODES = [0, 1].map((id) => ({
  id,
  memoryBytes: 2 ** 32,
  hugePages: new Map<string, number>(),
  distances: id === 0 ? [10, 20] : [20, 10],
}));

export class RunningNode {
  /** From now on: deadlines of calls go over the wire, and nobody waits for years. */
  readonly clock = new FakeClock(Date.now());
  readonly root = mkdtempSync(join(tmpdir(), "plinth-node-"));
  readonly manifests = join(this.root, "manifests");
  readonly runtime: FakeRuntime;
  readonly api: ClientInProcess;
  /** The agent's own way to the server. */
  readonly way: CutTransport;
  readonly #cgroupRoot = `/plinth-${process.pid}`;
  readonly #config: JsonObject;
  readonly #dialect: Dialect;
  readonly #other: OtherParts | undefined;
  /** The control groups that the agent has made, unless the runtime is a real one. */
  readonly cgroups = new Map<string, CgroupSettings>();
  readonly #tree: Cgroups;
  /** The Node as the agent sees it, and what it adds to its status. */
  #node: Node | undefined;
  #contributions: (() => NodeContribution)[] = [];
  #csi: CsiDrivers | undefined;
  #claims: PodClaims | undefined;
  /** Programs with credentials of registries, from the next start of the agent on. */
  credentialProviders: readonly ProviderSettings[] = [];
  /** Resources that plug-ins give out. */
  readonly plugged = new Set<string>();
  /** What is measured of the machine. */
  machine: MachineFacts = machineFacts();
  /** Another way to measure it. */
  measure: () => Promise<MachineFacts> = async () => this.machine;
  #runner: PodRunner | undefined;
  #context: AgentContext | undefined;
  #cpus: CpuManager | undefined;
  #memory: MemoryManager | undefined;

  private constructor(
    api: ClientInProcess,
    runtime: FakeRuntime,
    { config, dialect, other }: { config: JsonObject; dialect: Dialect; other: OtherParts | undefined },
  ) {
    this.api = api;
    const headers = { "user-agent": "agent/1" };
    this.way = new CutTransport(new InProcessTransport({ handler: api.server.handler, headers }));
    this.runtime = runtime;
    this.#config = config;
    this.#dialect = dialect;
    this.#other = other;
    mkdirSync(this.manifests);
    this.#tree = other === undefined ? playedCgroups(this.cgroups) : new CgroupTree("/sys/fs/cgroup", cgroupVersion());
    runtime.nowMs = () => this.clock.nowMs();
  }

  /** As the agent knows it. */
  get node(): Node | undefined {
    return this.#node;
  }

  static async start(
    config: JsonObject = {},
    dialect: Dialect = "platform",
    other?: OtherParts,
    serverFlags: readonly string[] = [],
  ): Promise<RunningNode> {
    const api = await clientInProcess({ dialect, flags: serverFlags });
    const node = new RunningNode(api, await FakeRuntime.start(), { config, dialect, other });
    await api.client.core.v1.nodes().create({ metadata: { name: NODE, labels: { zone: "a" } } });
    await api.client.core.v1.serviceAccounts("default").create({ metadata: { name: "default" } });
    await node.startAgent();
    return node;
  }

  get runner(): PodRunner {
    return this.#runner!;
  }

  /** The storage drivers that have registered. */
  get csi(): CsiDrivers {
    return this.#csi!;
  }

  /** The drivers of resource claims. */
  get claims(): PodClaims {
    return this.#claims!;
  }

  /** What /metrics would show. */
  async metrics(): Promise<string> {
    return (await this.#context?.metrics.text()) ?? "";
  }

  volumesInUse(): readonly string[] {
    return this.#contributions.flatMap((source) => source().volumesInUse ?? []);
  }

  /** Somebody writes the status of the Node. */
  async tellNode(status: object): Promise<void> {
    this.#node = await this.api.client.core.v1.nodes().status.patch(NODE, { merge: { status } });
  }

  /** What the node says that it runs short of. */
  pressures(): ReadonlySet<Pressure> {
    return this.#context?.pressure.reported() ?? new Set();
  }

  async startAgent(): Promise<void> {
    const client = new Client({ transport: this.way, dialect: this.#dialect });
    const flags = {
      podLogsDir: join(this.root, "logs"),
      staticPodPath: this.manifests,
      fileCheckFrequency: "1s",
      clusterDomain: "cluster.local",
      cgroupRoot: this.#cgroupRoot,
      ...this.#config,
    };
    const { configuration: config, gates } = loadConfiguration({ dialect: this.#dialect, flags });
    const metrics = new Metrics({ release: "1.34.0", showHidden: false });
    this.#node = await client.core.v1.nodes().get(NODE);
    this.#contributions = [];
    const { runtime } = this;
    const clock = this.#other?.clock ?? this.clock;
    const runtimeSocket = this.#other?.socket ?? runtime.socket;
    const cri = connectCri({ runtimeSocket, timeoutMs: 10_000, clock });
    const cgroups = new PodCgroups({
      config,
      gates,
      cri,
      cgroups: this.#tree,
      slices: undefined,
      cgroupVersion: 1,
      hugePageSizes: [],
      isKernelThread: async () => false,
      log: silentLog,
    });
    await cgroups.start(this.machine);
    const cpus = new CpuManager({
      file: join(this.root, "cpu_manager_state"),
      config,
      topology: async () => [0, 1, 2, 3].map((id) => ({ id, core: id, socket: 0, numaNode: id >> 1, uncoreCache: 0 })),
      clock,
      log: silentLog,
    });
    this.#csi = new CsiDrivers({ client, clock, log: silentLog, nodeName: NODE, node: () => this.#node });
    this.#claims = new PodClaims({
      client,
      clock,
      log: silentLog,
      file: join(this.root, "dra_manager_state"),
      metrics,
    });
    await this.#claims.start();
    await cpus.start();
    this.#cpus = cpus;
    const memory = new MemoryManager({
      file: join(this.root, "memory_manager_state"),
      config,
      numaNodes: async () =>
        this.#other === undefined ? NUMA_NODES : await readNumaNodes("/sys/devices/system", totalmem()),
      clock,
      log: silentLog,
    });
    await memory.start();
    this.#memory = memory;
    const topology = new PodTopology({
      config,
      numa: async () => ({ nodes: [0, 1], distance: (from, to) => (from === to ? 10 : 20) }),
      resources: [cpus, memory],
      onDecision: () => undefined,
    });
    await topology.start();
    const context: AgentContext = {
      client,
      cri,
      config,
      gates,
      names: client.names,
      clock,
      random: () => 0.5,
      log: silentLog,
      recorder: new EventRecorder({ client, controller: "agent", host: NODE, api: "core" }),
      metrics,
      queue: queueMetrics(metrics, clock),
      probeTotals: new ProbeTotals(),
      tracer: NO_TRACER,
      credentialProviders: this.credentialProviders,
      nodeName: NODE,
      nodeIps: [],
      paths: agentPaths({ rootDir: this.root, certDir: join(this.root, "pki") }),
      node: {
        current: () => this.#node,
        seen: (node) => {
          this.#node = node;
        },
        hostIps: () => ["192.0.2.1"],
        allocatable: () => ({ cpu: "4", memory: "8Gi", pods: String(config.maxPods), [WIDGET]: "0" }),
        mostAllocatable: () => ({ cpu: "4", memory: "9Gi", pods: String(config.maxPods) }),
        whenRegistered: async () => undefined,
        touch: () => undefined,
        contribute: (source) => void this.#contributions.push(source),
      },
      devices: { has: (resource) => this.plugged.has(resource), prepare: async () => [], release: () => undefined },
      runtime: {
        name: "fake",
        version: "1",
        isReady: () => true,
        isNetworkReady: () => runtime.status.status?.conditions?.[1]?.status === true,
        handlers: () =>
          this.#other === undefined
            ? [{ name: "", features: { recursiveReadOnlyMounts: true, userNamespaces: true } }]
            : [],
        supportsSupplementalGroupsPolicy: () => true,
      },
      cgroups,
      cpus,
      memory,
      topology,
      csiDrivers: this.#csi,
      claims: this.#claims,
      pressure: new PressureWatch({
        clock,
        thresholds: thresholdsOf(config),
        transitionMs: config.evictionPressureTransitionPeriodMs,
        measure: async () => await this.measure(),
        podsMemory: async () => undefined,
        onChange: () => undefined,
      }),
    };
    this.#context = context;
    this.#runner = createPodRunner(context);
    await this.#runner.start();
  }

  async stopAgent(): Promise<void> {
    await this.#runner?.stop();
    await this.#context?.recorder.close();
    this.#context?.cri.close();
    await this.#cpus?.stop();
    await this.#memory?.stop();
    this.#csi?.close();
    this.#claims?.close();
  }

  async close(): Promise<void> {
    await this.stopAgent();
    await this.api.close();
    this.runtime.close();
    await this.#tree.remove(this.#cgroupRoot);
    await unmountBelow(this.root);
    rmSync(this.root, { recursive: true, force: true });
  }

  async run(spec: object = {}, metadata: object = {}): Promise<Stored<Pod>> {
    const draft = {
      metadata: { generateName: "p-", ...metadata },
      spec: {
        nodeName: NODE,
        terminationGracePeriodSeconds: 5,
        automountServiceAccountToken: false,
        containers: [{ name: "main", image: "example.com/app:1" }],
        ...spec,
      },
    };
    return await this.api.client.core.v1.pods("default").create(draft);
  }

  async pod({ metadata }: Stored<Pod>): Promise<Stored<Pod> | undefined> {
    return await this.api.client.core.v1.pods("default").find(metadata.name);
  }

  /** Moves the clock in small steps until the condition holds, and gives what it gave. */
  async until<T>(what: string, condition: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
    const startedMs = performance.now();
    for (;;) {
      const value = await condition();
      if (value !== undefined && value !== false) return value;
      if (performance.now() - startedMs > PATIENCE_MS) expect.fail(`waited in vain: ${what}`);
      if (this.#other !== undefined) {
        await this.#other.clock.sleep(STEP_MS);
        continue;
      }
      await this.clock.advance(STEP_MS);
      for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
      await untilFilesAreDone();
    }
  }

  async untilPod(pod: Stored<Pod>, what: string, holds: (pod: Stored<Pod>) => unknown): Promise<Stored<Pod>> {
    return await this.until(what, async () => {
      const now = await this.pod(pod);
      return now !== undefined && holds(now) ? now : undefined;
    });
  }

  async running(pod: Stored<Pod>): Promise<Stored<Pod>> {
    return await this.untilPod(pod, `${pod.metadata.name} runs`, ({ status }) => status.phase === "Running");
  }

  async waiting(pod: Stored<Pod>, reason: string): Promise<{ reason?: string; message?: string }> {
    const found = await this.untilPod(
      pod,
      `waits with ${reason}`,
      ({ status }) => waitingOf(status)?.reason === reason,
    );
    return waitingOf(found.status)!;
  }

  async gone(pod: Stored<Pod>): Promise<void> {
    await this.until(`${pod.metadata.name} is gone`, async () => (await this.pod(pod)) === undefined);
  }

  /** Reasons of events about a pod. */
  async events(pod: Stored<Pod>): Promise<string[]> {
    return (await this.#eventsOf(pod)).map(({ reason }) => reason ?? "");
  }

  /** Each as "reason, part of the pod: message". */
  async reports(pod: Stored<Pod>): Promise<string[]> {
    const events = await this.#eventsOf(pod);
    return events.map(
      ({ reason, message, involvedObject: { fieldPath = "" } }) => `${reason}, ${fieldPath}: ${message}`,
    );
  }

  async #eventsOf({ metadata }: Stored<Pod>) {
    await this.#context?.recorder.flush();
    const { items } = await this.api.client.core.v1.events("default").list();
    return items.filter(({ involvedObject }) => involvedObject.uid === metadata.uid);
  }
}

/** Threads see to files, on a busy machine late: the clock would go on, and a wait of the agent be over before it began. */
async function untilFilesAreDone(): Promise<void> {
  const deadlineMs = performance.now() + FILE_PATIENCE_MS;
  const isUnderWay = () => process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq"));
  while (isUnderWay() && performance.now() < deadlineMs) await nextTurn();
}

function playedCgroups(made: Map<string, CgroupSettings>): Cgroups {
  return {
    ensure: async (path, settings) => void made.set(path, settings),
    remove: async (path) => {
      for (const each of made.keys()) if (each === path || each.startsWith(`${path}/`)) made.delete(each);
    },
    exists: async (path) => made.has(path),
    memory: async () => undefined,
    rootProcesses: async () => [],
    join: async () => undefined,
  };
}

function waitingOf({ initContainerStatuses = [], containerStatuses = [] }: Pod["status"]) {
  return [...initContainerStatuses, ...containerStatuses]
    .map(({ state }) => state.waiting)
    .find((state) => state?.message);
}
