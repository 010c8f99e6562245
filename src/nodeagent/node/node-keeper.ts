// Keeps the Node: registers it, or takes over the one that is there, and writes its status when something has changed or
// the report is due. Requirements: document 3, "Node status fields", "States and transitions" (node heartbeats).

import { BackgroundLoop } from "../../base/background-loop.ts";
import type { Clock } from "../../base/clock.ts";
import type { FeatureGates } from "../../base/feature-gates.ts";
import type { Log } from "../../base/log.ts";
import { isApiError } from "../../client/api-error.ts";
import type { Client } from "../../client/client.ts";
import type { EventRecorder } from "../../client/event-recorder.ts";
import type { Node } from "../../kinds/core/node.ts";
import { timeOfMs } from "../../meta/time.ts";
import type { GateName } from "../../options/feature-gate-table.ts";
import type { NodeAgentConfiguration } from "../config/configuration.ts";
import type { NodeContribution, NodeFacts } from "../context.ts";
import type { CriClient } from "../cri/cri-client.ts";
import type { Pressure } from "./conditions.ts";
import type { MachineFacts } from "./machine.ts";
import { measuredStatus } from "./measured-status.ts";
import { firstEvents, type NodeEvent, nodeEvents, schedulableEvents } from "./node-events.ts";
import { machineLabels } from "./node-labels.ts";
import { type MeasuredStatus, statusWrite, withAdvertised } from "./node-status.ts";
import { nodeResources, type ResourceList } from "./resources.ts";
import type { RuntimeMonitor } from "./runtime-monitor.ts";

interface NodeKeeperOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: NodeAgentConfiguration;
  readonly gates: FeatureGates<GateName>;
  readonly cri: CriClient;
  readonly runtime: RuntimeMonitor;
  readonly recorder: Pick<EventRecorder, "record">;
  readonly measure: (imageFolder: string | undefined) => Promise<MachineFacts>;
  readonly nodeName: string;
  readonly hostname: string;
  readonly nodeIps: readonly string[];
  readonly labels: ReadonlyMap<string, string>;
  /** The port of the agent's own server. */
  readonly port: () => number;
  /** Why the node is not ready for pods, beyond what the runtime says. */
  readonly problems: () => readonly string[];
  readonly pressures: () => ReadonlySet<Pressure>;
  /** What else is told of the node when the agent has started. */
  readonly startReports: () => readonly NodeEvent[];
}

const RETRY_MS = { first: 100, max: 7_000 };
/** Changes that come together are written together. */
const SETTLE_MS = 50;
/** A runtime that hangs must not hold up what is said of the node. */
const RUNTIME_TIMEOUT_MS = 5_000;

export class NodeKeeper implements NodeFacts {
  readonly #options: NodeKeeperOptions;
  readonly #loop: BackgroundLoop;
  readonly #contributions: (() => NodeContribution)[] = [];
  readonly #whenRegistered: Promise<void>;
  #tellRegistered: () => void = () => undefined;
  readonly #whenReady: Promise<void>;
  #tellReady: () => void = () => undefined;
  #started = false;
  #current: Node | undefined;
  #measured: MeasuredStatus | undefined;
  #most: ResourceList = {};
  #lastReportMs: number | undefined;
  #toldPodRange = "";
  #toldStart = false;
  #toldSchedulable = true;
  /** Whether the agent has made the node itself. */
  #isNew = false;

