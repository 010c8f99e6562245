// Which pod goes first when the node runs short: who uses more than it asked for, then who matters less, then who uses most
// beyond what it asked for. Pure.

import type { Pod } from "../../kinds/core/pod.ts";
import type { EvictionSignal } from "../config/eviction-threshold.ts";
import { type DiskParts, type PodUsage, podDiskUsage } from "../stats/pod-usage.ts";
import { requestedOf } from "./pod-requests.ts";
import { resourceOf, type ScarceResource } from "./signals.ts";

interface PodWithUsage {
  readonly pod: Pod;
  /** Undefined where nobody knows: such a pod goes before all others. */
  readonly usage: PodUsage | undefined;
}

/** In the order in which they go. */
export function rankPods<Ranked extends PodWithUsage>(
  pods: readonly Ranked[],
  signal: EvictionSignal,
  hasImageDisk: boolean,
): Ranked[] {
  const resource = resourceOf(signal);
  const parts = diskParts(signal, hasImageDisk);
  const beyond = new Map(pods.map((each) => [each, beyondRequest(each, resource, parts)]));
  // Processes are not asked for: only what a pod is worth and how many it has count.
  const countsRequests = resource !== "pids";
  return pods.toSorted((a, b) => {
    const [mine, other] = [beyond.get(a)!, beyond.get(b)!];
    return (
      (countsRequests ? Number(other > 0) - Number(mine > 0) : 0) ||
      (a.pod.spec.priority ?? 0) - (b.pod.spec.priority ?? 0) ||
      // Two that nobody knows of are alike.
      (mine === other ? 0 : other - mine)
    );
  });
}

/** What of a pod lies on the disk that the signal is about. */
function diskParts(signal: EvictionSignal, hasImageDisk: boolean): DiskParts {
  const isNodeDisk = signal.startsWith("nodefs.");
  return {
    root: !hasImageDisk || !isNodeDisk,
    logs: !hasImageDisk || isNodeDisk,
    volumes: !hasImageDisk || isNodeDisk,
  };
}

function beyondRequest({ pod, usage }: PodWithUsage, resource: ScarceResource, parts: DiskParts): number {
  if (usage === undefined) return Number.POSITIVE_INFINITY;
  switch (resource) {
    case "memory":
      return usage.memoryBytes - requestedOf(pod, "memory");
    case "pids":
      return usage.processes;
    case "inodes":
      return podDiskUsage(pod, usage, parts).inodes;
    case "ephemeral-storage":
      return podDiskUsage(pod, usage, parts).bytes - requestedOf(pod, "ephemeral-storage");
  }
}
