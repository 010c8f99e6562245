// Where pods stand in the tree of control groups: below one group for all of them, by class of service. Guaranteed pods
// stand directly below it. Pure.
//
//   cgroupfs   /kubepods/burstable/pod0123-45
//   systemd    /kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0123_45.slice

import { qosClassOf } from "../../kinds/core/pod/resources.ts";
import type { Pod } from "../../kinds/core/pod.ts";

export type CgroupDriver = "cgroupfs" | "systemd";

/** The parts of a name, from the root on. */
export type CgroupName = readonly string[];

export const ALL_PODS: CgroupName = ["kubepods"];
export const BURSTABLE: CgroupName = [...ALL_PODS, "burstable"];
export const BEST_EFFORT: CgroupName = [...ALL_PODS, "besteffort"];

const BY_CLASS = { Guaranteed: ALL_PODS, Burstable: BURSTABLE, BestEffort: BEST_EFFORT } as const;

export function podCgroup(pod: Pod): CgroupName {
  return [...BY_CLASS[qosClassOf(pod.spec)], `pod${pod.metadata.uid}`];
}

/** Every name that a pod may have: of one that is gone nobody knows its class any more. */
export function possibleCgroups(uid: string): CgroupName[] {
  return Object.values(BY_CLASS).map((parent) => [...parent, `pod${uid}`]);
}

/** As the runtime is told, and as the path is below the root of the tree. */
export function cgroupPath(name: CgroupName, driver: CgroupDriver, root: CgroupName): string {
  const whole = [...root, ...name];
  if (driver === "cgroupfs") return `/${whole.join("/")}`;
  // A dash separates slices, so that one inside of a name would be another level.
  const safe = whole.map((part) => part.replaceAll("-", "_"));
  return safe.map((_, index) => `/${safe.slice(0, index + 1).join("-")}.slice`).join("");
}

/** Of `cgroupRoot`: "/a/b". */
export function cgroupNameOf(path: string): CgroupName {
  return path.split("/").filter((part) => part !== "" && part !== "." && part !== "..");
}
