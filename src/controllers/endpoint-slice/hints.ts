// Who should use which endpoints, to keep traffic close: by the traffic distribution of the Service, or by its topology
// mode. Pure. Requirements: document 3, "Service" (trafficDistribution), "EndpointSlice" (hints).

import type { Service } from "../../kinds/core/service.ts";
import type { Names } from "../../meta/names.ts";
import { endpointIdentity, type SliceEndpoint } from "../slices/slice-endpoint.ts";
import { allocateZones, type ZoneAllocation, type ZoneShares } from "./zone-shares.ts";

/** Whether hints follow the processors of zones; that annotation comes before the traffic distribution. */
export function isTopologyAware({ metadata }: Service, names: Names): boolean {
  const annotations = metadata.annotations ?? {};
  const mode = annotations[names.topologyAwareHintsAnnotation] ?? annotations[names.topologyModeAnnotation];
  return mode === "Auto" || mode === "auto";
}

/** Sets the hints that follow from the traffic distribution: each endpoint is for its own zone, perhaps its own node. */
export function hintCloseEndpoints(endpoints: Iterable<SliceEndpoint>, distribution: string | undefined): void {
  const forNode = distribution === "PreferSameNode";
  if (!forNode && distribution !== "PreferClose" && distribution !== "PreferSameZone") return;
  for (const endpoint of endpoints) {
    const { zone, nodeName, conditions } = endpoint;
    if (conditions?.ready !== true) continue;
    const hints = {
      ...(zone === undefined ? {} : { forZones: [{ name: zone }] }),
      ...(forNode && nodeName !== undefined ? { forNodes: [{ name: nodeName }] } : {}),
    };
    if (Object.keys(hints).length > 0) endpoint.hints = hints;
  }
}

/** Sets hints so that each zone has its share; answers why there are none where that cannot be. */
export function hintByShares(
  endpoints: readonly SliceEndpoint[],
  held: Iterable<SliceEndpoint>,
  shares: ZoneShares,
): string | undefined {
  const ready = endpoints.filter(({ conditions }) => conditions?.ready === true);
  const allocations = allocateZones(shares, ready.length);
  if (typeof allocations === "string") return allocations;
  if (ready.some(({ zone }) => zone === undefined)) return "One or more endpoints do not have a zone specified";
  const zones = startingZones(ready, held, allocations);
  balance(ready, zones, allocations);
  ready.forEach((endpoint, index) => {
    endpoint.hints = { forZones: [{ name: zones[index]! }] };
  });
  return undefined;
}

/** An endpoint stays with the zone that it serves, as far as that zone may have so many; else it serves its own. */
function startingZones(
  ready: readonly SliceEndpoint[],
  held: Iterable<SliceEndpoint>,
  allocations: ReadonlyMap<string, ZoneAllocation>,
): string[] {
  const current = new Map<string, string>();
  for (const endpoint of held) {
    const [zone, ...more] = endpoint.hints?.forZones ?? [];
    if (zone !== undefined && more.length === 0) current.set(endpointIdentity(endpoint), zone.name);
  }
  const counts = new Map<string, number>();
  return ready.map((endpoint) => {
    const known = current.get(endpointIdentity(endpoint));
    const allowed = known === undefined ? undefined : allocations.get(known);
    const zone = allowed !== undefined && (counts.get(known!) ?? 0) < allowed.maximum ? known! : endpoint.zone!;
    counts.set(zone, (counts.get(zone) ?? 0) + 1);
    return zone;
  });
}

/** Zones that have too many endpoints give them to those that have too few. */
function balance(
  ready: readonly SliceEndpoint[],
  zones: string[],
  allocations: ReadonlyMap<string, ZoneAllocation>,
): void {
  const counts = new Map<string, number>();
  for (const zone of zones) counts.set(zone, (counts.get(zone) ?? 0) + 1);
  const isWithin = ([zone, { minimum, maximum }]: [string, ZoneAllocation]): boolean => {
    const count = counts.get(zone) ?? 0;
    return count >= minimum && count <= maximum;
  };
  const known = zones.every((zone) => allocations.has(zone));
  if (known && [...allocations].every(isWithin)) return;
  const members = new Map<string, number[]>();
  zones.forEach((zone, index) => {
    const list = members.get(zone);
    if (list === undefined) members.set(zone, [index]);
    else list.push(index);
  });
  // Endpoints of the zone itself are the last to be given away.
  for (const [zone, list] of members) list.sort((a, b) => rank(ready[b]!, zone) - rank(ready[a]!, zone));
  const surplusOf = (zone: string): number => (counts.get(zone) ?? 0) - (allocations.get(zone)?.desired ?? 0);
  for (let left = zones.length; left > 0; left -= 1) {
    const giving = extreme(counts.keys(), surplusOf);
    const receiving = extreme(allocations.keys(), (zone) => -surplusOf(zone));
    if (giving === undefined || receiving === undefined) return;
    const [give, take] = [surplusOf(giving), -surplusOf(receiving)];
    if (give < 0.5 || take < 0.5 || (give < 1 && take < 1)) return;
    const index = members.get(giving)?.pop();
    if (index === undefined) return;
    zones[index] = receiving;
    counts.set(giving, counts.get(giving)! - 1);
    counts.set(receiving, (counts.get(receiving) ?? 0) + 1);
  }
}

const rank = ({ zone }: SliceEndpoint, own: string): number => (zone === own ? 1 : 0);

function extreme(zones: Iterable<string>, amountOf: (zone: string) => number): string | undefined {
  let best: string | undefined;
  for (const zone of zones) if (best === undefined || amountOf(zone) > amountOf(best)) best = zone;
  return best;
}
