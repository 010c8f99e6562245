// What a control group is told: shares and limits of a pod, of a class of service, of all pods; and in which files the
// two versions of control groups take it. Pure.

import { podLimits, podRequests, qosClassOf } from "../../kinds/core/pod/resources.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { formatQuantity } from "../../meta/quantity.ts";
import { bytesOf, milliOf, quotaOf, sharesOf } from "../containers/linux-resources.ts";
import { cgroupPageSize } from "../node/page-size.ts";

export interface CgroupSettings {
  readonly cpuShares?: number;
  /** Microseconds of each period; 0 is no limit. */
  readonly cpuQuotaUs?: number;
  readonly cpuPeriodUs?: number;
  readonly memoryBytes?: number;
  /** What is not taken back from the group, whatever others need. Version 2 alone. */
  readonly minMemoryBytes?: number;
  readonly maxProcesses?: number;
  /** Bytes by the size of the page: "2Mi". */
  readonly hugePages?: Readonly<Record<string, number>>;
}

export interface PodCgroupRules {
  readonly limitsCpu: boolean;
  readonly cpuPeriodUs: number;
  /** Of one pod; not more than 0 is no limit. */
  readonly podPidsLimit: number;
  /** Whether memory that was asked for is kept for who asked (gate MemoryQoS). */
  readonly keepsMemory: boolean;
  /** Sizes of huge pages that can be limited. */
  readonly hugePageSizes: readonly string[];
}

/** A resource is limited for the whole pod where each of its containers is. */
export function podSettings(pod: Pod, rules: PodCgroupRules): CgroupSettings {
  const { spec } = pod;
  const [requests, limits] = [podRequests(spec), podLimits(spec)];
  const asked = (name: string) => asText(requests.get(name));
  const isLimited = (name: string) => spec.resources?.limits?.[name] !== undefined || everyContainerLimits(pod, name);
  const limit = (name: string) => (isLimited(name) ? asText(limits.get(name)) : undefined);
  const hugePages = rules.hugePageSizes.map(
    (size) => [size, bytesOf(asText(limits.get(`hugepages-${size}`)))] as const,
  );
  const others = {
    ...(rules.podPidsLimit > 0 ? { maxProcesses: rules.podPidsLimit } : {}),
    ...(hugePages.length === 0 ? {} : { hugePages: Object.fromEntries(hugePages) }),
  };
  if (qosClassOf(spec) === "BestEffort") return { cpuShares: sharesOf(0), ...others };
  const [cpu, memory] = [limit("cpu"), limit("memory")];
  return {
    cpuShares: sharesOf(milliOf(asked("cpu") ?? cpu)),
    cpuPeriodUs: rules.cpuPeriodUs,
    cpuQuotaUs: rules.limitsCpu && cpu !== undefined ? quotaOf(milliOf(cpu), rules.cpuPeriodUs) : 0,
    ...(memory === undefined ? {} : { memoryBytes: bytesOf(memory) }),
    ...(rules.keepsMemory ? { minMemoryBytes: bytesOf(asked("memory")) } : {}),
    ...others,
  };
}

/** Of the class that may use more than it asked for: as many shares as its pods asked for together. */
export function burstableSettings(pods: readonly Pod[], keepsMemory: boolean): CgroupSettings {
  const own = pods.filter(({ spec }) => qosClassOf(spec) === "Burstable");
  const milli = own.reduce((sum, { spec }) => sum + milliOf(asText(podRequests(spec).get("cpu"))), 0);
  return { cpuShares: sharesOf(milli), ...(keepsMemory ? { minMemoryBytes: memoryOf(own) } : {}) };
}

export function memoryOf(pods: readonly Pod[]): number {
  return pods.reduce((sum, { spec }) => sum + bytesOf(asText(podRequests(spec).get("memory"))), 0);
}

/**
 * What the classes may use that others must not take the memory of: all pods may use so much, without that share of what
 * pods of better classes asked for.
 */
