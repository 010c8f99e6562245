// Where pods want to run, and beside whom.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { nodeSelector, nodeSelectorTerm } from "./node-selector.ts";

export type Affinity = ObjectOf<typeof affinity>;

export const affinity = s.struct(
  "core.v1.Affinity",
  { doc: "Rules of scheduling: which nodes a pod wants, and beside or away from which pods." },
  () => ({
    nodeAffinity: s.of(nodeAffinity, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Which nodes the pod needs or prefers, by their labels.",
    }),
    podAffinity: s.of(podAffinity, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Pods near which this one needs or prefers to run.",
    }),
    podAntiAffinity: s.of(podAntiAffinity, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Pods away from which this one needs or prefers to run.",
    }),
  }),
);

export type NodeAffinity = ObjectOf<typeof nodeAffinity>;

export const nodeAffinity = s.struct("core.v1.NodeAffinity", { doc: "The nodes that a pod needs or prefers." }, () => ({
  requiredDuringSchedulingIgnoredDuringExecution: s.of(nodeSelector, {
    proto: 1,
    optional: true,
    pointer: true,
    doc: "Only nodes that match are considered. A pod that runs stays, even when its node stops matching.",
  }),
  preferredDuringSchedulingIgnoredDuringExecution: s.list(preferredSchedulingTerm, {
    proto: 2,
    optional: true,
    listType: "atomic",
    doc: "Nodes that match get the weight of the term added to their score; the highest sum is preferred. Others stay possible.",
  }),
}));

export type PreferredSchedulingTerm = ObjectOf<typeof preferredSchedulingTerm>;

export const preferredSchedulingTerm = s.struct(
  "core.v1.PreferredSchedulingTerm",
  { doc: "Nodes that are preferred, and how much." },
  () => ({
    weight: s.int32({ proto: 1, doc: "How much a matching node is preferred, from 1 to 100." }),
    preference: s.of(nodeSelectorTerm, { proto: 2, doc: "Which nodes are meant. An empty one changes nothing." }),
  }),
);

export type PodAffinity = ObjectOf<typeof podAffinity>;

export const podAffinity = s.struct(
  "core.v1.PodAffinity",
  { doc: "Pods that this one needs or prefers to be near." },
  () => ({
    requiredDuringSchedulingIgnoredDuringExecution: s.list(podAffinityTerm, {
      proto: 1,
      optional: true,
      listType: "atomic",
      doc: "All terms must hold on a node for the pod to be scheduled there. A pod that runs stays when they no longer do.",
    }),
    preferredDuringSchedulingIgnoredDuringExecution: s.list(weightedPodAffinityTerm, {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Nodes where a term holds get its weight added to their score; the highest sum is preferred.",
    }),
  }),
);

export type PodAntiAffinity = ObjectOf<typeof podAntiAffinity>;

export const podAntiAffinity = s.struct(
  "core.v1.PodAntiAffinity",
  { doc: "Pods that this one needs or prefers to be away from." },
  () => ({
    requiredDuringSchedulingIgnoredDuringExecution: s.list(podAffinityTerm, {
      proto: 1,
      optional: true,
      listType: "atomic",
      doc: "The pod is scheduled to no node where one of the terms finds a pod. A pod that runs stays when one appears.",
    }),
    preferredDuringSchedulingIgnoredDuringExecution: s.list(weightedPodAffinityTerm, {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Nodes where a term finds pods get its weight taken off their score; the best remaining one is preferred.",
    }),
  }),
);

export type PodAffinityTerm = ObjectOf<typeof podAffinityTerm>;

export const podAffinityTerm = s.struct(
  "core.v1.PodAffinityTerm",
  { doc: "A set of pods, and what counts as being near them." },
  () => ({
    labelSelector: s.of(labelSelector, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Which pods are meant, by their labels. Not set, no pod is.",
    }),
    namespaces: s.list("string", {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Namespaces in which pods are looked for, besides those of `namespaceSelector`. With neither, the namespace of this pod.",
    }),
    topologyKey: s.string({
      proto: 3,
      doc: "Label of nodes: two pods are near each other when it has the same value on both nodes. Must not be empty.",
    }),
    namespaceSelector: s.of(labelSelector, {
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Namespaces in which pods are looked for, by their labels, besides `namespaces`. Empty selects all, not set none.",
    }),
    matchLabelKeys: s.list("string", {
      proto: 5,
      optional: true,
      listType: "atomic",
      doc: "Labels of this pod whose values the other pods must share. Merged into `labelSelector`, which must be set and not use them.",
    }),
    mismatchLabelKeys: s.list("string", {
      proto: 6,
      optional: true,
      listType: "atomic",
      doc: "Labels of this pod whose values the other pods must not share. Merged into `labelSelector`, which must be set and not use them.",
    }),
  }),
);

export type WeightedPodAffinityTerm = ObjectOf<typeof weightedPodAffinityTerm>;

export const weightedPodAffinityTerm = s.struct(
  "core.v1.WeightedPodAffinityTerm",
  { doc: "Pods that count in scheduling, and how much." },
  () => ({
    weight: s.int32({ proto: 1, doc: "How much the term counts, from 1 to 100." }),
    podAffinityTerm: s.of(podAffinityTerm, { proto: 2, doc: "The pods, and what is near them." }),
  }),
);
