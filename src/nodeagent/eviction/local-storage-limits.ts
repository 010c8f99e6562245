// Limits on what a pod may hold on the node's disk: of each emptyDir volume, of the pod, of each container. Pure.

import type { Pod } from "../../kinds/core/pod.ts";
import { formatQuantity, parseQuantity, quantityAsFloat } from "../../meta/quantity.ts";
import { type PodUsage, podDiskUsage } from "../stats/pod-usage.ts";
import { limitOf } from "./pod-requests.ts";

const STORAGE = "ephemeral-storage";
const EVERYTHING = { root: true, logs: true, volumes: true };

/** Whether the pod has any: what it uses is not measured for others. */
export function hasStorageLimits(pod: Pod): boolean {
  const { volumes = [] } = pod.spec;
  return volumes.some(({ emptyDir }) => emptyDir?.sizeLimit !== undefined) || limitOf(pod, STORAGE) !== undefined;
}

/** Which limit the pod has passed, in the words that its owner reads; undefined when it keeps to all. */
export function storageLimitProblem(pod: Pod, usage: PodUsage, hasImageDisk: boolean): string | undefined {
  return volumeProblem(pod, usage) ?? podProblem(pod, usage) ?? containerProblem(pod, usage, hasImageDisk);
}

function volumeProblem({ spec }: Pod, { volumes }: PodUsage): string | undefined {
  for (const { name, emptyDir } of spec.volumes ?? []) {
    const limit = emptyDir?.sizeLimit === undefined ? undefined : parseQuantity(emptyDir.sizeLimit);
    const used = volumes.get(name)?.bytes ?? 0;
    if (limit !== undefined && quantityAsFloat(limit) > 0 && used > quantityAsFloat(limit))
      return `Usage of EmptyDir volume "${name}" exceeds the limit "${formatQuantity(limit)}". `;
  }
  return undefined;
}

function podProblem(pod: Pod, usage: PodUsage): string | undefined {
  const limit = limitOf(pod, STORAGE);
  if (limit === undefined || podDiskUsage(pod, usage, EVERYTHING).bytes <= quantityAsFloat(limit)) return undefined;
  return `Pod ephemeral local storage usage exceeds the total limit of containers ${formatQuantity(limit)}. `;
}

function containerProblem({ spec }: Pod, usage: PodUsage, hasImageDisk: boolean): string | undefined {
  for (const { name, resources } of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    const text = resources.limits?.[STORAGE];
    const limit = text === undefined ? undefined : parseQuantity(text);
    const used = usage.containers.get(name);
    if (limit === undefined || used === undefined) continue;
    // What a container writes to its own root lies on the disk of images, where there is one.
    const bytes = used.logs.bytes + (hasImageDisk ? 0 : used.root.bytes);
    if (bytes > quantityAsFloat(limit))
      return `Container ${name} exceeded its local ephemeral storage limit "${formatQuantity(limit)}". `;
  }
  return undefined;
}