export function classLimits(
  pods: readonly Pod[],
  allPodsBytes: number,
  share: number,
): { readonly burstable: number; readonly bestEffort: number } {
  const asked = (qos: ReturnType<typeof qosClassOf>) =>
    memoryOf(pods.filter(({ spec }) => qosClassOf(spec) === qos)) * share;
  const burstable = Math.max(Math.floor(allPodsBytes - asked("Guaranteed")), 0);
  return { burstable, bestEffort: Math.max(Math.floor(burstable - asked("Burstable")), 0) };
}

export const BEST_EFFORT_SETTINGS: CgroupSettings = { cpuShares: sharesOf(0) };

/** What pods may use together, of what the node has for them. */
export function allPodsSettings(allocatable: Readonly<Record<string, string>>, isEnforced: boolean): CgroupSettings {
  return {
    cpuShares: sharesOf(milliOf(allocatable["cpu"])),
    ...(isEnforced ? { memoryBytes: bytesOf(allocatable["memory"]) } : {}),
  };
}

/** What the system or the agent itself is held to, where that is asked for. */
export function reservedSettings(
  reserved: Readonly<Record<string, string>>,
  { onlyCpu }: { readonly onlyCpu: boolean },
): CgroupSettings {
  const has = (name: string) => Object.hasOwn(reserved, name);
  return {
    ...(has("cpu") ? { cpuShares: sharesOf(milliOf(reserved["cpu"])) } : {}),
    ...(has("memory") && !onlyCpu ? { memoryBytes: bytesOf(reserved["memory"]) } : {}),
    ...(has("pid") && !onlyCpu ? { maxProcesses: bytesOf(reserved["pid"]) } : {}),
  };
}

interface CgroupFile {
  readonly controller: "cpu" | "memory" | "pids" | "hugetlb";
  readonly file: string;
  readonly value: string;
}

export function cgroupFiles(version: 1 | 2, settings: CgroupSettings): CgroupFile[] {
  const { cpuShares, cpuQuotaUs, cpuPeriodUs, memoryBytes, minMemoryBytes, maxProcesses, hugePages = {} } = settings;
  const files: (CgroupFile | undefined)[] =
    version === 1
      ? [
          fileOf("cpu", "cpu.shares", cpuShares),
          fileOf("cpu", "cpu.cfs_period_us", cpuPeriodUs),
          fileOf("cpu", "cpu.cfs_quota_us", cpuQuotaUs === 0 ? -1 : cpuQuotaUs),
          fileOf("memory", "memory.limit_in_bytes", memoryBytes),
        ]
      : [
          fileOf("cpu", "cpu.weight", cpuShares === undefined ? undefined : weightOf(cpuShares)),
          fileOf("cpu", "cpu.max", cpuPeriodUs === undefined ? undefined : `${cpuQuotaUs || "max"} ${cpuPeriodUs}`),
          fileOf("memory", "memory.max", memoryBytes),
          fileOf("memory", "memory.min", minMemoryBytes),
        ];
  const pages = Object.entries(hugePages).map(([size, bytes]) =>
    fileOf("hugetlb", `hugetlb.${cgroupPageSize(size)}.${version === 1 ? "limit_in_bytes" : "max"}`, bytes),
  );
  return [...files, fileOf("pids", "pids.max", maxProcesses), ...pages].filter((file) => file !== undefined);
}

function fileOf(controller: CgroupFile["controller"], file: string, value: number | string | undefined) {
  return value === undefined ? undefined : { controller, file, value: String(value) };
}

/** From shares, 2 to 262144, to weights, 1 to 10000. */
export function weightOf(shares: number): number {
  return 1 + Math.floor(((shares - 2) * 9_999) / 262_142);
}

function everyContainerLimits({ spec }: Pod, name: string): boolean {
  const all = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  return all.every(({ resources }) => milliOf(resources.limits?.[name]) > 0);
}

function asText(quantity: Parameters<typeof formatQuantity>[0] | undefined): string | undefined {
  return quantity === undefined ? undefined : formatQuantity(quantity);
}
