// Options of the policies that share processors and memory out, and the gates of those that are not settled yet. Pure.

import { parseBool } from "../../base/truth-words.ts";
import type { GateName } from "../../options/feature-gate-table.ts";

interface PolicyOption {
  /** Nothing where it is settled. */
  readonly gate?: GateName;
}

const ALPHA = { gate: "CPUManagerPolicyAlphaOptions" } as const;
const BETA = { gate: "CPUManagerPolicyBetaOptions" } as const;

export const CPU_OPTIONS: ReadonlyMap<string, PolicyOption> = new Map<string, PolicyOption>([
  ["full-pcpus-only", {}],
  ["distribute-cpus-across-numa", BETA],
  ["align-by-socket", ALPHA],
  ["distribute-cpus-across-cores", ALPHA],
  ["strict-cpu-reservation", BETA],
  ["prefer-align-cpus-by-uncorecache", BETA],
]);

export const TOPOLOGY_OPTIONS: ReadonlyMap<string, PolicyOption> = new Map<string, PolicyOption>([
  ["prefer-closest-numa-nodes", {}],
  ["max-allowable-numa-nodes", { gate: "TopologyManagerPolicyBetaOptions" }],
]);

/** Options that contradict each other. */
export const CPU_OPTION_CONFLICTS: readonly (readonly [string, string])[] = [
  ["full-pcpus-only", "distribute-cpus-across-cores"],
  ["distribute-cpus-across-numa", "distribute-cpus-across-cores"],
  ["prefer-align-cpus-by-uncorecache", "distribute-cpus-across-cores"],
  ["prefer-align-cpus-by-uncorecache", "distribute-cpus-across-numa"],
];

export function isOn(options: Readonly<Record<string, string>>, option: string): boolean {
  return Object.hasOwn(options, option) && parseBool(options[option]!) === true;
}
