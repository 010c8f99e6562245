// What the kernel is told of a container's requests and limits. Requirements: document 3, "Swap behaviour".

import type { Container } from "../../kinds/core/pod/container.ts";
import { qosClassOf } from "../../kinds/core/pod/resources.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { parseQuantity, quantityToInteger, roundQuantityUp } from "../../meta/quantity.ts";
import { cgroupPageSize } from "../node/page-size.ts";

export interface NodeResources {
  readonly memoryBytes: number;
  readonly swapBytes: number;
  readonly cgroupVersion: 1 | 2;
  /** Whether the kernel can limit swap. */
  readonly swapController: boolean;
  readonly swapBehavior: "NoSwap" | "LimitedSwap";
  /** Whether limits of processors are enforced at all (`cpuCFSQuota`), and over which time. */
  readonly limitsCpu: boolean;
  readonly cpuPeriodUs: number;
  /** Whether the kernel ends all processes of a container that runs out of memory, and not one of them (cgroup v2). */
  readonly endsTogether?: boolean;
  /** Sizes of huge pages that the kernel can limit, as resources spell them: "2Mi". */
  readonly hugePageSizes?: readonly string[];
  /** Where memory that was asked for is kept, and use beyond it slowed (gate MemoryQoS, cgroup v2). */
  readonly memoryQos?: MemoryQos | undefined;
}

interface MemoryQos {
  /** From which part of the way between request and limit on a container is slowed. */
  readonly throttlingFactor: number;
  /** Stands for the limit of a container without one. */
  readonly allocatableBytes: number;
}

export interface LinuxResources {
  readonly cpuPeriod: number;
  readonly cpuQuota: number;
  readonly cpuShares: number;
  readonly memoryLimitInBytes: number;
  readonly oomScoreAdj: number;
  readonly cpusetCpus?: string;
  readonly cpusetMems?: string;
  readonly memorySwapLimitInBytes?: number;
  readonly hugepageLimits?: readonly { readonly pageSize: string; readonly limit: number }[];
  readonly unified?: Readonly<Record<string, string>>;
}

export function linuxResources(pod: Pod, container: Pick<Container, "resources">, node: NodeResources): LinuxResources {
  const { limits = {}, requests = {} } = container.resources ?? {};
  const cpuLimit = milliOf(limits["cpu"]);
  const memoryLimit = bytesOf(limits["memory"]);
  const memoryRequest = requests["memory"] === undefined ? memoryLimit : bytesOf(requests["memory"]);
  return {
    cpuPeriod: node.limitsCpu ? node.cpuPeriodUs : 0,
    cpuQuota: node.limitsCpu ? quotaOf(cpuLimit, node.cpuPeriodUs) : 0,
    cpuShares: sharesOf(requests["cpu"] === undefined ? cpuLimit : milliOf(requests["cpu"])),
    memoryLimitInBytes: memoryLimit,
    oomScoreAdj: oomScoreAdjustment(pod, memoryRequest, node.memoryBytes),
    ...hugePagesOf(limits, node.hugePageSizes ?? []),
    ...withUnified(swapOf(swapBytesOf(pod, memoryRequest, memoryLimit, node), memoryLimit, node), {
      ...(node.endsTogether ? { "memory.oom.group": "1" } : {}),
      ...memoryQosOf(bytesOf(requests["memory"]), memoryLimit, node),
    }),
  };
}

/** Of every size that there is: who asks for none gets none. */
function hugePagesOf(
  limits: Readonly<Record<string, string>>,
  sizes: readonly string[],
): Pick<LinuxResources, "hugepageLimits"> {
  if (sizes.length === 0) return {};
  const hugepageLimits = sizes.map((size) => ({
    pageSize: cgroupPageSize(size),
    limit: bytesOf(limits[`hugepages-${size}`]),
  }));
  return { hugepageLimits };
}

/** Microseconds of each period that a limit in thousandths of a core is; 0 without a limit. */
export function quotaOf(milliCpu: number, periodUs: number): number {
  return milliCpu === 0 ? 0 : Math.max(Math.floor((milliCpu * periodUs) / 1000), MIN_CPU_QUOTA_US);
}

