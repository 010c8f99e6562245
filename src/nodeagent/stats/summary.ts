// The document of /stats/summary: the node, and its pods with their containers. Pure.

import { indexBy } from "../../base/index-by.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { timeOfMs } from "../../meta/time.ts";
import type { ContainerStats, CpuUsage, MemoryUsage, PodSandboxStats, PsiStats } from "../cri/stats-messages.ts";
import type { FilesystemFacts, MachineFacts } from "../node/machine.ts";
import { NO_USAGE } from "./disk-usage.ts";
import type { NodeUsage, PressureStall } from "./measure-usage.ts";
import type { VolumeUsage } from "./volume-usage.ts";

interface SummaryFacts {
  readonly nodeName: string;
  readonly machine: MachineFacts;
  readonly usage: NodeUsage;
  readonly startedAtMs: number;
  readonly pods: readonly Pod[];
  readonly sandboxes: readonly PodSandboxStats[];
  /** Of runtimes that do not tell sandboxes and containers together. */
  readonly containers: readonly ContainerStats[];
  /** By the uid of the pod, and by name. */
  readonly volumes: ReadonlyMap<string, ReadonlyMap<string, VolumeUsage>>;
}

export function summary(facts: SummaryFacts): object {
  return { node: nodeStats(facts), pods: podStats(facts) };
}

function nodeStats({ nodeName, machine, usage, startedAtMs }: SummaryFacts): object {
  const time = timeOfMs(usage.timeMs);
  const [first] = usage.network;
  return {
    nodeName,
    startTime: timeOfMs(startedAtMs),
    cpu: defined({
      time,
      usageNanoCores: usage.cpuNanoCores,
      usageCoreNanoSeconds: usage.cpuNanoseconds,
      psi: usage.pressure.cpu,
    }),
    memory: defined({
      time,
      availableBytes: machine.memoryAvailableBytes,
      usageBytes: usage.memoryUsedBytes,
      workingSetBytes: usage.memoryWorkingSetBytes,
      rssBytes: usage.memoryRssBytes,
      pageFaults: usage.pageFaults,
      majorPageFaults: usage.majorPageFaults,
      psi: usage.pressure.memory,
    }),
    ...(usage.pressure.io === undefined ? {} : { io: { time, psi: usage.pressure.io satisfies PressureStall } }),
    ...(first === undefined ? {} : { network: { time, ...first, interfaces: usage.network } }),
    fs: filesystem(time, machine.rootFilesystem),
    runtime: { imageFs: filesystem(time, machine.imageFilesystem ?? machine.rootFilesystem) },
    rlimit: { time, maxpid: machine.maxProcesses, curproc: machine.processes },
    swap: { time, swapAvailableBytes: machine.swapBytes, swapUsageBytes: 0 },
  };
}

function podStats({ pods, sandboxes, containers, volumes, machine, usage }: SummaryFacts): object[] {
  const byUid = indexBy(pods, ({ metadata }) => metadata.uid ?? "");
  return sandboxes.map(({ attributes, linux }) => {
    const { name = "", namespace = "", uid = "" } = attributes?.metadata ?? {};
    const own = linux?.containers.length
      ? linux.containers
      : containers.filter(({ attributes: each }) => sameContainerPod(each?.labels ?? {}, attributes?.labels ?? {}));
    const time = timeOfMs((linux?.cpu?.timestamp ?? 0) / 1e6);
    const network = linux?.network;
    const mounted = volumes.get(uid) ?? new Map<string, VolumeUsage>();
    return defined({
      podRef: { name, namespace, uid },
      startTime: byUid.get(uid)?.status?.startTime,
      containers: own.map(containerStats),
      cpu: cpu(linux?.cpu),
      memory: memory(linux?.memory),
      network: network?.defaultInterface && {
        time,
        name: network.defaultInterface.name,
        rxBytes: network.defaultInterface.rxBytes?.value,
        rxErrors: network.defaultInterface.rxErrors?.value,
        txBytes: network.defaultInterface.txBytes?.value,
        txErrors: network.defaultInterface.txErrors?.value,
      },
      volume: mounted.size === 0 ? undefined : volumeStats(mounted, namespace, timeOfMs(usage.timeMs)),
      "ephemeral-storage": ephemeralStorage(byUid.get(uid), mounted, own, machine, timeOfMs(usage.timeMs)),
      process_stats: linux?.process && { process_count: linux.process.processCount?.value ?? 0 },
    });
  });
}

