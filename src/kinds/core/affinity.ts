// Where pods want to run, and beside whom.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { nodeSelector, nodeSelectorTerm } from "./node-selector.ts";

export type Affinity = ObjectOf<typeof affinity>;

export const affinity = s.struct("core.v1.Affinity", () => ({
  nodeAffinity: s.of(nodeAffinity, { proto: 1, optional: true, pointer: true }),
  podAffinity: s.of(podAffinity, { proto: 2, optional: true, pointer: true }),
  podAntiAffinity: s.of(podAntiAffinity, { proto: 3, optional: true, pointer: true }),
}));

export type NodeAffinity = ObjectOf<typeof nodeAffinity>;

export const nodeAffinity = s.struct("core.v1.NodeAffinity", () => ({
  requiredDuringSchedulingIgnoredDuringExecution: s.of(nodeSelector, { proto: 1, optional: true, pointer: true }),
  preferredDuringSchedulingIgnoredDuringExecution: s.list(preferredSchedulingTerm, {
    proto: 2,
    optional: true,
    listType: "atomic",
  }),
}));

export type PreferredSchedulingTerm = ObjectOf<typeof preferredSchedulingTerm>;

export const preferredSchedulingTerm = s.struct("core.v1.PreferredSchedulingTerm", () => ({
  weight: s.int32({ proto: 1 }),
  preference: s.of(nodeSelectorTerm, { proto: 2 }),
}));

export type PodAffinity = ObjectOf<typeof podAffinity>;

export const podAffinity = s.struct("core.v1.PodAffinity", () => ({
  requiredDuringSchedulingIgnoredDuringExecution: s.list(podAffinityTerm, {
    proto: 1,
    optional: true,
    listType: "atomic",
  }),
  preferredDuringSchedulingIgnoredDuringExecution: s.list(weightedPodAffinityTerm, {
    proto: 2,
    optional: true,
    listType: "atomic",
  }),
}));

export type PodAntiAffinity = ObjectOf<typeof podAntiAffinity>;

export const podAntiAffinity = s.struct("core.v1.PodAntiAffinity", () => ({
  requiredDuringSchedulingIgnoredDuringExecution: s.list(podAffinityTerm, {
    proto: 1,
    optional: true,
    listType: "atomic",
  }),
  preferredDuringSchedulingIgnoredDuringExecution: s.list(weightedPodAffinityTerm, {
    proto: 2,
    optional: true,
    listType: "atomic",
  }),
}));

export type PodAffinityTerm = ObjectOf<typeof podAffinityTerm>;

export const podAffinityTerm = s.struct("core.v1.PodAffinityTerm", () => ({
  labelSelector: s.of(labelSelector, { proto: 1, optional: true, pointer: true }),
  namespaces: s.list("string", { proto: 2, optional: true, listType: "atomic" }),
  topologyKey: s.string({ proto: 3 }),
  namespaceSelector: s.of(labelSelector, { proto: 4, optional: true, pointer: true }),
  matchLabelKeys: s.list("string", { proto: 5, optional: true, listType: "atomic" }),
  mismatchLabelKeys: s.list("string", { proto: 6, optional: true, listType: "atomic" }),
}));

export type WeightedPodAffinityTerm = ObjectOf<typeof weightedPodAffinityTerm>;

export const weightedPodAffinityTerm = s.struct("core.v1.WeightedPodAffinityTerm", () => ({
  weight: s.int32({ proto: 1 }),
  podAffinityTerm: s.of(podAffinityTerm, { proto: 2 }),
}));
