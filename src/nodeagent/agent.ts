// The node agent, put together: the runtime it talks to, the node it keeps, the pods it runs, the endpoints it serves.

import { totalmem } from "node:os";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import { queueMetrics } from "../base/queue-metrics.ts";
import { asStartError } from "../base/start-error.ts";
import type { Client } from "../client/client.ts";
import { EventRecorder } from "../client/event-recorder.ts";
import { type HealthMetrics, healthMetrics } from "../meta/health-metrics.ts";
import { agentMetrics, StartUpTimes } from "./agent-metrics.ts";
import { AgentPorts } from "./agent-ports.ts";
import { cgroupMetrics } from "./cgroups/cgroup-metrics.ts";
import { CgroupTree } from "./cgroups/cgroup-tree.ts";
import { isKernelThread } from "./cgroups/kernel-thread.ts";
import { PodCgroups } from "./cgroups/pod-cgroups.ts";
import { hasSystemd, SystemdSlices } from "./cgroups/systemd-slices.ts";
import { checkMachine } from "./check-machine.ts";
import type { LoadedConfiguration } from "./config/load-configuration.ts";
import type { AgentContext, PodRunner, PodRunnerFactory } from "./context.ts";
import { type CriClient, connectCri } from "./cri/cri-client.ts";
import { criMetrics } from "./cri/cri-metrics.ts";
import { socketPathOf } from "./cri/endpoint.ts";
import { CsiDrivers } from "./csi/csi-drivers.ts";
import { PodClaims } from "./dra/pod-claims.ts";
import { PressureWatch } from "./eviction/pressure-watch.ts";
import { thresholdsOf } from "./eviction/signals.ts";
import type { ProviderSettings } from "./images/credential-provider-config.ts";
import { cgroupVersion } from "./kernel/measure-kernel.ts";
import { makeFolders } from "./make-folders.ts";
import { MemoryManager } from "./memory/memory-manager.ts";
import { measureMachine } from "./node/machine.ts";
import { OLD_CGROUPS } from "./node/node-events.ts";
import { NodeKeeper } from "./node/node-keeper.ts";
import { NodeLease } from "./node/node-lease.ts";
import { RuntimeMonitor } from "./node/runtime-monitor.ts";
import type { AgentPaths } from "./paths.ts";
import { DeviceManager } from "./plugins/device-manager.ts";
import { NodePlugins } from "./plugins/node-plugins.ts";
import { hugePageSizes } from "./pods/measure-node.ts";
import { ProbeTotals } from "./probes/probe-totals.ts";
import { CpuManager } from "./processors/cpu-manager.ts";
import { readCpuTopology } from "./processors/cpu-topology.ts";
import type { EndpointOptions } from "./server/agent-server.ts";
import { firstProblem, type HealthChecks, measuredChecks } from "./server/health.ts";
import { distancesOf, type NumaNode, readNumaNodes } from "./topology/numa-nodes.ts";
import { PodTopology } from "./topology/pod-topology.ts";
import { pinningMetrics, processorGauges, topologyMetrics } from "./topology/topology-metrics.ts";
import { startTracing, type Tracing } from "./tracing/start-tracing.ts";

interface NodeAgentOptions {
  readonly client: Client;
  /** For events, and for signs of life; the first one where they are not given. */
  readonly eventClient?: Client;
  readonly heartbeatClient?: Client;
  readonly loaded: LoadedConfiguration;
  readonly paths: AgentPaths;
  readonly nodeName: string;
  readonly hostname: string;
  /** Of --node-ip; the address of the default route when empty. */
  readonly nodeIps: readonly string[];
  /** Of --node-labels. */
  readonly labels: ReadonlyMap<string, string>;
  /** Of --image-credential-provider-config. */
  readonly credentialProviders: readonly ProviderSettings[];
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  /** Has the log say more, or less. */
  readonly setVerbosity?: ((verbosity: number) => void) | undefined;
  readonly createPodRunner: PodRunnerFactory;
  /** Where its clients count already; its own when not given. */
  readonly metrics?: Metrics;
}

