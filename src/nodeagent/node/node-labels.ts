// The labels with which the node registers: what the machine is, and what --node-labels says.

import { labelValueProblems, qualifiedNameProblems } from "../../meta/name-formats.ts";
import type { Names } from "../../meta/names.ts";

export function machineLabels(names: Names, hostname: string, architecture: string): Record<string, string> {
  return {
    [names.hostnameLabel]: hostname,
    [names.osLabel]: "linux",
    [names.archLabel]: architecture,
    [names.betaOsLabel]: "linux",
    [names.betaArchLabel]: architecture,
  };
}

/** Why a label must not stand in --node-labels; undefined when it may. */
export function nodeLabelProblem(names: Names, key: string, value: string): string | undefined {
  const problem = qualifiedNameProblems(key)[0] ?? labelValueProblems(value)[0];
  if (problem !== undefined) return `${JSON.stringify(`${key}=${value}`)}: ${problem}`;
  const domain = key.includes("/") ? key.slice(0, key.indexOf("/")) : "";
  const isBelow = (parent: string) => domain === parent || domain.endsWith(`.${parent}`);
  const isAllowed = names.nodeAgentLabels.includes(key) || names.nodeAgentLabelDomains.some(isBelow);
  if (isAllowed || !names.reservedDomains.some(isBelow)) return undefined;
  return `${JSON.stringify(key)} is in a reserved domain: only ${names.nodeAgentLabels.join(", ")} and labels of ${names.nodeAgentLabelDomains.join(", ")} may be set by a node`;
}
