// Chooses the node for a pod: asks as many nodes as are worth it, and takes the best of those that will do. Pure but for the
// place where the next look begins and the choice among equals.

import type { Clock } from "../base/clock.ts";
import { atOnce, type Steps } from "../base/steps.ts";
import { classesOfResources } from "./devices/extended-resources.ts";
import { type FilterTimer, filterFor, refusalOf } from "./filters/all-filters.ts";
import { type FilterName, type NodeRefusal, refusal, type Surroundings } from "./filters/filter.ts";
import type { Phase, PhaseMetrics } from "./metrics/phase-metrics.ts";
import type { Profile } from "./profiles/profile.ts";
import { TotalScores } from "./scores/all-scores.ts";
import type { NodeInfo } from "./state/node-info.ts";
import type { PodInfo } from "./state/pod-info.ts";

export type Choice =
  | { readonly type: "node"; readonly node: NodeInfo }
  | { readonly type: "none"; readonly refusals: Refusals };

/** Nodes that will do, and why those that were asked before will not. */
interface FeasibleNodes {
  readonly type: "nodes";
  readonly nodes: readonly NodeInfo[];
  /** Of these nodes among all, where they are what they were. */
  readonly places: readonly number[] | undefined;
  readonly refused: readonly NodeInfo[];
  /** Of the refused, in their order. */
  readonly reasons: readonly NodeRefusal[];
}

/** Why no node will do. */
export interface Refusals {
  readonly nodeCount: number;
  /** Whatever the node. */
  readonly all: NodeRefusal | undefined;
  /** Of nodes that were asked. */
  readonly byNode: ReadonlyMap<NodeInfo, NodeRefusal>;
  /** Of those that were not, because the pod names others. */
  readonly ofOthers: NodeRefusal | undefined;
  readonly filters: ReadonlySet<FilterName>;
}

const NAMED_OTHERS = refusal("NodeAffinity", "node(s) didn't satisfy plugin(s) [NodeAffinity]");

interface NodeChooserOptions {
  readonly surroundings: Surroundings;
  profileOf(pod: PodInfo): Pick<Profile, "schedulerName" | "scores" | "percentageOfNodesToScore">;
  /** Between 0 and 1. */
  readonly random: () => number;
  /** Nothing is measured without. */
  readonly meter?: { readonly clock: Clock; readonly metrics: PhaseMetrics };
}

/** Of so many pods, filters are timed one by one for one: looking at the clock takes longer than what most filters do. */
const SAMPLED = 100;

export class NodeChooser {
  readonly #options: NodeChooserOptions;
  readonly #scores = new TotalScores();
  /** Where the next search begins, so that every node has its turn. */
  #start = 0;
  #chosen = 0;

  constructor(options: NodeChooserOptions) {
    this.#options = options;
  }

  choose(pod: PodInfo): Choice {
    return atOnce(this.chooseInSteps(pod));
  }

  /**
   * The same, with a pause after every node where each may take long: how long devices are looked for is in the hands of
   * those who write claims. After a pause the cluster may not be what it was; see stillFits.
   */
  *chooseInSteps(pod: PodInfo): Steps<Choice> {
    const found = yield* this.findInSteps(pod);
    return found.type === "nodes" ? { type: "node", node: this.best(pod, found) } : found;
  }

