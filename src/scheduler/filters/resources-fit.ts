// Filter: the node has room for what the pod asks for. Pure.

import { classesOfResources, comesFromDevices } from "../devices/extended-resources.ts";
import type { Amounts } from "../state/amounts.ts";
import type { NodeInfo } from "../state/node-info.ts";
import type { PodInfo } from "../state/pod-info.ts";
import type { Filter, NodeCheck, NodeRefusal, Surroundings } from "./filter.ts";

export const resourcesFit: Filter = (pod, surroundings) => fitCheck(pod, pod.requests, surroundings);

interface IgnoredResources {
  readonly ignoredResources: readonly string[];
  readonly ignoredResourceGroups: readonly string[];
}

/** The same without some resources: by their names, or by what stands before the slash. */
export function resourcesFitBut({ ignoredResources, ignoredResourceGroups }: IgnoredResources): Filter {
  const isIgnored = (resource: string): boolean =>
    ignoredResources.includes(resource) || ignoredResourceGroups.includes(resource.split("/", 1)[0]!);
  return (pod, surroundings) => {
    const others = new Map([...(pod.requests.others ?? [])].filter(([resource]) => !isIgnored(resource)));
    return fitCheck(pod, { ...pod.requests, others }, surroundings);
  };
}

function fitCheck(pod: PodInfo, requests: Amounts, { devices }: Surroundings): NodeCheck {
  const classes = classesOfResources(pod, devices);
  const refusals = new Map<string, NodeRefusal>();
  return (node) => {
    if (fits(node, requests, classes)) return undefined;
    const { reasons, helpedByRemoval } = shortages(node, requests, classes);
    const key = `${helpedByRemoval}${reasons.join()}`;
    let refused = refusals.get(key);
    if (refused === undefined) {
      refused = { filter: "NodeResourcesFit", reasons, helpedByRemoval };
      refusals.set(key, refused);
    }
    return refused;
  };
}

type Classes = ReturnType<typeof classesOfResources>;

/** The usual answer, found without making anything. */
function fits(node: NodeInfo, requests: Amounts, classes: Classes): boolean {
  const { allocatable, requested } = node;
  if (node.pods.size >= node.maxPods) return false;
  if (requests.cpu > 0 && requests.cpu > allocatable.cpu - requested.cpu) return false;
  if (requests.memory > 0 && requests.memory > allocatable.memory - requested.memory) return false;
  const storage = requests.ephemeralStorage;
  if (storage > 0 && storage > allocatable.ephemeralStorage - requested.ephemeralStorage) return false;
  if (requests.others === undefined) return true;
  for (const [resource, amount] of requests.others) {
    const free = (allocatable.others?.get(resource) ?? 0) - (requested.others?.get(resource) ?? 0);
    if (amount > 0 && amount > free && !comesFromDevices(resource, classes, node)) return false;
  }
  return true;
}

/** Why not, and whether an empty node would do. */
function shortages(
  node: NodeInfo,
  requests: Amounts,
  classes: Classes,
): { reasons: string[]; helpedByRemoval: boolean } {
  const { allocatable, requested, pods, maxPods } = node;
  const reasons: string[] = [];
  let helpedByRemoval = true;
  const check = (resource: string, wanted: number, all: number, used: number): void => {
    if (wanted <= 0 || wanted <= all - used) return;
    reasons.push(`Insufficient ${resource}`);
    if (wanted > all) helpedByRemoval = false;
  };
  if (pods.size >= maxPods) {
    reasons.push("Too many pods");
    if (maxPods < 1) helpedByRemoval = false;
  }
  check("cpu", requests.cpu, allocatable.cpu, requested.cpu);
  check("memory", requests.memory, allocatable.memory, requested.memory);
  check("ephemeral-storage", requests.ephemeralStorage, allocatable.ephemeralStorage, requested.ephemeralStorage);
  for (const [resource, amount] of requests.others ?? [])
    if (!comesFromDevices(resource, classes, node))
      check(resource, amount, allocatable.others?.get(resource) ?? 0, requested.others?.get(resource) ?? 0);
  return { reasons, helpedByRemoval };
}
