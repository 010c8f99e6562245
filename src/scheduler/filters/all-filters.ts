// All filters, and what they say together about a pod. Pure.

import type { NodeInfo } from "../state/node-info.ts";
import type { PodInfo } from "../state/pod-info.ts";
import { dynamicResources } from "./dynamic-resources.ts";
import {
  type ActiveFilter,
  type Filter,
  type FilterName,
  type NodeCheck,
  type NodeRefusal,
  refusal,
  type Surroundings,
} from "./filter.ts";
import { nodeAffinity, nodeName, nodePorts } from "./node-choice.ts";
import { podAffinity } from "./pod-affinity.ts";
import { resourcesFit } from "./resources-fit.ts";
import { nodeUnschedulable, taintToleration } from "./taints.ts";
import { topologySpread } from "./topology-spread.ts";
import { volumeLimits } from "./volume-limits.ts";
import { volumeRestrictions } from "./volume-restrictions.ts";
import { volumeBinding, volumeZone } from "./volumes.ts";

/** In this order: the first that refuses says why. */
const FILTERS: readonly (readonly [FilterName, Filter])[] = [
  ["NodeUnschedulable", nodeUnschedulable],
  ["NodeName", nodeName],
  ["TaintToleration", taintToleration],
  ["NodeAffinity", nodeAffinity],
  ["NodePorts", nodePorts],
  ["NodeResourcesFit", resourcesFit],
  ["VolumeRestrictions", volumeRestrictions],
  ["NodeVolumeLimits", volumeLimits],
  ["VolumeBinding", volumeBinding],
  ["VolumeZone", volumeZone],
  ["PodTopologySpread", topologySpread],
  ["InterPodAffinity", podAffinity],
  ["DynamicResources", dynamicResources],
];

export const FILTER_NAMES: readonly FilterName[] = FILTERS.map(([name]) => name);

export const ALL_FILTERS: readonly ActiveFilter[] = FILTERS.map(([name, filter], at) => ({ name, filter, at }));

/** What the row of a node answers at once, where nothing unusual is asked for. */
const ANSWERED_BY_ROW: ReadonlySet<FilterName> = new Set(["NodeUnschedulable", "TaintToleration", "NodeResourcesFit"]);

/** Runs each step of each filter, in some way of its own. */
export type FilterTimer = <T>(filter: FilterName, phase: "PreFilter" | "Filter", run: () => T) => T;

/** Asks one node after the other, as things are now. */
export function filterFor(
  pod: PodInfo,
  surroundings: Surroundings,
  timer?: FilterTimer,
): NodeCheck | { readonly refusesAll: NodeRefusal } {
  if (pod.problem !== undefined) return { refusesAll: refusal("NodeAffinity", pod.problem) };
  const { state } = surroundings;
  const evaluations = surroundings.evaluationsOf(pod);
  const checks: NodeCheck[] = [];
  const which: number[] = [];
  for (const { name, filter, at } of surroundings.filtersOf(pod)) {
    const outcome =
      timer === undefined ? filter(pod, surroundings) : timer(name, "PreFilter", () => filter(pod, surroundings));
    if (outcome === undefined) continue;
    if (typeof outcome !== "function") return outcome;
    checks.push(timer === undefined ? outcome : (node, place) => timer(name, "Filter", () => outcome(node, place)));
    which.push(at);
  }
  const ask = (node: NodeInfo, place: number | undefined, asked: readonly number[]): NodeRefusal | undefined => {
    for (let index = 0; index < asked.length; index += 1) {
      const at = asked[index]!;
      evaluations[which[at]!]! += 1;
      const refused = checks[at]!(node, place);
      if (refused !== undefined) return refused;
    }
    return undefined;
  };
  const all = [...checks.keys()];
  // Who is timed is asked one by one.
  if (pod.requests.others !== undefined || timer !== undefined) return (node, place) => ask(node, place, all);
  const { requests } = pod;
  const { rows } = state;
  const answered: number[] = [];
  const others: number[] = [];
  for (const [at, filter] of which.entries()) {
    if (ANSWERED_BY_ROW.has(FILTERS[filter]![0])) answered.push(filter);
    else others.push(at);
  }
  return (node, place = node.place) => {
    if (place < 0 || !rows.isOpenFor(place, requests)) return ask(node, place, all);
    for (let index = 0; index < answered.length; index += 1) evaluations[answered[index]!]! += 1;
    return others.length === 0 ? undefined : ask(node, place, others);
  };
}

/**
 * The same for one node, with regard to pods for which room is being made there: what is as important as this pod or more
 * counts as running, and must not be needed either.
 */
export function refusalOf(
  pod: PodInfo,
  node: NodeInfo,
  check: NodeCheck,
  surroundings: Surroundings,
  place?: number,
): NodeRefusal | undefined {
  const { state } = surroundings;
  if (!state.hasNominations) return check(node, place);
  const others = state
    .nominatedTo(node.name)
    .filter(({ uid, priority }) => uid !== pod.uid && priority >= pod.priority);
  if (others.length > 0) {
    const refused = state.supposing((suppose) => {
      for (const info of others) suppose.present({ info, node });
      return refusalNow(pod, node, surroundings);
    });
    if (refused !== undefined) return refused;
  }
  return check(node);
}

function refusalNow(pod: PodInfo, node: NodeInfo, surroundings: Surroundings): NodeRefusal | undefined {
  const check = filterFor(pod, surroundings);
  return typeof check === "function" ? check(node) : check.refusesAll;
}