  /** As many nodes as are worth it; the one that the pod is nominated to, if it will do and others need not be asked. */
  *findInSteps(pod: PodInfo, { asksNominated = true } = {}): Steps<Choice | FeasibleNodes> {
    const { surroundings } = this.#options;
    const { schedulerName, percentageOfNodesToScore } = this.#options.profileOf(pod);
    const { state } = surroundings;
    const { nodes: all } = state;
    const startMs = this.#options.meter?.clock.monotonicMs() ?? 0;
    const check = filterFor(pod, surroundings, this.#timer());
    const isRefused = typeof check !== "function";
    const filteringMs = this.#passed(schedulerName, "PreFilter", !isRefused, startMs);
    if (isRefused) return none(all.length, check.refusesAll, new Map(), undefined);
    // Room was made for the pod there: nowhere else is better.
    const nominated = asksNominated ? state.node(state.nominationOf(pod.uid) ?? "") : undefined;
    if (nominated !== undefined && refusalOf(pod, nominated, check, surroundings) === undefined)
      return { type: "node", node: nominated };
    const names = pod.nodes?.names;
    const nodes = names === undefined ? all : [...names].flatMap((name) => state.node(name) ?? []);
    const enough = feasibleNodesToFind(nodes.length, percentageOfNodesToScore);
    const refused: NodeInfo[] = [];
    const reasons: NodeRefusal[] = [];
    const feasible: NodeInfo[] = [];
    const places: number[] = [];
    const { rows } = state;
    const mayTakeLong = pod.deviceClaims.length > 0 || classesOfResources(pod, surroundings.devices).size > 0;
    let asked = 0;
    for (; asked < nodes.length && feasible.length < enough; asked += 1) {
      const at = (this.#start + asked) % nodes.length;
      const node = nodes[at]!;
      const place = nodes === all ? at : node.place;
      const why = refusalOf(pod, node, check, surroundings, place);
      if (why === undefined) {
        feasible.push(node);
        places.push(place);
      } else {
        refused.push(node);
        reasons.push(why);
      }
      if (mayTakeLong) yield;
    }
    if (names === undefined) this.#start = nodes.length === 0 ? 0 : (this.#start + asked) % nodes.length;
    this.#passed(schedulerName, "Filter", feasible.length > 0, filteringMs);
    const found: FeasibleNodes = {
      type: "nodes",
      nodes: feasible,
      places: state.rows === rows ? places : undefined,
      refused,
      reasons,
    };
    return feasible.length > 0 ? found : this.noneOf(pod, found);
  }

  /** No node is left of those that were found: others have refused them, too. */
  noneOf(
    pod: PodInfo,
    { refused, reasons }: FeasibleNodes,
    byOthers: ReadonlyMap<NodeInfo, NodeRefusal> = new Map(),
  ): Choice {
    const { nodes: all } = this.#options.surroundings.state;
    const byNode = new Map([...refused.map((node, index) => [node, reasons[index]!] as const), ...byOthers]);
    const isForSome = pod.nodes?.names !== undefined && byNode.size < all.length;
    return none(all.length, undefined, byNode, isForSome ? NAMED_OTHERS : undefined);
  }

  /** Whether the node is still there, and would take the pod as things are now. */
  stillFits(pod: PodInfo, node: NodeInfo): boolean {
    const { surroundings } = this.#options;
    const check = filterFor(pod, surroundings);
    if (typeof check !== "function" || surroundings.state.node(node.name) !== node) return false;
    return refusalOf(pod, node, check, surroundings) === undefined;
  }

  /** Gives the time now. */
  #passed(profile: string, phase: Phase, isSuccess: boolean, sinceMs: number): number {
    const { meter } = this.#options;
    if (meter === undefined) return 0;
    const nowMs = meter.clock.monotonicMs();
    meter.metrics.passed(profile, phase, isSuccess ? "Success" : "Unschedulable", (nowMs - sinceMs) / 1000);
    return nowMs;
  }

  #timer(): FilterTimer | undefined {
    const { meter } = this.#options;
    this.#chosen += 1;
    if (meter === undefined || this.#chosen % SAMPLED !== 0) return undefined;
    const { clock, metrics } = meter;
    return (filter, phase, run) => {
      const startMs = clock.monotonicMs();
      const outcome = run();
      const seconds = (clock.monotonicMs() - startMs) / 1000;
      // A filter that has questions for nodes has refused nobody yet.
      const isRefused = outcome !== undefined && typeof outcome !== "function";
      metrics.pluginRan(filter, phase, isRefused ? "Unschedulable" : "Success", seconds);
      return outcome;
    };
  }

  /** The one with the highest score; `points` are added to those of nodes, by their names. */
  best(pod: PodInfo, { nodes, places }: FeasibleNodes, points?: ReadonlyMap<string, number>): NodeInfo {
    if (nodes.length === 1) return nodes[0]!;
    const { surroundings, random, meter } = this.#options;
    const { schedulerName, scores } = this.#options.profileOf(pod);
    const startMs = meter?.clock.monotonicMs() ?? 0;
    const known = places ?? nodes.map(({ place }) => place);
    const totals = this.#scores.of(pod, nodes, surroundings, known, scores);
    const totalOf = (index: number): number =>
      points === undefined ? totals[index]! : totals[index]! + (points.get(nodes[index]!.name) ?? 0);
    let best = 0;
    let highest = totalOf(0);
    let equals = 1;
    for (let index = 1; index < totals.length; index += 1) {
      const total = totalOf(index);
      if (total > highest) {
        best = index;
        highest = total;
        equals = 1;
      } else if (total === highest) {
        equals += 1;
        // Each of the equals is as likely as the others.
        if (random() * equals < 1) best = index;
      }
    }
    this.#passed(schedulerName, "Score", true, startMs);
    return nodes[best]!;
  }
}

const MIN_FEASIBLE = 100;
const MIN_PERCENTAGE = 5;

/** As upstream: from 50 percent of a hundred nodes down to 5 percent of very many, never below 100. */
export function feasibleNodesToFind(nodeCount: number, percentage: number): number {
  if (nodeCount < MIN_FEASIBLE) return nodeCount;
  const adaptive = Math.max(MIN_PERCENTAGE, 50 - Math.trunc(nodeCount / 125));
  const share = percentage === 0 ? adaptive : percentage;
  return Math.max(MIN_FEASIBLE, Math.trunc((nodeCount * share) / 100));
}

function none(
  nodeCount: number,
  all: NodeRefusal | undefined,
  byNode: ReadonlyMap<NodeInfo, NodeRefusal>,
  ofOthers: NodeRefusal | undefined,
): Choice {
  const filters = new Set<FilterName>();
  for (const { filter } of byNode.values()) filters.add(filter);
  for (const each of [all, ofOthers]) if (each !== undefined) filters.add(each.filter);
  return { type: "none", refusals: { nodeCount, all, byNode, ofOthers, filters } };
}
