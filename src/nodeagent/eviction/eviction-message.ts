// Why a pod has to go, in the words that its owner reads. Pure.

import type { Pod } from "../../kinds/core/pod.ts";
import { formatQuantity, parseQuantity, quantityAsFloat, quantityOfInt } from "../../meta/quantity.ts";
import type { ContainerUsage, PodUsage } from "../stats/pod-usage.ts";
import { amountOf, type EvictionThreshold, type Observations, type ScarceResource } from "./signals.ts";

export function evictionMessage(
  pod: Pod,
  usage: PodUsage | undefined,
  resource: ScarceResource,
  met: { readonly threshold: EvictionThreshold; readonly observations: Observations },
): string {
  const observed = met.observations.get(met.threshold.signal);
  const numbers =
    observed === undefined
      ? ""
      : `Threshold quantity: ${amountText(amountOf(met.threshold.value, observed.capacity), resource)}, available: ${amountText(observed.available, resource)}. `;
  return `The node was low on resource: ${resource}. ${numbers}${greedyContainers(pod, usage, resource)}`;
}

/** Those that use more than they asked for. */
function greedyContainers({ spec }: Pod, usage: PodUsage | undefined, resource: ScarceResource): string {
  let text = "";
  for (const { name, resources } of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    const used = usedBytes(usage?.containers.get(name), resource);
    const request = resources.requests?.[resource] ?? "0";
    const asked = parseQuantity(request);
    if (used === undefined || asked === undefined || used <= quantityAsFloat(asked)) continue;
    text += `Container ${name} was using ${amountText(used, resource)}, request is ${request}, has larger consumption of ${resource}. `;
  }
  return text;
}

function usedBytes(usage: ContainerUsage | undefined, resource: ScarceResource): number | undefined {
  if (usage === undefined) return undefined;
  if (resource === "memory") return usage.memoryBytes;
  return resource === "ephemeral-storage" ? usage.root.bytes + usage.logs.bytes : undefined;
}

function amountText(amount: number, resource: ScarceResource): string {
  const isBytes = resource === "memory" || resource === "ephemeral-storage";
  return formatQuantity(quantityOfInt(Math.floor(amount), isBytes ? "BinarySI" : "DecimalSI"));
}