  constructor(options: NodeKeeperOptions) {
    this.#options = options;
    this.#whenRegistered = new Promise((resolve) => {
      this.#tellRegistered = resolve;
    });
    this.#whenReady = new Promise((resolve) => {
      this.#tellReady = resolve;
    });
    this.#loop = new BackgroundLoop({
      clock: options.clock,
      settleMs: SETTLE_MS,
      everyMs: options.config.nodeStatusUpdateFrequencyMs,
      retryMs: RETRY_MS,
      onError: (error) => options.log.warn({ err: error }, "the node cannot be kept up to date; trying again"),
      reconcile: async (_key, signal) => {
        await this.#keep(signal);
        return "done";
      },
    });
  }

  start(): void {
    this.#started = true;
    this.#loop.enqueue("", 0);
  }

  stop(): void {
    this.#loop.close();
  }

  current(): Node | undefined {
    return this.#current;
  }

  seen(node: Node): void {
    const known = this.#current;
    // What was written here a moment ago may be newer than what a watch shows.
    if (known !== undefined && isNewer(node, known)) this.#current = node;
  }

  hostIps(): readonly string[] {
    const addresses = this.#measured?.addresses ?? [];
    return addresses.filter(({ type }) => type === "InternalIP").map(({ address }) => address);
  }

  allocatable(): Readonly<Record<string, string>> {
    return this.#measured?.allocatable ?? {};
  }

  mostAllocatable(): Readonly<Record<string, string>> {
    return { ...this.allocatable(), ...this.#most };
  }

  whenRegistered(): Promise<void> {
    return this.#whenRegistered;
  }

  /** The API has been told that it is, for the first time. */
  whenReady(): Promise<void> {
    return this.#whenReady;
  }

  touch(): void {
    // What is told before the start is seen at the first look.
    if (this.#started) this.#loop.enqueue();
  }

  contribute(source: () => NodeContribution): void {
    this.#contributions.push(source);
  }

  async #keep(signal: AbortSignal): Promise<void> {
    const { client, clock, config, nodeName, log } = this.#options;
    const measured = await this.#measure(signal);
    this.#measured = measured;
    const node = await this.#findOrRegister(measured, signal);
    if (node === undefined) return;
    this.#current = node;
    this.#tellRegistered();
    this.#reportStart(node);
    this.#report(schedulableEvents(this.#toldSchedulable, node));
    this.#toldSchedulable = node.spec.unschedulable !== true;
    await this.#tellPodRange(node, signal);
    const nowMs = clock.nowMs();
    const times = { nowMs, lastReportMs: this.#lastReportMs, reportFrequencyMs: config.nodeStatusReportFrequencyMs };
    const write = statusWrite(node.status, withAdvertised(node.status, measured, client.names), times);
    if (write === undefined) return;
    const patch = { strategic: { status: write.patch } };
    this.#current = await client.core.v1.nodes().status.patch(nodeName, patch, { signal });
    if (isReady(this.#current)) this.#tellReady();
    this.#report(nodeEvents(node, this.#current));
    this.#lastReportMs = nowMs;
    log.debug({ why: write.why }, "wrote the status of the node");
  }

  #reportStart(node: Node): void {
    if (this.#toldStart) return;
    this.#toldStart = true;
    this.#report([...firstEvents(node, { isNew: this.#isNew }), ...this.#options.startReports()]);
  }

  #report(events: readonly NodeEvent[]): void {
    const node = this.#current;
    if (node !== undefined) for (const event of events) this.#options.recorder.record(node, event);
  }

  /** Runtimes that make the network of pods themselves want to know its range. */
  async #tellPodRange({ spec }: Node, signal: AbortSignal): Promise<void> {
    const { cri, runtime, log } = this.#options;
    const podCidr = (spec.podCIDRs ?? []).join(",");
    if (podCidr === "" || podCidr === this.#toldPodRange || !runtime.isReady()) return;
    try {
      const runtimeConfig = { networkConfig: { podCidr } };
      await cri.updateRuntimeConfig({ runtimeConfig }, { signal, timeoutMs: RUNTIME_TIMEOUT_MS });
      this.#toldPodRange = podCidr;
    } catch (error) {
      log.warn({ err: error, podCidr }, "the runtime does not take the range of pods; trying again");
    }
  }

  /** Undefined when there is none and the agent must not make it. */
  async #findOrRegister(measured: MeasuredStatus, signal: AbortSignal): Promise<Node | undefined> {
    const { client, config, nodeName, log } = this.#options;
    const nodes = client.core.v1.nodes();
    const known = await nodes.find(nodeName, { signal });
    if (known !== undefined) return await this.#takeOver(known, signal);
    if (!config.registerNode) return undefined;
    try {
      const created = await nodes.create(this.#newNode(measured), { signal });
      log.info({ node: nodeName }, "registered the node");
      this.#isNew = true;
      return created;
    } catch (error) {
      // Somebody was faster: the next look finds it.
      if (isApiError(error, "AlreadyExists")) return await nodes.get(nodeName, { signal });
      throw error;
    }
  }

  /** A Node that is there keeps what others have set; the labels that say what the machine is are corrected. */
  async #takeOver(node: Node, signal: AbortSignal): Promise<Node> {
    const { client, nodeName, config } = this.#options;
    if (this.#current?.metadata.uid === node.metadata.uid || !config.registerNode) return node;
    const wrong = Object.entries(this.#labels()).filter(([key, value]) => node.metadata.labels?.[key] !== value);
    if (wrong.length === 0) return node;
    const patch = { metadata: { labels: Object.fromEntries(wrong) } };
    return await client.core.v1.nodes().patch(nodeName, { strategic: patch }, { signal });
  }

  #newNode(measured: MeasuredStatus): object {
    const { client, config, nodeName, clock } = this.#options;
    const now = timeOfMs(clock.nowMs());
    const conditions = measured.conditions.map((each) => ({
      ...each,
      lastHeartbeatTime: now,
      lastTransitionTime: now,
    }));
    const annotations = config.enableControllerAttachDetach ? { [client.names.managedAttachAnnotation]: "true" } : {};
    return {
      metadata: { name: nodeName, labels: this.#labels(), annotations },
      spec: {
        ...(config.registerWithTaints.length > 0 ? { taints: config.registerWithTaints.map(definedOnly) } : {}),
        ...(config.providerID === undefined ? {} : { providerID: config.providerID }),
        ...(config.podCIDR === undefined ? {} : { podCIDR: config.podCIDR }),
      },
      status: { ...measured, conditions },
    };
  }

  #labels(): Record<string, string> {
    const { client, hostname, labels } = this.#options;
    const machine = machineLabels(client.names, hostname, this.#measured?.nodeInfo?.architecture ?? "");
    return { ...machine, ...Object.fromEntries(labels) };
  }

  async #measure(signal: AbortSignal): Promise<MeasuredStatus> {
    const { runtime, cri, client, gates, config } = this.#options;
    const machine = await this.#options.measure(runtime.imageFolder);
    this.#most = nodeResources(machine, { ...config, evictionHard: {} }).allocatable;
    const images = runtime.isReady()
      ? await cri.listImages({}, { signal, timeoutMs: RUNTIME_TIMEOUT_MS }).catch(() => undefined)
      : undefined;
    const problem = runtime.problem();
    return measuredStatus({
      ...this.#options,
      names: client.names,
      machine,
      port: this.#options.port(),
      tellsProxyVersion: client.names.dialect === "platform" || !gates.enabled("DisableNodeKubeProxyVersion"),
      runtime: {
        name: runtime.name,
        version: runtime.version,
        handlers: runtime.handlers(),
        features: runtime.features,
        networkProblem: runtime.networkProblem(),
      },
      images: images?.images,
      pressures: this.#options.pressures(),
      problems: [...(problem === undefined ? [] : [problem]), ...this.#options.problems()],
      contributions: this.#contributions.map((source) => source()),
    });
  }
}

function definedOnly(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Versions of one object, and numbers, as its server counts. */
const isNewer = (one: Node, other: Node): boolean =>
  one.metadata.uid !== other.metadata.uid ||
  BigInt(one.metadata.resourceVersion ?? 0) > BigInt(other.metadata.resourceVersion ?? 0);

const isReady = ({ status }: Node): boolean =>
  (status.conditions ?? []).some((condition) => condition.type === "Ready" && condition.status === "True");
