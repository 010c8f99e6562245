// How much of the work of a cluster each zone can take, by the processors of its nodes; and how many endpoints of a Service
// each zone gets then. For Services whose topology mode is Auto. Pure.

import type { Node } from "../../kinds/core/node.ts";
import type { Names } from "../../meta/names.ts";
import { parseQuantity, quantityAsFloat } from "../../meta/quantity.ts";

/** From 0 to 1, together 1; undefined when nodes do not say enough or are all in one zone. */
export type ZoneShares = ReadonlyMap<string, number> | undefined;

export interface ZoneAllocation {
  /** With fewer, the endpoints of a zone would get a fifth more than their share. */
  readonly minimum: number;
  readonly maximum: number;
  readonly desired: number;
}

const OVERLOAD = 0.2;

export function zoneSharesOf(nodes: Iterable<Node>, names: Names): ZoneShares {
  const cpus = new Map<string, number>();
  let total = 0;
  for (const node of nodes) {
    if (!takesPart(node, names)) continue;
    const zone = node.metadata.labels?.[names.zoneLabel] ?? "";
    const cpu = cpuOf(node);
    // One node that says too little makes every share wrong.
    if (zone === "" || cpu === 0) return undefined;
    cpus.set(zone, (cpus.get(zone) ?? 0) + cpu);
    total += cpu;
  }
  if (cpus.size < 2) return undefined;
  return new Map([...cpus].map(([zone, cpu]) => [zone, cpu / total]));
}

/** How many endpoints each zone gets, or why none can be given. */
export function allocateZones(shares: ZoneShares, count: number): ReadonlyMap<string, ZoneAllocation> | string {
  if (shares === undefined)
    return "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes";
  if (shares.size > count) return `Insufficient number of endpoints (${count} endpoints, ${shares.size} zones)`;
  const minimums = new Map([...shares].map(([zone, share]) => [zone, Math.ceil((share * count) / (1 + OVERLOAD))]));
  const spare = count - [...minimums.values()].reduce((sum, minimum) => sum + minimum, 0);
  if (spare < 0) {
    const why = "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold";
    return `${why} (${count} endpoints, ${shares.size} zones)`;
  }
  return new Map(
    [...minimums].map(([zone, minimum]) => {
      const desired = Math.max((shares.get(zone) ?? 0) * count, minimum);
      return [zone, { minimum, maximum: minimum + spare, desired }];
    }),
  );
}

function takesPart({ metadata, status }: Node, { nodeRolePrefix }: Names): boolean {
  const labels = metadata.labels ?? {};
  if (Object.hasOwn(labels, `${nodeRolePrefix}control-plane`) || Object.hasOwn(labels, `${nodeRolePrefix}master`))
    return false;
  return (status?.conditions ?? []).some(({ type, status }) => type === "Ready" && status === "True");
}

function cpuOf({ status }: Node): number {
  const quantity = parseQuantity(String(status?.allocatable?.["cpu"] ?? "0"));
  return quantity === undefined ? 0 : Math.max(0, quantityAsFloat(quantity));
}
