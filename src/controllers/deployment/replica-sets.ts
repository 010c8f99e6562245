// The ReplicaSets of a Deployment: the one of its present template, the others, and orders among them.

import type { Stored } from "../../client/informer.ts";
import type { ReplicaSet } from "../../kinds/apps/replica-set.ts";
import type { PodTemplateSpec } from "../../kinds/core/pod/template-schema.ts";
import { equalTemplates } from "./template-hash.ts";

export type OwnedSet = Stored<ReplicaSet>;

export interface SetsOfDeployment {
  /** The one of the present template; undefined before it is created. */
  readonly current: OwnedSet | undefined;
  /** All others. */
  readonly old: readonly OwnedSet[];
}

/** Of several with the same template the oldest is the current one, so that the answer does not change with the order. */
export function splitSets(template: PodTemplateSpec, sets: readonly OwnedSet[]): SetsOfDeployment {
  const current = [...sets].sort(oldestFirst).find(({ spec }) => equalTemplates(spec.template, template));
  return { current, old: sets.filter((set) => set !== current) };
}

export function allSets({ current, old }: SetsOfDeployment): readonly OwnedSet[] {
  return current === undefined ? old : [...old, current];
}

export const replicasOf = ({ spec }: ReplicaSet): number => spec.replicas ?? 0;
export const availableOf = ({ status }: ReplicaSet): number => status.availableReplicas ?? 0;
export const isActiveSet = (set: ReplicaSet): boolean => replicasOf(set) > 0;

export function sumOf(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number {
  return sets.reduce((total, set) => total + count(set), 0);
}

export function oldestFirst(a: OwnedSet, b: OwnedSet): number {
  return compareTexts(a.metadata.creationTimestamp, b.metadata.creationTimestamp) || byName(a, b);
}

export function newestFirst(a: OwnedSet, b: OwnedSet): number {
  return compareTexts(b.metadata.creationTimestamp, a.metadata.creationTimestamp) || byName(a, b);
}

const byName = (a: OwnedSet, b: OwnedSet): number => compareTexts(a.metadata.name, b.metadata.name);

/** Times of objects are texts of one form: their order is that of the moments. */
const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
