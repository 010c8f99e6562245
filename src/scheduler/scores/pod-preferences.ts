// Score: pods that this one prefers to be near or away from, and pods that prefer it so themselves. Pure.

import { countsOf } from "../filters/pod-affinity.ts";
import type { Domains } from "../state/domains.ts";
import type { PodCounts } from "../state/pod-counts.ts";
import { type AffinityTerm, termMeans } from "../state/pod-info.ts";
import { BEST, type Score } from "./score.ts";

/** What counts in the eyes of a pod that needs to be near this one, and already is somewhere. */
const NEEDED_BY_OTHERS = 1;

export const podPreferences: Score = (pod, _nodes, { state }, places) => {
  const parts: { domains: Domains; weight: number; pods: Readonly<Int32Array> }[] = [];
  const add = ({ topologyKey }: AffinityTerm, weight: number, counts: PodCounts): void => {
    if (counts.byNode.size === 0) return;
    const domains = state.domainsOf(topologyKey);
    parts.push({ domains, weight, pods: counts.inDomains(domains) });
  };
  for (const { term, weight } of pod.preferences) for (const pods of countsOf(term, state)) add(term, weight, pods);
  for (const { term, weight, pods } of state.preferredTerms.all())
    if (termMeans(term, pod, state.labelsOfNamespace)) add(term, weight, pods);
  for (const { term, pods } of state.neededTerms.all())
    if (termMeans(term, pod, state.labelsOfNamespace)) add(term, NEEDED_BY_OTHERS, pods);
  if (parts.length === 0) return undefined;
  const raw = new Array<number>(places.length).fill(0);
  for (const { domains, weight, pods } of parts) {
    for (let index = 0; index < places.length; index += 1) {
      const domain = domains.at(places[index]!);
      if (domain >= 0) raw[index]! += weight * pods[domain]!;
    }
  }
  return between(raw);
};

/** The least is 0, the most 100; all equal, nothing. */
function between(raw: readonly number[]): readonly number[] | undefined {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const value of raw) {
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  if (max === min) return undefined;
  return raw.map((value) => Math.trunc((BEST * (value - min)) / (max - min)));
}
