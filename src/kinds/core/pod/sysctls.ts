// Kernel parameters of a pod: which of them belong to a namespace that the pod shares with its node.

import type { PodSpec } from "./spec.ts";

const MAX_NAME_LENGTH = 253;
const SEGMENT = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";

export const SYSCTL_PROBLEM = `must have at most ${MAX_NAME_LENGTH} characters and match regex ^(${SEGMENT}[\\./])*${SEGMENT}$`;

export function isSysctlName(name: string): boolean {
  if (name.length > MAX_NAME_LENGTH) return false;
  return name.split(/[./]/).every((segment) => /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/.test(segment));
}

/** Why a pod that shares the node's namespace may not set the parameter. */
export function hostSysctlProblem(name: string, spec: PodSpec): string | undefined {
  // Beyond the longest name there is nothing that would tell.
  const dotted = normalize(name.slice(0, MAX_NAME_LENGTH));
  if (spec.hostNetwork && dotted.startsWith("net.")) return "may not be specified when 'hostNetwork' is true";
  if (spec.hostIPC && isIpc(dotted)) return "may not be specified when 'hostIPC' is true";
  return undefined;
}

const isIpc = (name: string): boolean =>
  /^kernel\.(?:sem|shm(?:all|max|mni|_rmid_forced)?|msg(?:max|mnb|mni)?)$|^fs\.mqueue\./.test(name);

/** Where the first separator is a slash, slashes separate and dots are part of names. */
function normalize(name: string): string {
  const first = /[./]/.exec(name)?.[0];
  if (first !== "/") return name;
  return name.replace(/[./]/g, (separator) => (separator === "/" ? "." : "/"));
}
