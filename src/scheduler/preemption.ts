// Preemption: which pods of lower priority would have to leave which node so that a pod can run there. Pure.

import type { PodDisruptionBudget } from "../kinds/policy/pod-disruption-budget.ts";
import { type LabelSelector, selectorFromObject } from "../meta/label-selector.ts";
import type { Refusals } from "./choose-node.ts";
import { filterFor, refusalOf } from "./filters/all-filters.ts";
import type { NodeRefusal, Surroundings } from "./filters/filter.ts";
import { countsText } from "./fit-message.ts";
import type { ClusterState } from "./state/cluster-state.ts";
import type { PlacedPod } from "./state/match-counts.ts";
import type { NodeInfo } from "./state/node-info.ts";
import type { PodInfo } from "./state/pod-info.ts";

/** How many pods of a selection may leave now. */
interface DisruptionBudget {
  readonly namespace: string;
  readonly selector: LabelSelector;
  readonly allowed: number;
  /** Names of pods that are on their way out already. */
  readonly disrupted: ReadonlySet<string>;
}

export function disruptionBudget({ metadata, spec, status }: PodDisruptionBudget): DisruptionBudget {
  return {
    namespace: metadata.namespace ?? "",
    selector: selectorFromObject(spec.selector),
    allowed: status.disruptionsAllowed ?? 0,
    disrupted: new Set(Object.keys(status.disruptedPods ?? {})),
  };
}

export interface Victims {
  readonly node: NodeInfo;
  /** The most important first. */
  readonly pods: readonly PodInfo[];
  /** How many of them leave against a budget. */
  readonly violations: number;
}

export type Preemption =
  | { readonly type: "victims"; readonly victims: Victims }
  /** `keepsNomination`: room is being made already. */
  | { readonly type: "none"; readonly why: string; readonly keepsNomination: boolean };

interface PreemptionOptions {
  readonly surroundings: Surroundings;
  readonly budgets: () => readonly DisruptionBudget[];
  readonly nowMs: number;
  readonly enough?: typeof ENOUGH | undefined;
  /** What came of looking for devices that could be freed: upstream says it first. */
  readonly ofDevices: string;
  /** Between 0 and 1: among many nodes the search begins anywhere. */
  readonly random: () => number;
}

export const DISRUPTION_CONDITION = "DisruptionTarget";
export const PREEMPTION_REASON = "PreemptionByScheduler";
const ALREADY_LEAVING = "not eligible due to a terminating pod on the nominated node.";
const NO_VICTIMS = "No preemption victims found for incoming pod";
const NOT_HELPFUL = "Preemption is not helpful for scheduling";
/** So many nodes where it works are enough to choose from, or a tenth of all if that is more. */
const ENOUGH = { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 };

/** Several nodes where it works, of which one is to be chosen. */
interface Candidates {
  readonly type: "candidates";
  readonly candidates: readonly Victims[];
}

export function findVictims(pod: PodInfo, refusals: Refusals, options: PreemptionOptions): Preemption {
  const found = findCandidates(pod, refusals, options);
  return found.type === "none" ? found : { type: "victims", victims: bestOf(found.candidates, options.nowMs)! };
}

/** Undefined of none. */
export function bestOf(candidates: readonly Victims[], nowMs: number): Victims | undefined {
  const [first, ...others] = candidates;
  if (first === undefined) return undefined;
  const isBetter = (one: Victims, other: Victims): boolean => compareVictims(one, other, nowMs) < 0;
  return others.reduce((best, each) => (isBetter(each, best) ? each : best), first);
}

