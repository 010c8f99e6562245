// What the parts of the agent share, and what the core asks of the part that runs pods.

import type { Clock } from "../base/clock.ts";
import type { FeatureGates } from "../base/feature-gates.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import type { QueueMetrics } from "../base/queue-metrics.ts";
import type { Client } from "../client/client.ts";
import type { EventRecorder } from "../client/event-recorder.ts";
import type { Node } from "../kinds/core/node.ts";
import type { Container } from "../kinds/core/pod/container.ts";
import type { EphemeralContainer } from "../kinds/core/pod/ephemeral-container.ts";
import type { Pod } from "../kinds/core/pod.ts";
import type { Names } from "../meta/names.ts";
import type { GateName } from "../options/feature-gate-table.ts";
import type { PodCgroups } from "./cgroups/pod-cgroups.ts";
import type { NodeAgentConfiguration } from "./config/configuration.ts";
import type { CriClient } from "./cri/cri-client.ts";
import type { RuntimeHandler } from "./cri/runtime-messages.ts";
import type { CsiDrivers } from "./csi/csi-drivers.ts";
import type { PodClaims } from "./dra/pod-claims.ts";
import type { PressureWatch } from "./eviction/pressure-watch.ts";
import type { ProviderSettings } from "./images/credential-provider-config.ts";
import type { MemoryManager } from "./memory/memory-manager.ts";
import type { AgentPaths } from "./paths.ts";
import type { DeviceAnswer } from "./plugins/device-messages.ts";
import type { ProbeTotals } from "./probes/probe-totals.ts";
import type { CpuManager } from "./processors/cpu-manager.ts";
import type { VolumeUsage } from "./stats/volume-usage.ts";
import type { PodTopology } from "./topology/pod-topology.ts";
import type { Tracer } from "./tracing/tracer.ts";

export interface AgentContext {
  readonly client: Client;
  readonly cri: CriClient;
  readonly config: NodeAgentConfiguration;
  readonly gates: FeatureGates<GateName>;
  readonly names: Names;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly recorder: EventRecorder;
  readonly metrics: Metrics;
  /** What a queue of this name is measured by. */
  readonly queue: (name: string) => QueueMetrics;
  readonly tracer: Tracer;
  readonly probeTotals: ProbeTotals;
  readonly nodeName: string;
  /** Of --node-ip. */
  readonly nodeIps: readonly string[];
  readonly paths: AgentPaths;
  /** Programs that give credentials of registries. */
  readonly credentialProviders: readonly ProviderSettings[];
  readonly node: NodeFacts;
  readonly devices: PodDevices;
  readonly runtime: RuntimeFacts;
  readonly cgroups: Pick<PodCgroups, "parentOf" | "ensure" | "remove" | "share">;
  readonly csiDrivers: Pick<CsiDrivers, "driver">;
  readonly claims: Pick<PodClaims, "devicesFor" | "release">;
  readonly cpus: Pick<CpuManager, "release" | "cpusOf" | "exclusiveOf">;
  readonly memory: Pick<MemoryManager, "release" | "nodesOf">;
  readonly topology: Pick<PodTopology, "admit" | "takeBack">;
  /** What the node runs short of. */
  readonly pressure: Pick<PressureWatch, "look" | "isOver" | "reported">;
}

/** The node as it was last measured and written. */
export interface NodeFacts {
  /** The Node of the API, once it is registered. */
  current(): Node | undefined;
  /** Takes note of the Node as somebody has changed it: labels and taints count for pods at once. */
  seen(node: Node): void;
  /** The node's own addresses, the first of each family: for `status.hostIP` and `hostIPs`. */
  hostIps(): readonly string[];
  /** What pods may use altogether, as it is reported: `cpu`, `memory`, `pods`, ... */
  allocatable(): Readonly<Record<string, string>>;
  /** The same with what thresholds of eviction keep free: more there never is. */
  mostAllocatable(): Readonly<Record<string, string>>;
  /** Resolves once the API has the Node, made by the agent or by somebody else. */
  whenRegistered(): Promise<void>;
  /** Something about the node has changed: it is measured and, where that shows, written soon. */
  touch(): void;
  /** Asks for more than the machine itself has, at every look: devices of plug-ins, volumes in use. */
  contribute(source: () => NodeContribution): void;
}

/** What a part of the agent adds to the status of the node. A resource that is gone has the amount "0". */
export interface NodeContribution {
  readonly capacity?: Readonly<Record<string, string>>;
  readonly allocatable?: Readonly<Record<string, string>>;
  /** What was told last stays where it is not known yet. */
  readonly volumesInUse?: readonly string[] | "unknown";
}

/** Devices of plug-ins, as who runs pods sees them. */
export interface PodDevices {
  /** Whether a plug-in gives the resource out. */
  has(resource: string): boolean;
  /**
   * Before a container is made: gives it the devices that it asks for, or those that it has already, and says what their
   * plug-ins want it to have besides. Fails where there are not enough.
   */
  prepare(pod: Pod, container: Container | EphemeralContainer): Promise<readonly DeviceAnswer[]>;
  /** The pod has ended: others may have its devices. */
  release(podUid: string): void;
}

/** The container runtime as it was last heard of. */
export interface RuntimeFacts {
  /** Stands before the ids of containers: `containerd` in `containerd://0123`. */
  readonly name: string;
  /** "1.7.2" */
  readonly version: string;
  isReady(): boolean;
  isNetworkReady(): boolean;
  handlers(): readonly RuntimeHandler[];
  /** Whether the runtime may be told how supplemental groups come together. */
  supportsSupplementalGroupsPolicy(): boolean;
}

/** The part that runs pods, as the core and the server see it. */
export interface PodRunner {
  /** Begins with what the runtime already runs. Resolves when pods are being looked after. */
  start(): Promise<void>;
  /** Stops looking after pods; they run on. */
  stop(): Promise<void>;
  /** The pods of this node with their present status, static ones too: what `/pods` shows. */
  pods(): readonly Pod[];
  /** How full the volumes of a pod are, by name. */
  volumes(uid: string): Promise<ReadonlyMap<string, VolumeUsage>>;
  /** A container by the names of the API; the newest one, or with `previous` the one that ended last. */
  findContainer(wanted: WantedContainer): FoundContainer;
  /** The sandbox that runs the pod now. */
  findSandbox(namespace: string, pod: string): string | undefined;
  /** Why pods are not looked after any more (the runtime is silent, the loop is stuck); undefined while they are. */
  problem(): string | undefined;
  /** Whether the machine is about to shut down: the node is not ready then, though its agent is well. */
  isShuttingDown(): boolean;
}

export interface WantedContainer {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly previous?: boolean;
}

export type FoundContainer =
  | { readonly found: "container"; readonly pod: Pod; readonly containerId: string }
  /** The pod is here; it has no such container, or that has never begun. `declared` says which. */
  | { readonly found: "pod"; readonly pod: Pod; readonly declared: boolean }
  | { readonly found: "nothing" };

/** Builds the part that runs pods. */
export type PodRunnerFactory = (context: AgentContext) => PodRunner;
