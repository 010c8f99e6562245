// How fast pods are driven from silent nodes: slower where much of a zone is silent, and not at all where everything is,
// because then it is more likely that this process hears nobody. Pure.

import type { Node } from "../../kinds/core/node.ts";
import type { Names } from "../../meta/names.ts";

type ZoneState = "normal" | "partlySilent" | "silent";

interface ZoneLimits {
  /** Nodes a second. */
  readonly nodeEvictionRate: number;
  readonly secondaryNodeEvictionRate: number;
  readonly unhealthyZoneThreshold: number;
  readonly largeClusterSizeThreshold: number;
}

/** The same for nodes of one zone; empty for those that name none. */
export function zoneOf({ metadata: { labels } }: Node, names: Names): string {
  const zone = labels?.[names.betaZoneLabel] ?? labels?.[names.zoneLabel] ?? "";
  const region = labels?.[names.betaRegionLabel] ?? labels?.[names.regionLabel] ?? "";
  return zone === "" && region === "" ? "" : `${region}/${zone}`;
}

export interface ZoneCount {
  readonly ready: number;
  readonly notReady: number;
}

function zoneState({ ready, notReady }: ZoneCount, { unhealthyZoneThreshold }: ZoneLimits): ZoneState {
  if (ready === 0 && notReady > 0) return "silent";
  // One or two nodes may always fail.
  if (notReady > 2 && notReady / (ready + notReady) >= unhealthyZoneThreshold) return "partlySilent";
  return "normal";
}

/** Nodes a second that may be tainted in each zone. */
export function evictionRates(
  zones: ReadonlyMap<string, ZoneCount>,
  limits: ZoneLimits,
): { readonly everythingIsSilent: boolean; readonly rates: ReadonlyMap<string, number> } {
  const states = new Map([...zones].map(([zone, count]) => [zone, zoneState(count, limits)]));
  // Zones in which nobody is counted say nothing.
  const counted = [...states].filter(([zone]) => zones.get(zone)!.ready + zones.get(zone)!.notReady > 0);
  const everythingIsSilent = counted.length > 0 && counted.every(([, state]) => state === "silent");
  const rates = new Map<string, number>();
  for (const [zone, state] of states) {
    const { ready, notReady } = zones.get(zone)!;
    const isLarge = ready + notReady > limits.largeClusterSizeThreshold;
    const slow = isLarge ? limits.secondaryNodeEvictionRate : 0;
    rates.set(zone, everythingIsSilent ? 0 : state === "partlySilent" ? slow : limits.nodeEvictionRate);
  }
  return { everythingIsSilent, rates };
}
