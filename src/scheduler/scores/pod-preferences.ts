// Score: pods that this one prefers to be near or away from, and pods that prefer it so themselves. Pure.

import { countsOf } from "../filters/pod-affinity.ts";
import type { ClusterState } from "../state/cluster-state.ts";
import type { Domains } from "../state/domains.ts";
import type { PodCounts } from "../state/pod-counts.ts";
import { type AffinityTerm, type PodInfo, termMeans } from "../state/pod-info.ts";
import { BEST, type Score } from "./score.ts";

interface PodPreferenceOptions {
  /** What counts in the eyes of a pod that needs to be near this one, and already is somewhere. */
  readonly hardPodAffinityWeight: number;
  /** What others prefer counts only where this pod prefers something, too. */
  readonly ignorePreferredTermsOfExistingPods: boolean;
}

export function podPreferencesWith(options: PodPreferenceOptions): Score {
  return (pod, _nodes, { state }, places, points) => podPreferences(options, pod, state, places, points);
}

function podPreferences(
  { hardPodAffinityWeight, ignorePreferredTermsOfExistingPods: ignoresOthers }: PodPreferenceOptions,
  pod: PodInfo,
  state: ClusterState,
  places: readonly number[],
  points: Float64Array,
): boolean {
  if (ignoresOthers && pod.preferences.length === 0) return false;
  const parts: { domains: Domains; weight: number; pods: Readonly<Int32Array> }[] = [];
  const add = ({ topologyKey }: AffinityTerm, weight: number, counts: PodCounts): void => {
    if (counts.byNode.size === 0) return;
    const domains = state.domainsOf(topologyKey);
    parts.push({ domains, weight, pods: counts.inDomains(domains) });
  };
  for (const { term, weight } of pod.preferences) for (const pods of countsOf(term, state)) add(term, weight, pods);
  for (const { term, weight, pods } of state.preferredTerms.all())
    if (!ignoresOthers && termMeans(term, pod, state.labelsOfNamespace)) add(term, weight, pods);
  for (const { term, pods } of state.neededTerms.all())
    if (hardPodAffinityWeight > 0 && termMeans(term, pod, state.labelsOfNamespace))
      add(term, hardPodAffinityWeight, pods);
  if (parts.length === 0) return false;
  points.fill(0);
  for (const { domains, weight, pods } of parts) {
    for (let index = 0; index < places.length; index += 1) {
      const domain = domains.at(places[index]!);
      if (domain >= 0) points[index]! += weight * pods[domain]!;
    }
  }
  return stretchBetween(points);
}

/** The least is 0, the most 100; false when all are equal. */
function stretchBetween(points: Float64Array): boolean {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const value of points) {
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  if (max === min) return false;
  for (let index = 0; index < points.length; index += 1)
    points[index] = Math.trunc((BEST * (points[index]! - min)) / (max - min));
  return true;
}
