// Which pods make room for one that the node cannot do without. As few as can be of those that matter most: pods without
// requests go first, then those that may use more than they asked for, then the others; of each, those that give back most
// of what is missing and least of anything else. Pure.

import { qosClassOf } from "../../kinds/core/pod/resources.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { isCriticalPod } from "../eviction/critical-pod.ts";

interface TakenPod {
  readonly pod: Pod;
  readonly isStatic: boolean;
}

/** Amounts by resource. */
type Amounts = ReadonlyMap<string, number>;

/**
 * `missing` is what the pod lacks; `requestsOf` what a pod that ended would give back. Undefined where nobody could give
 * back enough.
 */
export function podsToPreempt<Taken extends TakenPod>(
  wanted: TakenPod,
  taken: readonly Taken[],
  missing: Amounts,
  requestsOf: (pod: Pod) => Amounts,
): Taken[] | undefined {
  const candidates = taken.filter((each) => makesRoomFor(each, wanted));
  const group = (qos: string) => candidates.filter(({ pod }) => qosClassOf(pod.spec) === qos);
  const [bestEffort, burstable, guaranteed] = ["BestEffort", "Burstable", "Guaranteed"].map(group) as [
    Taken[],
    Taken[],
    Taken[],
  ];
  const left = (...given: readonly (readonly Taken[])[]) =>
    without(
      missing,
      given.flat().map(({ pod }) => requestsOf(pod)),
    );
  if (left(candidates).size > 0) return undefined;
  const third = fewest(guaranteed, left(bestEffort, burstable), requestsOf);
  const second = fewest(burstable, left(bestEffort, third), requestsOf);
  const first = fewest(bestEffort, left(second, third), requestsOf);
  return [...first, ...second, ...third];
}

function makesRoomFor(each: TakenPod, wanted: TakenPod): boolean {
  if (isCriticalPod(wanted.pod, wanted.isStatic) && !isCriticalPod(each.pod, each.isStatic)) return true;
  return (wanted.pod.spec.priority ?? 0) > (each.pod.spec.priority ?? 0);
}

function fewest<Taken extends TakenPod>(
  candidates: readonly Taken[],
  missing: Amounts,
  requestsOf: (pod: Pod) => Amounts,
): Taken[] {
  const chosen: Taken[] = [];
  let [open, left] = [[...candidates], missing];
  while (left.size > 0 && open.length > 0) {
    const [best] = open.toSorted((a, b) => {
      const [mine, other] = [requestsOf(a.pod), requestsOf(b.pod)];
      return distance(left, mine) - distance(left, other) || sum(mine) - sum(other);
    });
    chosen.push(best!);
    open = open.filter((each) => each !== best);
    left = without(left, [requestsOf(best!.pod)]);
  }
  return chosen;
}

/** How far from what is missing one who gives back this much leaves it: 0 is all of it. */
function distance(missing: Amounts, given: Amounts): number {
  let total = 0;
  for (const [resource, amount] of missing) {
    const short = Math.max(amount - (given.get(resource) ?? 0), 0) / amount;
    total += short * short;
  }
  return total;
}

function sum(amounts: Amounts): number {
  return [...amounts.values()].reduce((total, amount) => total + amount, 0);
}

function without(missing: Amounts, given: readonly Amounts[]): Map<string, number> {
  const left = new Map<string, number>();
  for (const [resource, amount] of missing) {
    const rest = given.reduce((total, each) => total - (each.get(resource) ?? 0), amount);
    if (rest > 0) left.set(resource, rest);
  }
  return left;
}
