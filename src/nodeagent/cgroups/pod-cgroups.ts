// The control groups of pods: made as the node's settings and the pods ask for it, and named to the runtime. With the
// systemd driver systemd makes them.

import type { FeatureGates } from "../../base/feature-gates.ts";
import type { Log } from "../../base/log.ts";
import { StartError } from "../../base/start-error.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { GateName } from "../../options/feature-gate-table.ts";
import type { NodeAgentConfiguration } from "../config/configuration.ts";
import { bytesOf } from "../containers/linux-resources.ts";
import { type CriClient, isGrpcError } from "../cri/cri-client.ts";
import type { MachineFacts } from "../node/machine.ts";
import type { NodeEvent } from "../node/node-events.ts";
import { nodeResources } from "../node/resources.ts";
import {
  ALL_PODS,
  BEST_EFFORT,
  BURSTABLE,
  type CgroupDriver,
  type CgroupName,
  cgroupNameOf,
  cgroupPath,
  podCgroup,
  possibleCgroups,
} from "./cgroup-names.ts";
import {
  allPodsSettings,
  BEST_EFFORT_SETTINGS,
  burstableSettings,
  type CgroupSettings,
  classLimits,
  memoryOf,
  type PodCgroupRules,
  podSettings,
  reservedSettings,
} from "./cgroup-settings.ts";
import type { Cgroups } from "./cgroup-tree.ts";

interface PodCgroupsOptions {
  readonly config: NodeAgentConfiguration;
  readonly gates: FeatureGates<GateName>;
  readonly cri: Pick<CriClient, "runtimeConfig">;
  readonly cgroups: Cgroups;
  /** Those of systemd; undefined on a machine without it. */
  readonly slices: Cgroups | undefined;
  readonly cgroupVersion: 1 | 2;
  /** Sizes of huge pages that control groups can limit. */
  readonly hugePageSizes: readonly string[];
  readonly isKernelThread: (pid: number) => Promise<boolean>;
  readonly log: Log;
  /** The runtime does not say which driver of control groups it has. */
  readonly onSilentRuntime?: () => void;
}

export class PodCgroups {
  readonly #options: PodCgroupsOptions;
  readonly #root: CgroupName;
  readonly #rules: PodCgroupRules;
  #driver: CgroupDriver;
  #groups: Cgroups;
  #mayWrite = false;
  #allPods: CgroupSettings = {};
  /** The memory that pods may use together. */
  #podsBytes = 0;
  readonly #reports: NodeEvent[] = [];