function volumeStats(volumes: ReadonlyMap<string, VolumeUsage>, namespace: string, time: string): object[] {
  return [...volumes].map(([name, each]) =>
    defined({
      time,
      availableBytes: each.availableBytes,
      capacityBytes: each.capacityBytes,
      usedBytes: each.bytes,
      inodes: each.capacityInodes,
      inodesFree: each.freeInodes,
      inodesUsed: each.inodes,
      name,
      pvcRef: each.claim === undefined ? undefined : { name: each.claim, namespace },
    }),
  );
}

/** What the pod holds on the node's own disk: the roots of its containers, and volumes that are directories there. */
function ephemeralStorage(
  pod: Pod | undefined,
  volumes: ReadonlyMap<string, VolumeUsage>,
  containers: readonly ContainerStats[],
  { rootFilesystem }: MachineFacts,
  time: string,
): object | undefined {
  if (pod === undefined) return undefined;
  const roots = containers.map(({ writableLayer }) => ({
    bytes: writableLayer?.usedBytes?.value ?? 0,
    inodes: writableLayer?.inodesUsed?.value ?? 0,
  }));
  const local = (pod.spec.volumes ?? [])
    .filter(({ emptyDir, configMap }) => configMap ?? (emptyDir && emptyDir.medium !== "Memory"))
    .flatMap(({ name }) => volumes.get(name) ?? []);
  const sum = [...roots, ...local].reduce(
    (a, b) => ({ bytes: a.bytes + b.bytes, inodes: a.inodes + b.inodes }),
    NO_USAGE,
  );
  const { totalBytes, availableBytes, inodes, inodesFree } = rootFilesystem;
  return {
    ...{ time, availableBytes, capacityBytes: totalBytes, usedBytes: sum.bytes },
    ...{ inodes, inodesFree, inodesUsed: sum.inodes },
  };
}

function containerStats({
  attributes,
  cpu: cpuUsage,
  memory: memoryUsage,
  writableLayer,
  swap,
}: ContainerStats): object {
  return defined({
    name: attributes?.metadata?.name ?? "",
    cpu: cpu(cpuUsage),
    memory: memory(memoryUsage),
    rootfs: writableLayer && {
      time: timeOfMs(writableLayer.timestamp / 1e6),
      usedBytes: writableLayer.usedBytes?.value,
      inodesUsed: writableLayer.inodesUsed?.value,
    },
    swap: swap && {
      time: timeOfMs(swap.timestamp / 1e6),
      swapAvailableBytes: swap.swapAvailableBytes?.value,
      swapUsageBytes: swap.swapUsageBytes?.value,
    },
  });
}

function cpu(usage: CpuUsage | undefined): object | undefined {
  return (
    usage &&
    defined({
      time: timeOfMs(usage.timestamp / 1e6),
      usageNanoCores: usage.usageNanoCores?.value,
      usageCoreNanoSeconds: usage.usageCoreNanoSeconds?.value,
      psi: psi(usage.psi),
    })
  );
}

function memory(usage: MemoryUsage | undefined): object | undefined {
  return (
    usage &&
    defined({
      time: timeOfMs(usage.timestamp / 1e6),
      availableBytes: usage.availableBytes?.value,
      usageBytes: usage.usageBytes?.value,
      workingSetBytes: usage.workingSetBytes?.value,
      rssBytes: usage.rssBytes?.value,
      pageFaults: usage.pageFaults?.value,
      majorPageFaults: usage.majorPageFaults?.value,
      psi: psi(usage.psi),
    })
  );
}

const psi = (stats: PsiStats | undefined) => stats && { full: stats.full, some: stats.some };

function filesystem(time: string, { totalBytes, availableBytes, inodes, inodesFree }: FilesystemFacts): object {
  return {
    time,
    availableBytes,
    capacityBytes: totalBytes,
    usedBytes: totalBytes - availableBytes,
    inodes,
    inodesFree,
    inodesUsed: inodes - inodesFree,
  };
}

/** Labels that say which pod a container is of are the same on its sandbox. */
function sameContainerPod(
  container: Readonly<Record<string, string>>,
  sandbox: Readonly<Record<string, string>>,
): boolean {
  const keys = Object.keys(sandbox).filter((key) => key.endsWith("pod.uid"));
  return keys.length > 0 && keys.every((key) => container[key] === sandbox[key]);
}

function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
