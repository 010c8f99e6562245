// What features ask of the kernel and of tools beside it. Requirements: document 3, "Kernel requirements (Linux)". Pure.

import { type KernelVersion, kernelAtLeast } from "./kernel-version.ts";

export interface KernelFacts {
  /** As `uname -r` says it. */
  readonly release: string;
  /** Of the nft tool; undefined when it is not installed. */
  readonly nftVersion: string | undefined;
  readonly cgroupVersion: 1 | 2;
  /** Whether /proc/pressure is there. */
  readonly pressureStall: boolean;
}

export type Verdict = "ok" | "missing" | "discouraged";

export interface RequirementReport {
  readonly feature: string;
  readonly requirement: string;
  readonly verdict: Verdict;
  /** What was found, and what to do where it is not enough. */
  readonly found: string;
}

export const RECURSIVE_READ_ONLY_KERNEL: KernelVersion = [5, 12];
const NFTABLES_KERNEL: KernelVersion = [5, 13];
const NFTABLES_TOLERATED_KERNEL: KernelVersion = [5, 4];
const NFT_TOOL = [1, 0, 1] as const;

/** Features that only ask for a kernel: [feature, smallest kernel, what else is to say] */
const BY_KERNEL: readonly (readonly [feature: string, kernel: KernelVersion, note?: string])[] = [
  ["net.ipv4.ip_local_reserved_ports sysctl", [3, 16], "since 1.27"],
  ["net.ipv4.tcp_keepalive_time sysctl", [4, 5], "since 1.29"],
  ["net.ipv4.tcp_keepalive_intvl sysctl", [4, 5], "since 1.29"],
  ["net.ipv4.tcp_keepalive_probes sysctl", [4, 5], "since 1.29"],
  ["net.ipv4.tcp_fin_timeout sysctl", [4, 6], "since 1.29"],
  ["net.ipv4.tcp_syncookies sysctl", [4, 6], "namespaced since kernel 4.6"],
  ["net.ipv4.tcp_rmem sysctl", [4, 15], "since 1.32"],
  ["net.ipv4.tcp_wmem sysctl", [4, 15], "since 1.32"],
  ["net.ipv4.vs.conn_reuse_mode (ipvs proxy mode)", [4, 1]],
  ["recursive read-only mounts", RECURSIVE_READ_ONLY_KERNEL, "mount_setattr with MOUNT_ATTR_RDONLY and AT_RECURSIVE"],
  ["pod user namespaces", [6, 5]],
  ["node swap with tmpfs noswap", [6, 3]],
  ["cpu.stat in the root cgroup (cgroup v2)", [5, 8]],
];

export function kernelReport(facts: KernelFacts): RequirementReport[] {
  const { release } = facts;
  const plain = BY_KERNEL.map(([feature, kernel, note]): RequirementReport => {
    const isEnough = kernelAtLeast(release, kernel);
    const requirement = `kernel ${kernel.join(".")}+${note === undefined ? "" : ` (${note})`}`;
    return { feature, requirement, verdict: isEnough ? "ok" : "missing", found: `kernel ${release}` };
  });
  return [...plain, nftables(facts), cgroups(facts), pressureStall(facts)];
}

export function nftables({ release, nftVersion }: KernelFacts): RequirementReport {
  const requirement = "nft tool 1.0.1+ and kernel 5.13+";
  const base = { feature: "nftables proxy mode", requirement };
  const tool = nftVersion === undefined ? "no nft tool" : `nft ${nftVersion}`;
  const found = `${tool}, kernel ${release}`;
  if (!toolAtLeast(nftVersion, NFT_TOOL)) return { ...base, verdict: "missing", found };
  if (kernelAtLeast(release, NFTABLES_KERNEL)) return { ...base, verdict: "ok", found };
  if (kernelAtLeast(release, NFTABLES_TOLERATED_KERNEL)) {
    const note = "possible with nftables.skipKernelVersionCheck of the proxy, not recommended for production";
    return { ...base, verdict: "discouraged", found: `${found}: ${note}` };
  }
  return { ...base, verdict: "missing", found };
}

function cgroups({ release, cgroupVersion }: KernelFacts): RequirementReport {
  const base = { feature: "cgroup v2", requirement: "cgroup v2; kernels below 5.2 are discouraged" };
  if (cgroupVersion === 1)
    return { ...base, verdict: "discouraged", found: "cgroup v1, which is in maintenance since 1.31" };
  const isOld = !kernelAtLeast(release, [5, 2]);
  return { ...base, verdict: isOld ? "discouraged" : "ok", found: `cgroup v2, kernel ${release}` };
}

function pressureStall({ release, pressureStall }: KernelFacts): RequirementReport {
  const base = { feature: "pressure stall information (PSI)", requirement: "kernel 4.20+ built with CONFIG_PSI=y" };
  if (pressureStall) return { ...base, verdict: "ok", found: `kernel ${release}, /proc/pressure is there` };
  const advice = kernelAtLeast(release, [4, 20])
    ? "/proc/pressure is not there: the kernel may need psi=1 on its command line"
    : "the kernel is too old";
  return { ...base, verdict: "missing", found: `kernel ${release}, ${advice}` };
}

function toolAtLeast(version: string | undefined, wanted: readonly number[]): boolean {
  if (version === undefined) return false;
  const parts = version.split(".").map(Number);
  for (const [index, part] of wanted.entries()) {
    const own = parts[index] ?? 0;
    if (own !== part) return own > part;
  }
  return true;
}