  constructor(options: PodCgroupsOptions) {
    this.#options = options;
    const { config, gates, cgroupVersion } = options;
    this.#driver = config.cgroupDriver;
    this.#groups = options.cgroups;
    this.#root = cgroupNameOf(config.cgroupRoot ?? "/");
    this.#rules = {
      limitsCpu: config.cpuCFSQuota,
      cpuPeriodUs: config.cpuCFSQuotaPeriodMs * 1000,
      podPidsLimit: config.podPidsLimit,
      keepsMemory: gates.enabled("MemoryQoS") && cgroupVersion === 2,
      hugePageSizes: options.hugePageSizes,
    };
  }

  /** Makes the groups of all pods, and holds the system to what is reserved for it. Fails with StartError. */
  async start(machine: MachineFacts): Promise<void> {
    const { config, log } = this.#options;
    await this.#joinOwn();
    await this.#moveSystem();
    await this.#holdReserved();
    if (!config.cgroupsPerQOS) return;
    this.#driver = await this.#askDriver();
    if (this.#driver === "systemd") {
      if (!this.#mayUseSystemd()) return;
      this.#groups = this.#options.slices ?? this.#groups;
    }
    // What eviction keeps free is still the pods': they are evicted before they reach it.
    const { allocatable } = nodeResources(machine, { ...config, evictionHard: {} });
    this.#podsBytes = bytesOf(allocatable["memory"]);
    this.#allPods = allPodsSettings(allocatable, config.enforceNodeAllocatable.includes("pods"));
    try {
      await this.#groups.ensure(this.#pathOf(ALL_PODS), this.#allPods);
      await this.#groups.ensure(this.#pathOf(BURSTABLE), BEST_EFFORT_SETTINGS);
      await this.#groups.ensure(this.#pathOf(BEST_EFFORT), BEST_EFFORT_SETTINGS);
      this.#mayWrite = true;
      this.#enforced("Updated Node Allocatable limit across pods");
    } catch (error) {
      const message = `Failed to update Node Allocatable Limits: ${(error as Error).message}`;
      this.#reports.push({ type: "Warning", reason: "FailedNodeAllocatableEnforcement", message });
      // Without the right to (not root, a read-only tree) pods still run, each held to its own limits by the runtime.
      log.warn({ err: error }, "control groups of pods cannot be made: what pods may use together is not enforced");
    }
  }

  /** What became of the limits that were asked for, as events of the node. */
  reports(): readonly NodeEvent[] {
    return this.#reports;
  }

  #enforced(message: string): void {
    this.#reports.push({ type: "Normal", reason: "NodeAllocatableEnforced", message });
  }

  /** As the runtime is told; empty where it chooses itself. */
  parentOf(pod: Pod): string {
    const isNamed = this.#mayWrite || (this.#options.config.cgroupsPerQOS && this.#driver === "systemd");
    return isNamed ? this.#pathOf(podCgroup(pod)) : "";
  }

  /** Before anything of the pod is made. Fails with what the kernel says. */
  async ensure(pod: Pod): Promise<void> {
    if (!this.#mayWrite) return;
    await this.#groups.ensure(this.#pathOf(podCgroup(pod)), podSettings(pod, this.#rules));
  }

  /** Once nothing of the pod is left. */
  async remove(uid: string): Promise<void> {
    if (!this.#mayWrite) return;
    for (const name of possibleCgroups(uid)) await this.#groups.remove(this.#pathOf(name));
  }

  /** Tells the classes of service what their pods ask for together. */
  async share(pods: readonly Pod[]): Promise<void> {
    if (!this.#mayWrite) return;
    const cgroups = this.#groups;
    const { keepsMemory } = this.#rules;
    const limits = this.#classLimits(pods);
    await cgroups.ensure(this.#pathOf(BURSTABLE), {
      ...burstableSettings(pods, keepsMemory),
      ...(limits === undefined ? {} : { memoryBytes: limits.burstable }),
    });
    if (limits !== undefined)
      await cgroups.ensure(this.#pathOf(BEST_EFFORT), { ...BEST_EFFORT_SETTINGS, memoryBytes: limits.bestEffort });
    if (keepsMemory) await cgroups.ensure(this.#pathOf(ALL_PODS), { ...this.#allPods, minMemoryBytes: memoryOf(pods) });
  }

  /** What is left of the memory that pods may use together; undefined where that is not enforced. */
  async memoryLeft(): Promise<{ readonly available: number; readonly capacity: number } | undefined> {
    if (!this.#mayWrite || this.#allPods.memoryBytes === undefined) return undefined;
    const memory = await this.#groups.memory(this.#pathOf(ALL_PODS));
    if (memory === undefined) return undefined;
    return { available: Math.max(memory.limitBytes - memory.usedBytes, 0), capacity: memory.limitBytes };
  }

  /** Undefined where classes are not held back for others (`qosReserved`). */
  #classLimits(pods: readonly Pod[]): ReturnType<typeof classLimits> | undefined {
    const { config, gates } = this.#options;
    const percent = Number.parseInt(config.qosReserved["memory"] ?? "", 10);
    if (!gates.enabled("QOSReserved") || Number.isNaN(percent)) return undefined;
    return classLimits(pods, this.#podsBytes, percent / 100);
  }

  /** Who asks for systemd where there is none has made a mistake; a runtime that does so is left to it. */
  #mayUseSystemd(): boolean {
    const { config, slices, log } = this.#options;
    if (slices !== undefined) return true;
    if (config.cgroupDriver === "systemd")
      throw new StartError(
        "cgroupDriver: systemd does not run on this machine, so that it cannot make control groups: use cgroupfs, in the container runtime too",
      );
    log.warn(
      {},
      "the runtime wants control groups of systemd, which does not run: pods are held to their own limits only",
    );
    return false;
  }

  #pathOf(name: CgroupName): string {
    return cgroupPath(name, this.#driver, this.#root);
  }

  /** The runtime knows best; one that does not say is taken to do as the configuration says. */
  async #askDriver(): Promise<CgroupDriver> {
    const { config, gates, cri, log, onSilentRuntime } = this.#options;
    if (!gates.enabled("KubeletCgroupDriverFromCRI")) return config.cgroupDriver;
    const answer = await cri.runtimeConfig({}).catch((error: unknown) => {
      if (isGrpcError(error, "Unimplemented")) onSilentRuntime?.();
      return undefined;
    });
    if (answer?.linux === undefined) return config.cgroupDriver;
    const driver = answer.linux.cgroupDriver === "SYSTEMD" ? "systemd" : "cgroupfs";
    if (driver !== config.cgroupDriver)
      log.info({ driver, configured: config.cgroupDriver }, "the runtime's own driver of control groups is used");
    return driver;
  }

  async #joinOwn(): Promise<void> {
    const { config, cgroups } = this.#options;
    if (!config.kubeletCgroups) return;
    await cgroups.join(config.kubeletCgroups, process.pid).catch((error: Error) => {
      throw new StartError(`kubeletCgroups: cannot move the agent to ${config.kubeletCgroups}: ${error.message}`);
    });
  }

  /** Processes of the system that stand in no group get one, so that they can be held to it (`systemCgroups`). */
  async #moveSystem(): Promise<void> {
    const { config, cgroups, isKernelThread, log } = this.#options;
    if (!config.systemCgroups) return;
    for (const pid of await cgroups.rootProcesses()) {
      // The first process and the kernel's own stay where they are.
      if (pid === 1 || (await isKernelThread(pid))) continue;
      await cgroups
        .join(config.systemCgroups, pid)
        .catch((error: unknown) => log.warn({ err: error, pid }, "systemCgroups: a process cannot be moved"));
    }
  }

  async #holdReserved(): Promise<void> {
    const { config, cgroups } = this.#options;
    const groups = [
      { kind: "system-reserved", field: "systemReservedCgroup", reserved: config.systemReserved },
      { kind: "kube-reserved", field: "kubeReservedCgroup", reserved: config.kubeReserved },
    ] as const;
    for (const { kind, field, reserved } of groups) {
      const onlyCpu = config.enforceNodeAllocatable.includes(`${kind}-compressible`);
      if (!onlyCpu && !config.enforceNodeAllocatable.includes(kind)) continue;
      const path = cgroupPath(cgroupNameOf(config[field] ?? ""), this.#driver, []);
      if (!(await cgroups.exists(path))) throw new StartError(`${field}: there is no control group ${path}`);
      await cgroups.ensure(path, reservedSettings(reserved, { onlyCpu })).catch((error: Error) => {
        throw new StartError(`${field}: ${error.message}`);
      });
      this.#enforced(`Updated limits on ${kind.replace("-", " ")} cgroup ${config[field]}`);
    }
  }
}
