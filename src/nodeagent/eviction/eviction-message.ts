// Why a pod has to go, in the words that its owner reads. Pure.

import type { Pod } from "../../kinds/core/pod.ts";
import { formatQuantity, parseQuantity, quantityAsFloat, quantityOfInt } from "../../meta/quantity.ts";
import type { ContainerUsage, PodUsage } from "../stats/pod-usage.ts";
import {
  amountOf,
  type EvictionThreshold,
  type Observation,
  type Observations,
  type ScarceResource,
} from "./signals.ts";

export function evictionMessage(
  pod: Pod,
  usage: PodUsage | undefined,
  resource: ScarceResource,
  met: { readonly threshold: EvictionThreshold; readonly observations: Observations },
): string {
  const observed = met.observations.get(met.threshold.signal);
  const numbers = observed === undefined ? "" : amounts(met.threshold, observed, formOf(resource));
  return `The node was low on resource: ${resource}. ${numbers}${greedyContainers(pod, usage, resource)}`;
}

/** What is a share of something is told like bytes, whatever it is of. */
function amounts({ value }: EvictionThreshold, { available, capacity }: Observation, form: QuantityForm): string {
  const wanted = amountText(amountOf(value, capacity), "share" in value ? "BinarySI" : form);
  return `Threshold quantity: ${wanted}, available: ${amountText(available, form)}. `;
}

/** Those that use more than they asked for. */
function greedyContainers({ spec }: Pod, usage: PodUsage | undefined, resource: ScarceResource): string {
  let text = "";
  for (const { name, resources } of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    const used = usedBytes(usage?.containers.get(name), resource);
    const request = resources.requests?.[resource] ?? "0";
    const asked = parseQuantity(request);
    if (used === undefined || asked === undefined || used <= quantityAsFloat(asked)) continue;
    text += `Container ${name} was using ${amountText(used, formOf(resource))}, request is ${request}, has larger consumption of ${resource}. `;
  }
  return text;
}

function usedBytes(usage: ContainerUsage | undefined, resource: ScarceResource): number | undefined {
  if (usage === undefined) return undefined;
  if (resource === "memory") return usage.memoryBytes;
  return resource === "ephemeral-storage" ? usage.root.bytes + usage.logs.bytes : undefined;
}

type QuantityForm = "BinarySI" | "DecimalSI";

const formOf = (resource: ScarceResource): QuantityForm =>
  resource === "memory" || resource === "ephemeral-storage" ? "BinarySI" : "DecimalSI";

function amountText(amount: number, form: QuantityForm): string {
  return formatQuantity(quantityOfInt(Math.floor(amount), form));
}
