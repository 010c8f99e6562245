// How many endpoints and slices Services have and how that changes, for who measures it. Pure but for the running sums.

import type { Stored } from "../../client/informer.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import type { EndpointSlice } from "../../kinds/discovery/endpoint-slice.ts";
import type { SliceSums, SliceTurn } from "../framework/controller-metrics.ts";
import type { SlicePlan } from "../slices/pack-slices.ts";

type Slices = readonly Pick<Draft<EndpointSlice>, "endpoints" | "ports">[];

/** Of one Service. */
interface SliceCounts {
  readonly endpoints: number;
  readonly slices: number;
  readonly neededSlices: number;
  readonly trafficDistribution: string;
}

export function endpointsChanged(
  existing: readonly Stored<EndpointSlice>[],
  plan: SlicePlan,
): Pick<SliceTurn, "endpointsAdded" | "endpointsRemoved"> {
  const before = addressesOf([...plan.remove, ...existing.filter(isIn(plan.update))]);
  const after = addressesOf([...plan.create, ...plan.update]);
  let kept = 0;
  for (const address of after) if (before.has(address)) kept += 1;
  return { endpointsAdded: after.size - kept, endpointsRemoved: before.size - kept };
}

export function countsAfter(
  existing: readonly Stored<EndpointSlice>[],
  plan: SlicePlan,
  { maxEndpoints, trafficDistribution }: { readonly maxEndpoints: number; readonly trafficDistribution: string },
): SliceCounts {
  const [isUpdated, isRemoved] = [isIn(plan.update), isIn(plan.remove)];
  const kept = existing.filter((slice) => !isUpdated(slice) && !isRemoved(slice));
  const slices: Slices = [...kept, ...plan.update, ...plan.create];
  // Endpoints with other ports cannot share a slice.
  const groups = new Map<string, number>();
  let endpoints = 0;
  for (const slice of slices) {
    const count = slice.endpoints?.length ?? 0;
    const ports = JSON.stringify(slice.ports ?? []);
    groups.set(ports, (groups.get(ports) ?? 0) + count);
    endpoints += count;
  }
  let neededSlices = 0;
  for (const count of groups.values()) neededSlices += Math.max(1, Math.ceil(count / maxEndpoints));
  return { endpoints, slices: slices.length, neededSlices, trafficDistribution };
}

/** Sums over Services, kept while single ones change. */
export class SliceTotals {
  readonly #byService = new Map<string, SliceCounts>();
  readonly #byDistribution = new Map<string, number>();
  #endpoints = 0;
  #slices = 0;
  #neededSlices = 0;

  set(key: string, counts: SliceCounts): void {
    this.forget(key);
    this.#byService.set(key, counts);
    this.#add(counts, 1);
  }

  forget(key: string): void {
    const known = this.#byService.get(key);
    if (known === undefined) return;
    this.#byService.delete(key);
    this.#add(known, -1);
  }

  get sums(): SliceSums {
    return {
      endpoints: this.#endpoints,
      slices: this.#slices,
      neededSlices: this.#neededSlices,
      servicesByDistribution: this.#byDistribution,
    };
  }

  #add({ endpoints, slices, neededSlices, trafficDistribution }: SliceCounts, sign: 1 | -1): void {
    this.#endpoints += sign * endpoints;
    this.#slices += sign * slices;
    this.#neededSlices += sign * neededSlices;
    if (trafficDistribution === "") return;
    this.#byDistribution.set(trafficDistribution, (this.#byDistribution.get(trafficDistribution) ?? 0) + sign);
  }
}

function isIn(slices: readonly Draft<EndpointSlice>[]): (slice: Stored<EndpointSlice>) => boolean {
  const names = new Set(slices.map(({ metadata }) => metadata?.name));
  return ({ metadata }) => names.has(metadata.name);
}

function addressesOf(slices: Slices): ReadonlySet<string> {
  const addresses = new Set<string>();
  for (const { endpoints } of slices)
    for (const endpoint of endpoints ?? []) for (const address of endpoint.addresses ?? []) addresses.add(address);
  return addresses;
}
