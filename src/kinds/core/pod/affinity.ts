// Where pods want to run, and beside whom.

import { type ObjectOf, opt, ptr, s } from "../../../schema/builder.ts";
import { labelSelector } from "../../meta/label-selector.ts";
import { nodeSelector, nodeSelectorTerm } from "../node-selector.ts";

export type Affinity = ObjectOf<typeof affinity>;

export const affinity = s.struct(
  "core.v1.Affinity",
  "Rules of scheduling: which nodes a pod wants, and beside or away from which pods.",
  () => ({
    nodeAffinity: ptr.of(nodeAffinity, 1, "Which nodes the pod needs or prefers, by their labels."),
    podAffinity: ptr.of(podAffinity, 2, "Pods near which this one needs or prefers to run."),
    podAntiAffinity: ptr.of(podAntiAffinity, 3, "Pods away from which this one needs or prefers to run."),
  }),
);

export type NodeAffinity = ObjectOf<typeof nodeAffinity>;

const nodeAffinity = s.struct("core.v1.NodeAffinity", "The nodes that a pod needs or prefers.", () => ({
  requiredDuringSchedulingIgnoredDuringExecution: ptr.of(
    nodeSelector,
    1,
    "Only nodes that match are considered. A pod that runs stays, even when its node stops matching.",
  ),
  preferredDuringSchedulingIgnoredDuringExecution: opt.atomic(
    preferredSchedulingTerm,
    2,
    "Nodes that match get the weight of the term added to their score; the highest sum is preferred. Others stay possible.",
  ),
}));

const preferredSchedulingTerm = s.struct(
  "core.v1.PreferredSchedulingTerm",
  "Nodes that are preferred, and how much.",
  () => ({
    weight: s.int32(1, "How much a matching node is preferred, from 1 to 100."),
    preference: s.of(nodeSelectorTerm, 2, "Which nodes are meant. An empty one changes nothing."),
  }),
);

export type PodAffinity = ObjectOf<typeof podAffinity>;

const podAffinity = s.struct("core.v1.PodAffinity", "Pods that this one needs or prefers to be near.", () => ({
  requiredDuringSchedulingIgnoredDuringExecution: opt.atomic(
    podAffinityTerm,
    1,
    "All terms must hold on a node for the pod to be scheduled there. A pod that runs stays when they no longer do.",
  ),
  preferredDuringSchedulingIgnoredDuringExecution: opt.atomic(
    weightedPodAffinityTerm,
    2,
    "Nodes where a term holds get its weight added to their score; the highest sum is preferred.",
  ),
}));

const podAntiAffinity = s.struct(
  "core.v1.PodAntiAffinity",
  "Pods that this one needs or prefers to be away from.",
  () => ({
    requiredDuringSchedulingIgnoredDuringExecution: opt.atomic(
      podAffinityTerm,
      1,
      "The pod is scheduled to no node where one of the terms finds a pod. A pod that runs stays when one appears.",
    ),
    preferredDuringSchedulingIgnoredDuringExecution: opt.atomic(
      weightedPodAffinityTerm,
      2,
      "Nodes where a term finds pods get its weight taken off their score; the best remaining one is preferred.",
    ),
  }),
);

export type PodAffinityTerm = ObjectOf<typeof podAffinityTerm>;

const podAffinityTerm = s.struct(
  "core.v1.PodAffinityTerm",
  "A set of pods, and what counts as being near them.",
  () => ({
    labelSelector: ptr.of(labelSelector, 1, "Which pods are meant, by their labels. Not set, no pod is."),
    namespaces: opt.atomic(
      "string",
      2,
      "Namespaces in which pods are looked for, besides those of `namespaceSelector`. With neither, the namespace of this pod.",
    ),
    topologyKey: s.string(
      3,
      "Label of nodes: two pods are near each other when it has the same value on both nodes. Must not be empty.",
    ),
    namespaceSelector: ptr.of(
      labelSelector,
      4,
      "Namespaces in which pods are looked for, by their labels, besides `namespaces`. Empty selects all, not set none.",
    ),
    matchLabelKeys: opt.atomic(
      "string",
      5,
      "Labels of this pod whose values the other pods must share. Merged into `labelSelector`, which must be set and not use them.",
    ),
    mismatchLabelKeys: opt.atomic(
      "string",
      6,
      "Labels of this pod whose values the other pods must not share. Merged into `labelSelector`, which must be set and not use them.",
    ),
  }),
);

const weightedPodAffinityTerm = s.struct(
  "core.v1.WeightedPodAffinityTerm",
  "Pods that count in scheduling, and how much.",
  () => ({
    weight: s.int32(1, "How much the term counts, from 1 to 100."),
    podAffinityTerm: s.of(podAffinityTerm, 2, "The pods, and what is near them."),
  }),
);