export function findCandidates(
  pod: PodInfo,
  refusals: Refusals,
  options: PreemptionOptions,
): Candidates | Extract<Preemption, { type: "none" }> {
  const { state } = options.surroundings;
  const ineligible = whyNotEligible(pod, refusals, state);
  if (ineligible !== undefined)
    return {
      type: "none",
      why: whyNot(options, ineligible),
      keepsNomination: ineligible === ALREADY_LEAVING,
    };
  const nodes = [...refusals.byNode].filter(([, { helpedByRemoval }]) => helpedByRemoval).map(([node]) => node);
  const { minCandidateNodesPercentage: percentage, minCandidateNodesAbsolute: least } = options.enough ?? ENOUGH;
  const enough = Math.max(1, least, Math.trunc((nodes.length * percentage) / 100));
  const start = Math.floor(options.random() * nodes.length);
  const candidates: Victims[] = [];
  const reasons = new Map<string, number>();
  // Most often all pods are equally important.
  const isHopeless = !state.hasPriorityBelow(pod.priority);
  if (isHopeless && nodes.length > 0) reasons.set(NO_VICTIMS, nodes.length);
  const budgets = isHopeless ? [] : options.budgets();
  // Nobody breaks a budget as long as a node is not asked where none would be broken.
  let isAnyClean = false;
  const isEnough = (): boolean => isAnyClean && candidates.length >= enough;
  for (let index = 0; !isHopeless && index < nodes.length && !isEnough(); index += 1) {
    const found = victimsOn(pod, nodes[(start + index) % nodes.length]!, budgets, options);
    if ("pods" in found) {
      candidates.push(found);
      if (found.violations === 0) isAnyClean = true;
    } else for (const reason of found.reasons) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  if (candidates.length > 0) return { type: "candidates", candidates };
  if (nodes.length < refusals.nodeCount) reasons.set(NOT_HELPFUL, refusals.nodeCount - nodes.length);
  return {
    type: "none",
    why: whyNot(options, `0/${refusals.nodeCount} nodes are available: ${countsText(reasons)}.`),
    keepsNomination: false,
  };
}

const whyNot = ({ ofDevices }: PreemptionOptions, why: string): string =>
  `${ofDevices === "" ? "" : `${ofDevices}, `}preemption: ${why}`;

function whyNotEligible(
  { pod, uid, priority }: PodInfo,
  { all, byNode }: Refusals,
  state: ClusterState,
): string | undefined {
  if (pod.spec.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  const nominated = state.node(state.nominationOf(uid) ?? "");
  // It cannot go there whoever leaves.
  if (nominated === undefined || all !== undefined || byNode.get(nominated)?.helpedByRemoval === false)
    return undefined;
  for (const other of nominated.pods.values())
    if (other.priority < priority && isLeavingForAnother(other)) return ALREADY_LEAVING;
  return undefined;
}

function isLeavingForAnother({ isTerminating, pod }: PodInfo): boolean {
  return (
    isTerminating &&
    (pod.status.conditions ?? []).some(
      ({ type, status, reason }) => type === DISRUPTION_CONDITION && status === "True" && reason === PREEMPTION_REASON,
    )
  );
}

/** The fewest that have to leave, or why that does not help. */
function victimsOn(
  pod: PodInfo,
  node: NodeInfo,
  budgets: readonly DisruptionBudget[],
  { surroundings, nowMs }: PreemptionOptions,
): Victims | { readonly reasons: readonly string[] } {
  const { state } = surroundings;
  const lower = [...node.pods.values()].filter(({ priority }) => priority < pod.priority);
  if (lower.length === 0) return { reasons: [NO_VICTIMS] };
  lower.sort((one, other) => compareImportance(one, other, nowMs));
  const placed = (info: PodInfo): PlacedPod => state.placeOf(info.uid) ?? { info, node };
  return state.supposing((suppose) => {
    for (const info of lower) suppose.absent(placed(info));
    const refused = refusalNow(pod, node, surroundings);
    if (refused !== undefined) return { reasons: refused.reasons };
    const { violating, others } = byBudget(lower, budgets);
    const victims: PodInfo[] = [];
    let violations = 0;
    // Whoever can stay stays: those first that a budget protects, then the most important.
    for (const info of [...violating, ...others]) {
      suppose.present(placed(info));
      if (refusalNow(pod, node, surroundings) === undefined) continue;
      suppose.absent(placed(info));
      victims.push(info);
      if (violating.includes(info)) violations += 1;
    }
    victims.sort((one, other) => compareImportance(one, other, nowMs));
    return { node, pods: victims, violations };
  });
}

function refusalNow(pod: PodInfo, node: NodeInfo, surroundings: Surroundings): NodeRefusal | undefined {
  const check = filterFor(pod, surroundings);
  return typeof check === "function" ? refusalOf(pod, node, check, surroundings) : check.refusesAll;
}

/** Takes from each budget as pods would leave; those beyond it violate it. */
function byBudget(
  pods: readonly PodInfo[],
  budgets: readonly DisruptionBudget[],
): { readonly violating: readonly PodInfo[]; readonly others: readonly PodInfo[] } {
  const left = budgets.map(({ allowed }) => allowed);
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  for (const pod of pods) {
    let violates = false;
    for (const [index, { namespace, selector, disrupted }] of budgets.entries()) {
      if (namespace !== pod.namespace || disrupted.has(pod.name)) continue;
      if (selector.requirements.length === 0 || !selector.matches(pod.labels)) continue;
      left[index]! -= 1;
      if (left[index]! < 0) violates = true;
    }
    (violates ? violating : others).push(pod);
  }
  return { violating, others };
}

/** Below zero when the first is the better choice. */
function compareVictims(one: Victims, other: Victims, nowMs: number): number {
  return (
    one.violations - other.violations ||
    highest(one) - highest(other) ||
    sumOfPriorities(one) - sumOfPriorities(other) ||
    one.pods.length - other.pods.length ||
    earliestOfHighest(other, nowMs) - earliestOfHighest(one, nowMs)
  );
}

const highest = ({ pods }: Victims): number => pods[0]?.priority ?? Number.NEGATIVE_INFINITY;

/** Every victim counts, those with negative priorities too. */
const sumOfPriorities = ({ pods }: Victims): number => pods.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0);

function earliestOfHighest({ pods }: Victims, nowMs: number): number {
  const top = pods[0]?.priority;
  let earliest = nowMs;
  for (const pod of pods) if (pod.priority === top) earliest = Math.min(earliest, startMs(pod, nowMs));
  return earliest;
}

/** The more important first: by priority, then by how long it has been running. */
function compareImportance(one: PodInfo, other: PodInfo, nowMs: number): number {
  return other.priority - one.priority || startMs(one, nowMs) - startMs(other, nowMs);
}

function startMs({ pod }: PodInfo, nowMs: number): number {
  const { startTime } = pod.status;
  return startTime === undefined || startTime === null ? nowMs : Date.parse(startTime);
}
