// What the agent has to do with plug-ins of others, put together: devices, the registry, and who has what.

import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { FeatureGates } from "../../base/feature-gates.ts";
import type { Log } from "../../base/log.ts";
import { StartError } from "../../base/start-error.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { GateName } from "../../options/feature-gate-table.ts";
import type { PodClaims } from "../dra/pod-claims.ts";
import { GrpcServer } from "../grpc/grpc-server.ts";
import type { AgentPaths } from "../paths.ts";
import type { DeviceManager } from "./device-manager.ts";
import { type PluginHandler, PluginRegistry } from "./plugin-registry.ts";
import { type MemoryPart, podResourcesAnswers } from "./pod-resources.ts";

/** Processors that containers have, and may have, for themselves. */
interface ContainerCpus {
  exclusiveOf(podUid: string, container: string): readonly number[];
  allocatable(): readonly number[];
}

/** Memory that containers have, and may have, for themselves. */
interface ContainerMemory {
  blocksOf(podUid: string, container: string): readonly MemoryPart[];
  allocatable(): readonly MemoryPart[];
}

interface NodePluginsOptions {
  readonly paths: AgentPaths;
  readonly gates: FeatureGates<GateName>;
  readonly clock: Clock;
  readonly log: Log;
  readonly devices: DeviceManager;
  readonly cpus: ContainerCpus;
  readonly memory: ContainerMemory;
  /** Looks after storage drivers. */
  readonly storage: PluginHandler;
  /** Looks after drivers of resource claims. */
  readonly claims: PluginHandler & Pick<PodClaims, "preparedFor">;
  readonly pods: () => readonly Pod[];
}

export class NodePlugins {
  readonly #options: NodePluginsOptions;
  readonly #registry: PluginRegistry;
  #podResources: GrpcServer | undefined;

  constructor(options: NodePluginsOptions) {
    this.#options = options;
    const { devices, paths, storage, claims } = options;
    const deviceHandler: PluginHandler = {
      register: ({ name, supportedVersions, socketPath }) =>
        devices.register({ resource: name, versions: supportedVersions, socketPath }),
      unregister: (name) => devices.unregister(name),
    };
    const handlers = new Map([
      ["DevicePlugin", deviceHandler],
      ["CSIPlugin", storage],
      ["DRAPlugin", claims],
    ]);
    this.#registry = new PluginRegistry({ ...options, directory: paths.pluginsRegistry, handlers });
  }

  /** Fails with StartError where a socket cannot be made. */
  async start(): Promise<void> {
    try {
      await this.#listen();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new StartError(`--root-dir: cannot listen below ${this.#options.paths.rootDir}: ${why}`);
    }
    this.#registry.start();
  }

  async stop(): Promise<void> {
    this.#registry.close();
    this.#podResources?.close();
    await this.#options.devices.stop();
  }

  async #listen(): Promise<void> {
    const { devices, cpus, memory, claims, pods, gates, paths } = this.#options;
    const tellsClaims = gates.enabled("KubeletPodResourcesDynamicResources");
    await devices.start();
    const procedures = podResourcesAnswers({
      pods,
      allocationsOf: (podUid, container) => devices.allocationsOf(podUid, container),
      topologyOf: (resource, deviceId) => devices.topologyOf(resource, deviceId),
      healthy: () => devices.healthy(),
      cpusOf: (podUid, container) => cpus.exclusiveOf(podUid, container),
      allocatableCpus: () => cpus.allocatable(),
      memoryOf: (podUid, container) => memory.blocksOf(podUid, container),
      allocatableMemory: () => memory.allocatable(),
      claimsOf: (pod, container) => (tellsClaims ? claims.preparedFor(pod, container) : []),
      listsActiveOnly: gates.enabled("KubeletPodResourcesListUseActivePods"),
      offersGet: gates.enabled("KubeletPodResourcesGet"),
    });
    this.#podResources = await GrpcServer.listen(join(paths.podResources, "nodeagent.sock"), procedures);
  }
}
