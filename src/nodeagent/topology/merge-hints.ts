// Which NUMA nodes a container, or a whole pod, is put near to, from what each of its resources could do: upstream's rules of
// the topology manager. Pure.
//
// A hint says on which nodes a resource could be had, and whether better is not possible. One hint of every resource
// together make a candidate: the nodes that they share, preferred where all are preferred and the same. Candidates are
// worked out resource by resource and equal ones kept once, so that many resources do not cost their product.

import { assertNever } from "../../base/assert-never.ts";
import type { TopologyPolicy } from "../config/topology-policies.ts";
import { countOf, isNarrower, maskOf, type NumaMask, nodesOf } from "./numa-mask.ts";

export interface NumaHint {
  /** Undefined: wherever. */
  readonly mask: NumaMask | undefined;
  readonly isPreferred: boolean;
}

/** By resource. Undefined is no opinion; an empty list, that it cannot be had near anything. */
export type NumaHints = ReadonlyMap<string, readonly NumaHint[] | undefined>;

export interface NumaDistances {
  readonly nodes: readonly number[];
  /** From one node to another; what is nearer has the smaller number. */
  readonly distance: (from: number, to: number) => number;
}

interface MergeSettings {
  readonly policy: TopologyPolicy;
  readonly numa: NumaDistances;
  /** Of as many nodes, those that are nearest to each other. */
  readonly prefersClosest: boolean;
}

interface Merged {
  readonly hint: NumaHint;
  readonly isAdmitted: boolean;
}

export function mergeHints(providers: readonly NumaHints[], { policy, numa, prefersClosest }: MergeSettings): Merged {
  if (policy === "none") return { hint: { mask: undefined, isPreferred: true }, isAdmitted: true };
  const all = maskOf(numa.nodes);
  const lists = providers.flatMap((hints) => [...hints.values()].map(hintsOf));
  const usable = policy === "single-numa-node" ? lists.map((list) => list.filter(isOfOneNode)) : lists;
  const isBetter = betterHint(usable, prefersClosest ? closest(numa.distance) : isNarrower);
  let best: Candidate | undefined;
  for (const candidate of candidates(usable, all)) {
    if (candidate.mask === 0) continue;
    if (best === undefined || isBetter(candidate, best)) best = candidate;
  }
  const hint: NumaHint = best ?? { mask: all, isPreferred: false };
  switch (policy) {
    case "best-effort":
      return { hint, isAdmitted: true };
    case "restricted":
      return { hint, isAdmitted: hint.isPreferred };
    case "single-numa-node":
      // All nodes of the machine are no choice at all.
      return { hint: hint.mask === all ? { ...hint, mask: undefined } : hint, isAdmitted: hint.isPreferred };
    default:
      return assertNever(policy);
  }
}

function hintsOf(hints: readonly NumaHint[] | undefined): readonly NumaHint[] {
  if (hints === undefined) return [{ mask: undefined, isPreferred: true }];
  return hints.length === 0 ? [{ mask: undefined, isPreferred: false }] : hints;
}

function isOfOneNode({ mask, isPreferred }: NumaHint): boolean {
  return isPreferred && (mask === undefined || countOf(mask) === 1);
}

type Candidate = { readonly mask: NumaMask; readonly isPreferred: boolean };

/** None where a resource has no hint left. */
function candidates(lists: readonly (readonly NumaHint[])[], all: NumaMask): Candidate[] {
  /** `undefined` until a resource names nodes. Those that are still preferred share all of their nodes. */
  let preferred = new Set<NumaMask | undefined>([undefined]);
  let others = new Set<NumaMask | undefined>();
  for (const list of lists) {
    const [nextPreferred, nextOthers] = [new Set<NumaMask | undefined>(), new Set<NumaMask | undefined>()];
    for (const { mask, isPreferred } of list) {
      for (const before of preferred) {
        const isSame = before === undefined || mask === undefined || before === mask;
        (isSame && isPreferred ? nextPreferred : nextOthers).add(shared(before, mask));
      }
      for (const before of others) nextOthers.add(shared(before, mask));
    }
    [preferred, others] = [nextPreferred, nextOthers];
  }
  const within = (mask: NumaMask | undefined) => (mask === undefined ? all : mask & all);
  return [
    ...[...preferred].map((mask) => ({ mask: within(mask), isPreferred: true })),
    ...[...others].map((mask) => ({ mask: within(mask), isPreferred: false })),
  ];
}

function shared(a: NumaMask | undefined, b: NumaMask | undefined): NumaMask | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : a & b;
}

type Comparison = (mask: NumaMask, than: NumaMask) => boolean;

/**
 * Preferred before others. Of those that are not, the nearest to the number of nodes that the largest resource needs at
 * least: not more where that can be helped.
 */
function betterHint(lists: readonly (readonly NumaHint[])[], isBetterMask: Comparison) {
  const needed = lists.reduce((most, list) => Math.max(most, fewestNodes(list)), 0);
  const rank = (mask: NumaMask): number => {
    const count = countOf(mask);
    if (count === needed) return 0;
    return count < needed ? needed - count : needed + count;
  };
  return (one: Candidate, other: Candidate): boolean => {
    if (one.isPreferred !== other.isPreferred) return one.isPreferred;
    if (one.isPreferred || rank(one.mask) === rank(other.mask)) return isBetterMask(one.mask, other.mask);
    return rank(one.mask) < rank(other.mask);
  };
}

function fewestNodes(hints: readonly NumaHint[]): number {
  let fewest = Number.POSITIVE_INFINITY;
  for (const { mask } of hints) if (mask !== undefined) fewest = Math.min(fewest, countOf(mask));
  return fewest === Number.POSITIVE_INFINITY ? 0 : fewest;
}

/** Of as many nodes, those with the smaller mean distance. */
function closest(distance: NumaDistances["distance"]): Comparison {
  const mean = (mask: NumaMask): number => {
    const nodes = nodesOf(mask);
    const sum = nodes.reduce((total, from) => total + nodes.reduce((part, to) => part + distance(from, to), 0), 0);
    return sum / nodes.length ** 2;
  };
  return (mask, than) => {
    if (countOf(mask) !== countOf(than)) return isNarrower(mask, than);
    return mean(mask) === mean(than) ? isNarrower(mask, than) : mean(mask) < mean(than);
  };
}
