// Amounts of resources as numbers: what pods ask for and what nodes have. Pure.
// CPU in thousandths, everything else in whole units, both rounded up.

import type { Pod } from "../../kinds/core/pod.ts";
import { parseQuantity, quantityToInteger, roundQuantityUp } from "../../meta/quantity.ts";

/** By resource. The three that every pod is asked about stand apart: they are compared thousands of times for each pod. */
export interface Amounts {
  cpu: number;
  memory: number;
  ephemeralStorage: number;
  /** Extended resources, huge pages, and the like; undefined where there are none. */
  others: Map<string, number> | undefined;
}

type ResourceList = Readonly<Record<string, string>> | null | undefined;

export const noAmounts = (): Amounts => ({ cpu: 0, memory: 0, ephemeralStorage: 0, others: undefined });

/** What containers are taken to use that say nothing, where nodes are compared: as upstream, 0.1 CPU and 200 MiB. */
export const UNSAID = { cpu: 100, memory: 200 * 1024 * 1024 } as const;

export function amountsOf(list: ResourceList): Amounts {
  const amounts = noAmounts();
  for (const [resource, text] of Object.entries(list ?? {})) setAmount(amounts, resource, readAmount(resource, text));
  return amounts;
}

/** Requests of a pod as a whole: containers together, init containers one after the other, sidecars with both, overhead. */
export function podRequests({ spec }: Pod, unsaid?: { readonly cpu: number; readonly memory: number }): Amounts {
  const whole = spec.resources?.requests;
  const requestsOf = (container: { resources?: { requests?: ResourceList } | undefined }): Amounts => {
    const requests = container.resources?.requests;
    const amounts = amountsOf(requests);
    if (unsaid === undefined) return amounts;
    if (!says(requests, "cpu") && !says(whole, "cpu")) amounts.cpu = unsaid.cpu;
    if (!says(requests, "memory") && !says(whole, "memory")) amounts.memory = unsaid.memory;
    return amounts;
  };
  const sum = noAmounts();
  for (const container of spec.containers ?? []) addAmounts(sum, requestsOf(container), 1);
  const staying = noAmounts();
  const peak = noAmounts();
  for (const container of spec.initContainers ?? []) {
    const own = requestsOf(container);
    if (container.restartPolicy === "Always") {
      addAmounts(sum, own, 1);
      addAmounts(staying, own, 1);
      raiseAmounts(peak, staying);
    } else {
      addAmounts(own, staying, 1);
      raiseAmounts(peak, own);
    }
  }
  raiseAmounts(sum, peak);
  for (const [resource, text] of Object.entries(whole ?? {}))
    if (WHOLE_POD.test(resource)) setAmount(sum, resource, readAmount(resource, text));
  addAmounts(sum, amountsOf(spec.overhead), 1);
  return sum;
}

/** Adds (1) or takes away (-1). */
export function addAmounts(to: Amounts, from: Amounts, sign: 1 | -1): void {
  to.cpu += sign * from.cpu;
  to.memory += sign * from.memory;
  to.ephemeralStorage += sign * from.ephemeralStorage;
  if (from.others === undefined) return;
  to.others ??= new Map();
  for (const [resource, amount] of from.others) to.others.set(resource, (to.others.get(resource) ?? 0) + sign * amount);
}

/** What can be said for all containers of a pod together. */
const WHOLE_POD = /^(?:cpu|memory|hugepages-.+)$/;

const says = (list: ResourceList, resource: string): boolean =>
  list !== undefined && list !== null && Object.hasOwn(list, resource);

/** Nonsense and what is below zero count as nothing. */
function readAmount(resource: string, text: string): number {
  const quantity = parseQuantity(text);
  if (quantity === undefined || quantity.value < 0n) return 0;
  if (resource !== "cpu") return Number(quantityToInteger(quantity));
  const milli = roundQuantityUp(quantity, -3);
  return Number(milli.value) * 10 ** (milli.scale + 3);
}

function setAmount(amounts: Amounts, resource: string, amount: number): void {
  switch (resource) {
    case "cpu":
      amounts.cpu = amount;
      break;
    case "memory":
      amounts.memory = amount;
      break;
    case "ephemeral-storage":
      amounts.ephemeralStorage = amount;
      break;
    default:
      amounts.others ??= new Map();
      amounts.others.set(resource, amount);
  }
}

function raiseAmounts(peak: Amounts, to: Amounts): void {
  peak.cpu = Math.max(peak.cpu, to.cpu);
  peak.memory = Math.max(peak.memory, to.memory);
  peak.ephemeralStorage = Math.max(peak.ephemeralStorage, to.ephemeralStorage);
  for (const [resource, amount] of to.others ?? []) {
    peak.others ??= new Map();
    peak.others.set(resource, Math.max(peak.others.get(resource) ?? 0, amount));
  }
}