export class NodeAgent {
  readonly #options: NodeAgentOptions;
  readonly #tracing: Tracing;
  readonly #cri: CriClient;
  readonly #runtime: RuntimeMonitor;
  readonly #node: NodeKeeper;
  readonly #pressure: PressureWatch;
  readonly #cgroups: PodCgroups;
  readonly #lease: NodeLease;
  readonly #runner: PodRunner;
  readonly #plugins: NodePlugins;
  readonly #cpus: CpuManager;
  readonly #memory: MemoryManager;
  readonly #topology: PodTopology;
  #numaNodes: readonly NumaNode[] = [];
  readonly #csiDrivers: CsiDrivers;
  readonly #claims: PodClaims;
  readonly #recorder: EventRecorder;
  readonly #context: AgentContext;
  readonly #checks: HealthChecks;
  readonly #outcomes: HealthMetrics;
  readonly #ports: AgentPorts;
  readonly #startUp: StartUpTimes;

  private constructor(options: NodeAgentOptions) {
    this.#options = options;
    const { client, clock, log, loaded, nodeName, paths } = options;
    const { eventClient = client, heartbeatClient = client } = options;
    const { configuration: config, gates } = loaded;
    const { metrics = agentMetrics(nodeName, loaded, client.names) } = options;
    this.#startUp = new StartUpTimes(metrics, clock);
    this.#tracing = startTracing({ ...options, settings: config.tracing });
    const { tracer } = this.#tracing;
    this.#cri = connectCri({
      tracer,
      onCall: criMetrics(metrics),
      runtimeSocket: socketPathOf(config.containerRuntimeEndpoint)!,
      imageSocket: config.imageServiceEndpoint ? socketPathOf(config.imageServiceEndpoint) : undefined,
      timeoutMs: config.runtimeRequestTimeoutMs,
      clock,
    });
    this.#runtime = new RuntimeMonitor({
      cri: this.#cri,
      clock,
      onChange: () => this.#node.touch(),
      onError: (error) => log.warn({ err: error }, "the container runtime does not answer"),
    });
    this.#recorder = new EventRecorder({
      client: eventClient,
      controller: "kubelet",
      instance: nodeName,
      host: nodeName,
      api: "core",
      onError: (error) => log.warn({ err: error }, "an event was lost"),
    });
    const version = cgroupVersion();
    const { onOperation, onSilentRuntime } = cgroupMetrics(metrics);
    const cgroups = new CgroupTree(CGROUPS, version, onOperation);
    this.#cgroups = new PodCgroups({
      config,
      gates,
      cri: this.#cri,
      cgroups,
      slices: hasSystemd() ? new SystemdSlices({ tree: cgroups, version }) : undefined,
      cgroupVersion: version,
      hugePageSizes: hugePageSizes(version),
      isKernelThread,
      log,
      onSilentRuntime,
    });
    this.#pressure = new PressureWatch({
      clock,
      thresholds: thresholdsOf(config),
      transitionMs: config.evictionPressureTransitionPeriodMs,
      measure: () => measureMachine(paths.rootDir, this.#runtime.imageFolder),
      podsMemory: () => this.#cgroups.memoryLeft(),
      onChange: () => this.#node.touch(),
    });
    this.#node = new NodeKeeper({
      ...options,
      client: heartbeatClient,
      config,
      gates,
      cri: this.#cri,
      runtime: this.#runtime,
      recorder: this.#recorder,
      measure: (imageFolder) => measureMachine(paths.rootDir, imageFolder),
      port: () => this.#ports.port ?? config.port,
      problems: () => [
        ...(this.#runner.isShuttingDown() ? ["node is shutting down"] : []),
        ...[this.#runner.problem() ?? []].flat(),
      ],
      pressures: () => this.#pressure.reported(),
      startReports: () => [...(version === 1 ? [OLD_CGROUPS] : []), ...this.#cgroups.reports()],
    });
    this.#lease = new NodeLease({
      client: heartbeatClient,
      clock,
      nodeName,
      durationSeconds: config.nodeLeaseDurationSeconds,
      node: () => this.#node.current(),
      onError: (error) => log.warn({ err: error }, "the lease of the node cannot be renewed; trying again"),
    });
    const devices = new DeviceManager({
      directory: paths.devicePlugins,
      names: client.names,
      clock,
      log,
      numaNodes: () => this.#numaNodes.map(({ id }) => id),
      onChange: () => this.#node.touch(),
    });
    this.#csiDrivers = new CsiDrivers({ client, clock, log, nodeName, node: () => this.#node.current() });
    this.#claims = new PodClaims({ client, clock, log, file: paths.draManagerState, metrics });
    this.#cpus = new CpuManager({
      file: paths.cpuManagerState,
      config,
      topology: () => readCpuTopology(SYSTEM_DEVICES),
      onPinning: pinningMetrics(metrics, "cpu"),
      clock,
      log,
    });
    const numaNodes = async () => this.#numaNodes;
    processorGauges(metrics, () => this.#cpus.counts());
    const onPinning = pinningMetrics(metrics, "memory");
    this.#memory = new MemoryManager({ file: paths.memoryManagerState, config, numaNodes, onPinning, clock, log });
    this.#topology = new PodTopology({
      config,
      numa: async () => distancesOf(this.#numaNodes),
      resources: [this.#cpus, this.#memory, devices],
      onDecision: topologyMetrics(metrics),
    });
    this.#node.contribute(() => devices.contribution());
    this.#context = {
      ...options,
      cri: this.#cri,
      config,
      gates,
      names: client.names,
      recorder: this.#recorder,
      metrics,
      queue: queueMetrics(metrics, clock),
      probeTotals: new ProbeTotals(),
      tracer,
      node: this.#node,
      devices,
      runtime: this.#runtime,
      pressure: this.#pressure,
      cgroups: this.#cgroups,
      csiDrivers: this.#csiDrivers,
      claims: this.#claims,
      cpus: this.#cpus,
      memory: this.#memory,
      topology: this.#topology,
    };
    this.#runner = options.createPodRunner(this.#context);
    this.#plugins = new NodePlugins({
      paths,
      gates,
      clock,
      log,
      devices,
      cpus: this.#cpus,
      memory: this.#memory,
      storage: this.#csiDrivers,
      claims: this.#claims,
      pods: () => this.#runner.pods(),
    });
    this.#outcomes = healthMetrics(client.names);
    const checks = { ping: () => undefined, syncloop: () => this.#runner.problem() };
    this.#checks = measuredChecks(checks, this.#outcomes.onResult);
    this.#ports = new AgentPorts({ ...options, checks: this.#checks, endpoints: () => this.#endpoints() });
  }

  /** Resolves when the agent serves and its node is being kept. Fails with StartError. */
  static async start(options: NodeAgentOptions): Promise<NodeAgent> {
    const agent = new NodeAgent(options);
    try {
      await agent.#start();
    } catch (error) {
      await agent.stop();
      throw asStartError(error);
    }
    return agent;
  }

  /** The port of the HTTPS server; 0 when there is none. */
  get port(): number {
    return this.#ports.port ?? 0;
  }

  /** Why the agent is not well; undefined when it is. */
  problem(): string | undefined {
    return firstProblem(this.#checks);
  }

  /** Stops what the agent does; pods run on. */
  async stop(): Promise<void> {
    this.#lease.stop();
    this.#node.stop();
    this.#runtime.stop();
    await Promise.allSettled([this.#runner.stop(), this.#plugins.stop(), this.#ports.close()]);
    await this.#cpus.stop();
    await this.#memory.stop();
    this.#csiDrivers.close();
    this.#claims.close();
    await this.#recorder.close();
    this.#cri.close();
    await this.#tracing.stop();
  }

  async #start(): Promise<void> {
    const { log, paths } = this.#options;
    await makeFolders(paths);
    await checkMachine(this.#options);
    await this.#runtime.start();
    await this.#cgroups.start(await measureMachine(paths.rootDir, undefined));
    await this.#ports.start();
    this.#numaNodes = await readNumaNodes(SYSTEM_DEVICES, totalmem());
    await this.#topology.start();
    await this.#cpus.start();
    await this.#memory.start();
    await this.#claims.start();
    // Before pods are looked at: what has devices keeps them.
    await this.#plugins.start();
    // So that the first status that is told is whole.
    await this.#pressure.look();
    this.#startUp.registering();
    this.#node.start();
    void this.#node.whenRegistered().then(() => {
      this.#startUp.registered();
      this.#lease.start();
    });
    void this.#node.whenReady().then(() => this.#startUp.ready());
    await this.#runner.start();
    log.info({ node: this.#options.nodeName, port: this.port }, "the node agent is running");
  }

  #endpoints(): EndpointOptions {
    const { paths, loaded, setVerbosity } = this.#options;
    return {
      setVerbosity,
      context: this.#context,
      runner: this.#runner,
      checks: this.#checks,
      outcomes: this.#outcomes.metrics,
      measure: () => measureMachine(paths.rootDir, this.#runtime.imageFolder),
      shownConfig: loaded.shown,
    };
  }
}

/** Where the kernel shows its tree of control groups. */
const CGROUPS = "/sys/fs/cgroup";
/** Where it shows how processors and memory stand together. */
const SYSTEM_DEVICES = "/sys/devices/system";
