// Messages of the container runtime interface, v1: what containers and sandboxes use.

import { message, p, type Read } from "../grpc/message.ts";
import { containerMetadata, podSandboxMetadata } from "./identity-messages.ts";
import { filesystemUsage } from "./image-messages.ts";
import { uint64Value } from "./security-messages.ts";

export type ContainerStats = Read<typeof containerStats>;
export type PodSandboxStats = Read<typeof podSandboxStats>;
export type CpuUsage = Read<typeof cpuUsage>;
export type MemoryUsage = Read<typeof memoryUsage>;
export type PsiStats = Read<typeof psiStats>;

const psiData = message({ total: p.uint64(1), avg10: p.double(2), avg60: p.double(3), avg300: p.double(4) });
const psiStats = message({ full: p.message(1, psiData), some: p.message(2, psiData) });

const cpuUsage = message({
  timestamp: p.int64(1),
  usageCoreNanoSeconds: p.message(2, uint64Value),
  usageNanoCores: p.message(3, uint64Value),
  psi: p.message(4, psiStats),
});

const memoryUsage = message({
  timestamp: p.int64(1),
  workingSetBytes: p.message(2, uint64Value),
  availableBytes: p.message(3, uint64Value),
  usageBytes: p.message(4, uint64Value),
  rssBytes: p.message(5, uint64Value),
  pageFaults: p.message(6, uint64Value),
  majorPageFaults: p.message(7, uint64Value),
  psi: p.message(8, psiStats),
});

const swapUsage = message({
  timestamp: p.int64(1),
  swapAvailableBytes: p.message(2, uint64Value),
  swapUsageBytes: p.message(3, uint64Value),
});

const containerStats = message({
  attributes: p.message(
    1,
    message({
      id: p.string(1),
      metadata: p.message(2, containerMetadata),
      labels: p.map(3),
      annotations: p.map(4),
    }),
  ),
  cpu: p.message(2, cpuUsage),
  memory: p.message(3, memoryUsage),
  writableLayer: p.message(4, filesystemUsage),
  swap: p.message(5, swapUsage),
});

const interfaceUsage = message({
  name: p.string(1),
  rxBytes: p.message(2, uint64Value),
  rxErrors: p.message(3, uint64Value),
  txBytes: p.message(4, uint64Value),
  txErrors: p.message(5, uint64Value),
});

const podSandboxStats = message({
  attributes: p.message(
    1,
    message({
      id: p.string(1),
      metadata: p.message(2, podSandboxMetadata),
      labels: p.map(3),
      annotations: p.map(4),
    }),
  ),
  linux: p.message(
    2,
    message({
      cpu: p.message(1, cpuUsage),
      memory: p.message(2, memoryUsage),
      network: p.message(
        3,
        message({
          timestamp: p.int64(1),
          defaultInterface: p.message(2, interfaceUsage),
          interfaces: p.many(p.message(3, interfaceUsage)),
        }),
      ),
      process: p.message(4, message({ timestamp: p.int64(1), processCount: p.message(2, uint64Value) })),
      containers: p.many(p.message(5, containerStats)),
    }),
  ),
});

const containerStatsFilter = message({ id: p.string(1), podSandboxId: p.string(2), labelSelector: p.map(3) });
const podSandboxStatsFilter = message({ id: p.string(1), labelSelector: p.map(2) });

export const containerStatsResponse = message({ stats: p.message(1, containerStats) });
export const listContainerStatsRequest = message({ filter: p.message(1, containerStatsFilter) });
export const listContainerStatsResponse = message({ stats: p.many(p.message(1, containerStats)) });
export const podSandboxStatsResponse = message({ stats: p.message(1, podSandboxStats) });
export const listPodSandboxStatsRequest = message({ filter: p.message(1, podSandboxStatsFilter) });
export const listPodSandboxStatsResponse = message({ stats: p.many(p.message(1, podSandboxStats)) });
