// What the kernel is told of a container's requests and limits, and the runtime of its sandbox's. Requirements: document 3,
// "Swap behaviour".

import type { Container } from "../../kinds/core/pod/container.ts";
import { podLimits, podRequests, qosClassOf, sumRequests } from "../../kinds/core/pod/resources.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import {
  parseQuantity,
  type Quantity,
  quantityOfInt,
  quantityToInteger,
  roundQuantityUp,
} from "../../meta/quantity.ts";
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

type SizedContainer = Pick<Container, "name" | "resources" | "restartPolicy">;

export function linuxResources(pod: Pod, container: SizedContainer, node: NodeResources): LinuxResources {
  const { limits = {}, requests = {} } = container.resources ?? {};
  // What the pod as a whole may use bounds those of its containers that say nothing of their own.
  const wholePod = pod.spec.resources?.limits ?? {};
  const cpuLimit = milliOf(limits["cpu"]) || milliOf(wholePod["cpu"]);
  const memoryLimit = bytesOf(limits["memory"]);
  const memoryRequest = requests["memory"] === undefined ? memoryLimit : bytesOf(requests["memory"]);
  const memoryMaximum = memoryLimit || bytesOf(wholePod["memory"]);
  const cpuRequest = requests["cpu"] === undefined ? undefined : milliOf(requests["cpu"]);
  return {
    ...amountsOf({ cpuRequest, cpuLimit, memoryLimit: memoryMaximum }, node),
    oomScoreAdj: oomScoreAdjustment(pod, { container, memoryRequest, memoryBytes: node.memoryBytes }),
    ...hugePagesOf(limits, node.hugePageSizes ?? []),
    ...withUnified(swapOf(swapBytesOf(pod, memoryRequest, memoryLimit, node), memoryMaximum, node), {
      ...(node.endsTogether ? END_TOGETHER : {}),
      ...memoryQosOf(bytesOf(requests["memory"]), memoryLimit, node),
    }),
  };
}

type Amounts = Pick<LinuxResources, "cpuPeriod" | "cpuQuota" | "cpuShares" | "memoryLimitInBytes">;

interface Asked {
  /** In thousandths; undefined where nothing is asked for, so that the limit counts. */
  readonly cpuRequest: number | undefined;
  readonly cpuLimit: number;
  readonly memoryLimit: number;
}

function amountsOf({ cpuRequest, cpuLimit, memoryLimit }: Asked, { limitsCpu, cpuPeriodUs }: NodeResources): Amounts {
  return {
    cpuPeriod: limitsCpu ? cpuPeriodUs : 0,
    cpuQuota: limitsCpu ? quotaOf(cpuLimit, cpuPeriodUs) : 0,
    cpuShares: sharesOf(cpuRequest ?? cpuLimit),
    memoryLimitInBytes: memoryLimit,
  };
}

export interface SandboxResources {
  readonly resources: Amounts & Pick<LinuxResources, "unified">;
  /** What the pod costs beside its containers; nothing where its class says nothing. */
  readonly overhead: Partial<Amounts> & Pick<LinuxResources, "unified">;
}

/** Of all containers together: runtimes that run a pod in a machine of its own make it as large. */
export function sandboxResources({ spec }: Pod, node: NodeResources): SandboxResources {
  const own = { ...spec, overhead: {} };
  const [requests, limits] = [podRequests(own), podLimits(own)];
  const together = node.endsTogether ? { unified: END_TOGETHER } : {};
  const cpuRequest = requests.get("cpu");
  const asked = {
    cpuRequest: cpuRequest && milliOfQuantity(cpuRequest),
    cpuLimit: milliOfQuantity(limits.get("cpu") ?? ZERO),
    memoryLimit: Number(quantityToInteger(limits.get("memory") ?? ZERO)),
  };
  const { overhead = {} } = spec;
  const cost = milliOf(overhead["cpu"]);
  const whole = { cpuRequest: cost, cpuLimit: cost, memoryLimit: bytesOf(overhead["memory"]) };
  return {
    resources: { ...amountsOf(asked, node), ...together },
    overhead: Object.keys(overhead).length === 0 ? {} : { ...amountsOf(whole, node), ...together },
  };
}

const END_TOGETHER = { "memory.oom.group": "1" };

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
  return quantity === undefined ? 0 : milliOfQuantity(quantity);
}

function milliOfQuantity(quantity: Quantity): number {
  const { value, scale } = roundQuantityUp(quantity, -3);
  return Number(value * 10n ** BigInt(scale + 3));
}

export function bytesOf(amount: string | undefined): number {
  const quantity = parseQuantity(amount ?? "0");
  return quantity === undefined ? 0 : Number(quantityToInteger(quantity));
}

const ZERO = quantityOfInt(0);
const MIN_CPU_QUOTA_US = 1_000;
const MIN_SHARES = 2;
const MAX_SHARES = 262_144;

const GUARANTEED_SCORE = -997;
const BEST_EFFORT_SCORE = 1000;
/** Priorities from here on belong to the node's own pods. */
const NODE_CRITICAL_PRIORITY = 2_000_001_000;
const CRITICAL_PRIORITY = 2_000_000_000;

interface Scored {
  readonly container: SizedContainer;
  readonly memoryRequest: number;
  readonly memoryBytes: number;
}

/** The higher, the sooner the kernel ends the container when memory is short. */
function oomScoreAdjustment(pod: Pod, { container, memoryRequest, memoryBytes }: Scored): number {
  if ((pod.spec.priority ?? 0) >= NODE_CRITICAL_PRIORITY) return GUARANTEED_SCORE;
  const qos = qosClassOf(pod.spec);
  if (qos === "Guaranteed") return GUARANTEED_SCORE;
  if (qos === "BestEffort") return BEST_EFFORT_SCORE;
  // One that serves the others from beside them does not go before any of them.
  const asked = Math.max(memoryRequest, staysBeside(pod, container) ? leastRequest(pod) : 0) + shareOfRest(pod);
  const score = 1000 - Math.floor((1000 * asked) / memoryBytes);
  // Between the two others, whatever is asked for.
  return Math.min(Math.max(score, 1000 + GUARANTEED_SCORE), BEST_EFFORT_SCORE - 1);
}

const staysBeside = ({ spec }: Pod, { name, restartPolicy }: SizedContainer): boolean =>
  restartPolicy === "Always" && (spec.initContainers ?? []).some((each) => each.name === name);

const leastRequest = ({ spec }: Pod): number =>
  (spec.containers ?? []).reduce(
    (least, { resources }) => Math.min(least, bytesOf(resources?.requests?.["memory"])),
    Number.POSITIVE_INFINITY,
  );

/** What the pod asks for as a whole beyond its containers, in equal parts. */
function shareOfRest({ spec }: Pod): number {
  const whole = bytesOf(spec.resources?.requests?.["memory"]);
  if (whole === 0) return 0;
  const own = Number(quantityToInteger(sumRequests(spec).get("memory") ?? ZERO));
  return Math.trunc((whole - own) / ((spec.containers ?? []).length + (spec.initContainers ?? []).length));
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
