// How pods of one scheduler name are placed: the filters that are asked, the scores with their weights, and what else of
// plug-ins can be chosen. Pure.

import { ALL_FILTERS } from "../filters/all-filters.ts";
import type { ActiveFilter, Filter, FilterName } from "../filters/filter.ts";
import { addedNodeAffinity } from "../filters/node-choice.ts";
import { resourcesFitBut } from "../filters/resources-fit.ts";
import { imageLocality, preferredNodesWith, taintPreference } from "../scores/node-preferences.ts";
import { podPreferencesWith } from "../scores/pod-preferences.ts";
import { allocationScore, balanceScore } from "../scores/resource-strategies.ts";
import { balancedAllocation, leastAllocated } from "../scores/resources.ts";
import type { Score, WeightedScore } from "../scores/score.ts";
import { spreadWith } from "../scores/spread.ts";
import type { PluginArgs } from "./plugin-args.ts";
import type { ActivePlugins } from "./plugins.ts";

export interface Profile {
  readonly schedulerName: string;
  readonly filters: readonly ActiveFilter[];
  readonly scores: readonly WeightedScore[];
  /** Of nodes that will do, after how many the search ends, in percent of all; 0: the fewer, the larger the cluster. */
  readonly percentageOfNodesToScore: number;
  /** Undefined: nobody leaves for pods of this profile. */
  readonly preemption: PluginArgs["DefaultPreemption"] | undefined;
  /** How long binding waits for volumes; undefined: volumes are not bound. */
  readonly bindVolumesMs: number | undefined;
  readonly allocatesDevices: boolean;
}

interface ProfileParts {
  readonly schedulerName: string;
  readonly percentageOfNodesToScore: number;
  readonly plugins: ActivePlugins;
  readonly args: PluginArgs;
}

export function buildProfile({ schedulerName, percentageOfNodesToScore, plugins, args }: ProfileParts): Profile {
  const filters = plugins.get("filter")!;
  const scores = plugins.get("score")!;
  const volumes = filters.has("VolumeBinding");
  return {
    schedulerName,
    percentageOfNodesToScore,
    filters: ALL_FILTERS.filter(({ name }) => filters.has(name)).map((each) => withArgs(each, args)),
    scores: scoresOf(args).flatMap(([name, score]) => {
      const weight = scores.get(name);
      return weight === undefined ? [] : [{ score, weight }];
    }),
    preemption: plugins.get("postFilter")!.has("DefaultPreemption") ? args.DefaultPreemption : undefined,
    bindVolumesMs: volumes ? args.VolumeBinding.bindTimeoutSeconds * 1_000 : undefined,
    allocatesDevices: filters.has("DynamicResources"),
  };
}

function withArgs(active: ActiveFilter, { NodeAffinity, NodeResourcesFit }: PluginArgs): ActiveFilter {
  const changed: Partial<Record<FilterName, Filter>> = {
    ...(NodeAffinity.required === undefined ? {} : { NodeAffinity: addedNodeAffinity(NodeAffinity.required) }),
    ...(NodeResourcesFit.ignoredResources.length + NodeResourcesFit.ignoredResourceGroups.length === 0
      ? {}
      : { NodeResourcesFit: resourcesFitBut(NodeResourcesFit) }),
  };
  return { ...active, filter: changed[active.name] ?? active.filter };
}

/** In the order in which they are summed up. */
function scoresOf(args: PluginArgs): readonly (readonly [string, Score])[] {
  const { scoringStrategy } = args.NodeResourcesFit;
  const { resources } = args.NodeResourcesBalancedAllocation;
  const isUsual = (each: typeof resources): boolean =>
    each.map(({ name, weight }) => `${name} ${weight}`).join() === "cpu 1,memory 1";
  const isLeast = scoringStrategy.type === "LeastAllocated" && isUsual(scoringStrategy.resources);
  return [
    ["TaintToleration", taintPreference],
    ["NodeAffinity", preferredNodesWith(args.NodeAffinity.preferred)],
    ["PodTopologySpread", spreadWith(args.PodTopologySpread)],
    ["InterPodAffinity", podPreferencesWith(args.InterPodAffinity)],
    ["NodeResourcesFit", isLeast ? leastAllocated : allocationScore(scoringStrategy)],
    ["NodeResourcesBalancedAllocation", isUsual(resources) ? balancedAllocation : balanceScore(resources)],
    ["ImageLocality", imageLocality],
  ];
}
