// What pods use of memory, processes and local disks: what the runtime tells, with logs and volumes measured besides.

import { join } from "node:path";
import type { Pod } from "../../kinds/core/pod.ts";
import { podLogDirectory } from "../containers/runtime-names.ts";
import type { CriClient } from "../cri/cri-client.ts";
import type { ContainerStats } from "../cri/stats-messages.ts";
import type { ReadyVolume } from "../volumes/pod-volumes.ts";
import { askRuntime, type RuntimeStats } from "./ask-runtime.ts";
import { type DiskUsage, diskUsage, NO_USAGE } from "./disk-usage.ts";
import { type Measuring, measureVolumes, type VolumeUsage } from "./volume-usage.ts";

export interface PodUsage {
  readonly memoryBytes: number;
  readonly processes: number;
  readonly containers: ReadonlyMap<string, ContainerUsage>;
  /** Of its volumes that are the node's own, by name. */
  readonly volumes: ReadonlyMap<string, DiskUsage>;
}

export interface ContainerUsage {
  readonly memoryBytes: number;
  readonly root: DiskUsage;
  readonly logs: DiskUsage;
}

interface PodUsageOptions extends Measuring {
  readonly cri: Pick<CriClient, "listPodSandboxStats" | "listContainerStats">;
  readonly podLogsDir: string;
  /** Those that were made for a pod, by name. */
  readonly volumesOf: (uid: string) => ReadonlyMap<string, ReadyVolume>;
  /** The label by which containers name their pod. */
  readonly podUidLabel: string;
  /** How long a measurement of volumes is good for: it looks at every file. */
  readonly volumesEveryMs: number;
}

interface MeasuredVolumes {
  readonly atMs: number;
  readonly volumes: ReadonlyMap<string, VolumeUsage>;
}

export class PodUsageReader {
  readonly #options: PodUsageOptions;
  readonly #volumes = new Map<string, MeasuredVolumes>();

  constructor(options: PodUsageOptions) {
    this.#options = options;
  }

  /** By uid. A pod that the runtime tells nothing of is missing. */
  async of(pods: readonly Pod[]): Promise<Map<string, PodUsage>> {
    const { cri, podUidLabel } = this.#options;
    const told = toldOf(await askRuntime(cri), podUidLabel);
    const found = new Map<string, PodUsage>();
    for (const pod of pods) {
      const uid = pod.metadata.uid ?? "";
      const stats = told.get(uid);
      if (stats === undefined) continue;
      const containers = new Map<string, ContainerUsage>();
      for (const { attributes, memory, writableLayer } of stats.containers) {
        const name = attributes?.metadata?.name ?? "";
        containers.set(name, {
          memoryBytes: memory?.workingSetBytes?.value ?? 0,
          root: { bytes: writableLayer?.usedBytes?.value ?? 0, inodes: writableLayer?.inodesUsed?.value ?? 0 },
          logs: await diskUsage(join(podLogDirectory(this.#options.podLogsDir, pod), name)),
        });
      }
      const sum = [...containers.values()].reduce((total, each) => total + each.memoryBytes, 0);
      const memoryBytes = stats.memoryBytes ?? sum;
      found.set(uid, {
        memoryBytes,
        processes: stats.processes,
        containers,
        volumes: await this.#measured(uid, "own"),
      });
    }
    return found;
  }

  /** Of the pod's volumes on this node, by name. */
  async volumes(uid: string): Promise<ReadonlyMap<string, VolumeUsage>> {
    return await this.#measured(uid, "all");
  }

  forget(uid: string): void {
    for (const which of ["own", "all"] as const) this.#volumes.delete(`${which}/${uid}`);
  }

  /** Volumes of others may keep one waiting: who has to decide soon asks for the node's own alone. */
  async #measured(uid: string, which: "own" | "all"): Promise<ReadonlyMap<string, VolumeUsage>> {
    const { clock, volumesEveryMs, volumesOf } = this.#options;
    const key = `${which}/${uid}`;
    const known = this.#volumes.get(key);
    if (known !== undefined && clock.monotonicMs() - known.atMs < volumesEveryMs) return known.volumes;
    const made = volumesOf(uid);
    const asked = which === "all" ? made : new Map([...made].filter(([, each]) => isOwn(each)));
    const volumes = await measureVolumes(asked, this.#options);
    // A pod that is being started has none yet: it will soon.
    if (made.size > 0) this.#volumes.set(key, { atMs: clock.monotonicMs(), volumes });
    return volumes;
  }
}

function isOwn({ claim, measure, isRemote = false }: ReadyVolume): boolean {
  return claim === undefined && measure === undefined && !isRemote;
}

interface Told {
  readonly memoryBytes: number | undefined;
  readonly processes: number;
  readonly containers: ContainerStats[];
}

function toldOf({ sandboxes, containers }: RuntimeStats, podUidLabel: string): Map<string, Told> {
  const told = new Map<string, Told>();
  for (const { attributes, linux } of sandboxes) {
    const memoryBytes = linux?.memory?.workingSetBytes?.value;
    const processes = linux?.process?.processCount?.value ?? 0;
    told.set(attributes?.metadata?.uid ?? "", { memoryBytes, processes, containers: [...(linux?.containers ?? [])] });
  }
  const complete = new Set([...told].filter(([, each]) => each.containers.length > 0).map(([uid]) => uid));
  for (const container of containers) {
    const uid = container.attributes?.labels[podUidLabel];
    if (uid === undefined || complete.has(uid)) continue;
    const known = told.get(uid) ?? { memoryBytes: undefined, processes: 0, containers: [] };
    known.containers.push(container);
    told.set(uid, known);
  }
  return told;
}

/** Which parts of what a pod holds on disks are asked for. */
export interface DiskParts {
  readonly root: boolean;
  readonly logs: boolean;
  readonly volumes: boolean;
}

/** What the pod holds on local disks; volumes in memory and those of others are not there. Pure. */
export function podDiskUsage({ spec }: Pod, { containers, volumes }: PodUsage, parts: DiskParts): DiskUsage {
  let sum = NO_USAGE;
  for (const { root, logs } of containers.values())
    sum = plus(plus(sum, parts.root ? root : NO_USAGE), parts.logs ? logs : NO_USAGE);
  if (!parts.volumes) return sum;
  for (const { name, emptyDir, configMap, downwardAPI } of spec.volumes ?? []) {
    const isOnDisk = (emptyDir && emptyDir.medium !== "Memory") || configMap || downwardAPI;
    if (isOnDisk) sum = plus(sum, volumes.get(name) ?? NO_USAGE);
  }
  return sum;
}

const plus = (a: DiskUsage, b: DiskUsage): DiskUsage => ({ bytes: a.bytes + b.bytes, inodes: a.inodes + b.inodes });
