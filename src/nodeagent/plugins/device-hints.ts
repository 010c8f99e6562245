// Near which NUMA nodes devices are. Pure.

import type { NumaHint } from "../topology/merge-hints.ts";
import { countOf, everyMask, maskOf, type NumaMask } from "../topology/numa-mask.ts";
import type { Device } from "./device-messages.ts";

interface DeviceWish {
  readonly free: readonly string[];
  /** What the pod has already and uses again: it is not left behind. */
  readonly inherited: readonly string[];
  readonly count: number;
  /** Those of the machine. */
  readonly nodes: readonly number[];
}

/** Undefined where the plug-in does not say where its devices are; none where there are not enough. */
export function deviceHints(devices: readonly Device[], wish: DeviceWish): NumaHint[] | undefined {
  const { free, inherited, count, nodes } = wish;
  const masks = masksOf(devices);
  if ([...masks.values()].every((mask) => mask === 0)) return undefined;
  const near = (mask: NumaMask, ids: Iterable<string>) => [...ids].filter((id) => (masks.get(id) ?? 0) & mask).length;
  let fewest = nodes.length;
  const fitting: NumaMask[] = [];
  for (const mask of everyMask(nodes)) {
    if (near(mask, masks.keys()) >= count) fewest = Math.min(fewest, countOf(mask));
    if (near(mask, inherited) === inherited.length && near(mask, free) >= count) fitting.push(mask);
  }
  return fitting.map((mask) => ({ mask, isPreferred: countOf(mask) === fewest }));
}

/** How near each device is to the nodes: 0 near, 1 elsewhere, 2 nobody knows where. */
export function nearDevices(devices: readonly Device[], mask: NumaMask | undefined): ReadonlyMap<string, number> {
  if (mask === undefined) return new Map();
  return new Map([...masksOf(devices)].map(([id, own]) => [id, own === 0 ? 2 : own & mask ? 0 : 1]));
}

function masksOf(devices: readonly Device[]): ReadonlyMap<string, NumaMask> {
  return new Map(devices.map(({ id, topology }) => [id, maskOf((topology?.nodes ?? []).map((node) => node.id))]));
}
