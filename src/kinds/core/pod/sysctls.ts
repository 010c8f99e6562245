// Kernel parameters of a pod: which of them belong to a namespace that the pod shares with its node.

import type { PodSpec } from "./spec.ts";

const MAX_NAME_LENGTH = 253;
const SEGMENT = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";

export const SYSCTL_PROBLEM = `must have at most ${MAX_NAME_LENGTH} characters and match regex ^(${SEGMENT}[\\./])*${SEGMENT}$`;

export function isSysctlName(name: string): boolean {
  if (name.length > MAX_NAME_LENGTH) return false;
  return name.split(/[./]/).every((segment) => /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/.test(segment));
}

/** A name, or the beginning of names with a star behind it. */
export function isSysctlPattern(pattern: string): boolean {
  if (!pattern.endsWith("*")) return isSysctlName(pattern);
  if (pattern.length > MAX_NAME_LENGTH) return false;
  const [, whole = "", begun = ""] = /^(?:(.*)[./])?([^./]*)\*$/.exec(pattern) ?? [];
  return (whole === "" || isSysctlName(whole)) && /^(?:[a-z0-9][-_a-z0-9]*)?$/.test(begun);
}

/** Which namespace of the kernel keeps a parameter apart; undefined for those of the whole machine. `dotted`: a name or its beginning. */
export function sysctlNamespace(dotted: string): "ipc" | "net" | undefined {
  if (dotted.startsWith("net.")) return "net";
  return dotted === "kernel.sem" || /^(?:kernel\.(?:shm|msg)|fs\.mqueue\.)/.test(dotted) ? "ipc" : undefined;
}

/** Why a pod that shares the node's namespace may not set the parameter. */
export function hostSysctlProblem(name: string, spec: PodSpec): string | undefined {
  // Beyond the longest name there is nothing that would tell.
  const namespace = sysctlNamespace(dottedName(name.slice(0, MAX_NAME_LENGTH)));
  if (spec.hostNetwork && namespace === "net") return "may not be specified when 'hostNetwork' is true";
  if (spec.hostIPC && namespace === "ipc") return "may not be specified when 'hostIPC' is true";
  return undefined;
}

/** Where the first separator is a slash, slashes separate and dots are part of names. */
export function dottedName(name: string): string {
  const first = /[./]/.exec(name)?.[0];
  if (first !== "/") return name;
  return name.replace(/[./]/g, (separator) => (separator === "/" ? "." : "/"));
}
