// In which order groups and versions are shown: upstream's priorities of the built-in ones.

import type { GroupKey } from "../../../meta/names.ts";

/** [groupPriorityMinimum, versionPriority] */
export type Priorities = readonly [number, number];

const GROUPS: Readonly<Partial<Record<GroupKey, number>>> = {
  "": 18000,
  apps: 17800,
  events: 17750,
  authentication: 17700,
  authorization: 17600,
  autoscaling: 17500,
  batch: 17400,
  certificates: 17300,
  networking: 17200,
  policy: 17100,
  "rbac.authorization": 17000,
  storage: 16800,
  apiextensions: 16700,
  admissionregistration: 16700,
  scheduling: 16600,
  coordination: 16500,
  node: 16300,
  discovery: 16200,
  resource: 16200,
  "flowcontrol.apiserver": 16100,
  "internal.apiserver": 16000,
  storagemigration: 15800,
};

/** Versions whose priority is not the usual one of their stage. */
const VERSIONS: Readonly<Record<string, number>> = {
  "/v1": 1,
  "autoscaling/v2": 30,
  "admissionregistration/v1beta1": 12,
  "admissionregistration/v1alpha1": 9,
  "coordination/v1beta1": 13,
  "coordination/v1alpha2": 12,
  "flowcontrol.apiserver/v1": 21,
  "internal.apiserver/v1alpha1": 9,
  "storagemigration/v1alpha1": 9,
  "resource/v1": 21,
  "resource/v1beta2": 15,
};

const CUSTOM: Priorities = [1000, 100];

/** `group` is undefined for groups of custom resources. */
export function prioritiesOf(group: GroupKey | undefined, version: string): Priorities {
  const groupPriority = group === undefined ? undefined : GROUPS[group];
  if (groupPriority === undefined) return CUSTOM;
  const usual = version.includes("alpha") ? 1 : version.includes("beta") ? 9 : 15;
  return [groupPriority, VERSIONS[`${group}/${version}`] ?? usual];
}