/** CPU shares of a request in thousandths of a core. */
export function sharesOf(milliCpu: number): number {
  if (milliCpu === 0) return MIN_SHARES;
  return Math.min(Math.max(Math.floor((milliCpu * 1024) / 1000), MIN_SHARES), MAX_SHARES);
}

/** The amount in thousandths, rounded up; 0 when there is none. */
export function milliOf(amount: string | undefined): number {
  const quantity = parseQuantity(amount ?? "0");
  if (quantity === undefined) return 0;
  const { value, scale } = roundQuantityUp(quantity, -3);
  return Number(value * 10n ** BigInt(scale + 3));
}

export function bytesOf(amount: string | undefined): number {
  const quantity = parseQuantity(amount ?? "0");
  return quantity === undefined ? 0 : Number(quantityToInteger(quantity));
}

const MIN_CPU_QUOTA_US = 1_000;
const MIN_SHARES = 2;
const MAX_SHARES = 262_144;

const GUARANTEED_SCORE = -997;
const BEST_EFFORT_SCORE = 1000;
/** Priorities from here on belong to the node's own pods. */
const NODE_CRITICAL_PRIORITY = 2_000_001_000;
const CRITICAL_PRIORITY = 2_000_000_000;

/** The higher, the sooner the kernel ends the container when memory is short. */
function oomScoreAdjustment(pod: Pod, memoryRequest: number, memoryBytes: number): number {
  if ((pod.spec.priority ?? 0) >= NODE_CRITICAL_PRIORITY) return GUARANTEED_SCORE;
  const qos = qosClassOf(pod.spec);
  if (qos === "Guaranteed") return GUARANTEED_SCORE;
  if (qos === "BestEffort") return BEST_EFFORT_SCORE;
  const score = 1000 - Math.floor((1000 * memoryRequest) / memoryBytes);
  // Between the two others, whatever is asked for.
  return Math.min(Math.max(score, 1000 + GUARANTEED_SCORE), BEST_EFFORT_SCORE - 1);
}

/**
 * How much swap the container may use: in proportion to the memory it asks for, and only where its class of service lets
 * it have more than it asked for.
 */
function swapBytesOf(pod: Pod, memoryRequest: number, memoryLimit: number, node: NodeResources): number {
  if (node.swapBehavior !== "LimitedSwap" || node.cgroupVersion !== 2) return 0;
  if ((pod.spec.priority ?? 0) >= CRITICAL_PRIORITY || qosClassOf(pod.spec) !== "Burstable") return 0;
  if (memoryRequest === 0 || memoryRequest === memoryLimit) return 0;
  return Math.floor((memoryRequest / node.memoryBytes) * node.swapBytes);
}

const PAGE_BYTES = 4_096;

function memoryQosOf(request: number, limit: number, { memoryQos }: NodeResources): Readonly<Record<string, string>> {
  if (memoryQos === undefined) return {};
  const most = limit === 0 ? memoryQos.allocatableBytes : limit;
  const high = request + memoryQos.throttlingFactor * (most - request);
  return {
    ...(request > 0 ? { "memory.min": String(request) } : {}),
    // Where both are the same there is nothing between them to slow down in.
    ...(request !== most && high > request
      ? { "memory.high": String(Math.floor(high / PAGE_BYTES) * PAGE_BYTES) }
      : {}),
  };
}

function withUnified(
  swap: Pick<LinuxResources, "memorySwapLimitInBytes" | "unified">,
  memory: Readonly<Record<string, string>>,
): Pick<LinuxResources, "memorySwapLimitInBytes" | "unified"> {
  const unified = { ...swap.unified, ...memory };
  return { ...swap, ...(Object.keys(unified).length === 0 ? {} : { unified }) };
}

function swapOf(
  swapBytes: number,
  memoryLimit: number,
  { cgroupVersion, swapController }: NodeResources,
): Pick<LinuxResources, "memorySwapLimitInBytes" | "unified"> {
  if (!swapController) return {};
  return {
    // The two together; without a limit for memory there is none for both.
    ...(memoryLimit === 0 ? {} : { memorySwapLimitInBytes: memoryLimit + swapBytes }),
    ...(cgroupVersion === 2 ? { unified: { "memory.swap.max": String(swapBytes) } } : {}),
  };
}
