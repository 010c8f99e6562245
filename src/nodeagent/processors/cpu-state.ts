// The file that says which containers have processors for themselves, in upstream's form.
// Requirements: document 3, "Node-agent local files and sockets" (resource manager checkpoints).
//
//   {"policyName":"static","defaultCpuSet":"0,4-27","entries":{"<pod uid>":{"app":"1-3"}},"checksum":3300516549}

import { isObject } from "../../base/json.ts";
import { checksumOf } from "../checkpoint-checksum.ts";
import { type CpuSet, formatCpuSet, parseCpuSet } from "../config/cpu-set.ts";

export interface CpuState {
  readonly policyName: string;
  /** What all others share. */
  readonly shared: CpuSet;
  /** By the uid of the pod, and by container. */
  readonly exclusive: ReadonlyMap<string, ReadonlyMap<string, CpuSet>>;
}

export function cpuStateText(state: CpuState): string {
  const { policyName } = state;
  const defaultCpuSet = formatCpuSet(state.shared);
  const entries = textsOf(state.exclusive);
  return JSON.stringify({
    policyName,
    defaultCpuSet,
    ...(Object.keys(entries).length === 0 ? {} : { entries }),
    checksum: stateChecksum(policyName, defaultCpuSet, entries),
  });
}

/** Undefined when the file was cut short or written by hand. One without a checksum is taken. */
export function parseCpuState(text: string): CpuState | undefined {
  const file = parsed(text);
  if (!isObject(file)) return undefined;
  const { policyName, defaultCpuSet, entries = {}, checksum = 0 } = file;
  if (typeof policyName !== "string" || typeof defaultCpuSet !== "string" || !isObject(entries)) return undefined;
  const shared = parseCpuSet(defaultCpuSet);
  if (shared === undefined) return undefined;
  const exclusive = new Map<string, Map<string, CpuSet>>();
  for (const [uid, containers] of Object.entries(entries)) {
    if (!isObject(containers)) return undefined;
    const sets = new Map<string, CpuSet>();
    for (const [name, cpus] of Object.entries(containers)) {
      const set = typeof cpus === "string" ? parseCpuSet(cpus) : undefined;
      if (set === undefined) return undefined;
      sets.set(name, set);
    }
    exclusive.set(uid, sets);
  }
  const expected = stateChecksum(policyName, defaultCpuSet, textsOf(exclusive));
  return checksum === 0 || checksum === expected ? { policyName, shared, exclusive } : undefined;
}

type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;

function textsOf(exclusive: CpuState["exclusive"]): Texts {
  return Object.fromEntries(
    [...exclusive].map(([uid, sets]) => [
      uid,
      Object.fromEntries([...sets].map(([name, cpus]) => [name, formatCpuSet(cpus)])),
    ]),
  );
}

/** Over the words in which upstream's own state would be printed, so that files can be exchanged. */
function stateChecksum(policyName: string, defaultCpuSet: string, entries: Texts): number {
  const containers = (sets: Readonly<Record<string, string>>) => goMap(Object.entries(sets));
  const map = goMap(Object.entries(entries).map(([uid, sets]) => [uid, containers(sets)]));
  return checksumOf(
    `(*state.CPUManagerCheckpoint){PolicyName:(string)${policyName} DefaultCPUSet:(string)${defaultCpuSet} Entries:(map[string]map[string]string)${map} Checksum:(checksum.Checksum)0}`,
  );
}

function goMap(entries: readonly (readonly [string, string])[]): string {
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `map[${sorted.map(([key, value]) => `${key}:${value}`).join(" ")}]`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
