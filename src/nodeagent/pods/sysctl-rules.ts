// Which kernel parameters a pod may set: those that stay in its own namespaces, where the kernel keeps them apart, and
// those that the node's owner allows. Requirements: document 3, "Kernel requirements".

import { dottedName, hostSysctlProblem } from "../../kinds/core/pod/sysctls.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { type KernelVersion, kernelAtLeast } from "../kernel/kernel-version.ts";

/** Each with the kernel from which on it is safe. */
const SAFE: ReadonlyMap<string, KernelVersion> = new Map([
  ["kernel.shm_rmid_forced", [0, 0]],
  ["net.ipv4.ip_local_port_range", [0, 0]],
  ["net.ipv4.tcp_syncookies", [4, 6]],
  ["net.ipv4.ping_group_range", [0, 0]],
  ["net.ipv4.ip_unprivileged_port_start", [0, 0]],
  ["net.ipv4.ip_local_reserved_ports", [3, 16]],
  ["net.ipv4.tcp_keepalive_time", [4, 5]],
  ["net.ipv4.tcp_keepalive_intvl", [4, 5]],
  ["net.ipv4.tcp_keepalive_probes", [4, 5]],
  ["net.ipv4.tcp_fin_timeout", [4, 6]],
  ["net.ipv4.tcp_rmem", [4, 15]],
  ["net.ipv4.tcp_wmem", [4, 15]],
]);

/** Why the node does not set the parameters of a pod; undefined when it does. `allowed` may end with a star. */
export function sysctlProblem({ spec }: Pod, kernelRelease: string, allowed: readonly string[]): string | undefined {
  for (const { name } of spec.securityContext?.sysctls ?? []) {
    const dotted = dottedName(name);
    const hostProblem = hostSysctlProblem(dotted, spec);
    if (hostProblem !== undefined) return `forbidden sysctl: "${dotted}" ${hostProblem}`;
    const since = SAFE.get(dotted);
    const isSafe = since !== undefined && kernelAtLeast(kernelRelease, since);
    if (!isSafe && !allowed.some((pattern) => matches(dottedName(pattern), dotted)))
      return `forbidden sysctl: "${dotted}" not allowlisted`;
  }
  return undefined;
}

const matches = (pattern: string, name: string): boolean =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
