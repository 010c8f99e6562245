// Until when pods may use the devices of a claim. Pure.

import { type DeviceTaint, toleratesDeviceTaint } from "../../kinds/resource/device-taints.ts";
import type { AllocationResult } from "../../kinds/resource/resource-claim-schema.ts";

export type AllocatedDevice = NonNullable<AllocationResult["devices"]["results"]>[number];

/** As upstream: only a toleration that says NoExecute itself keeps pods; of several, the shortest counts. */
const EVICTS = "NoExecute";

/**
 * When pods that use the devices have to go, in milliseconds since 1970; undefined: they may stay. A taint that does not say
 * since when it is there counts from `nowMs`.
 */
export function evictionTimeMs(
  devices: readonly AllocatedDevice[],
  taintsOf: (device: AllocatedDevice) => readonly DeviceTaint[],
  nowMs: number,
): number | undefined {
  let whenMs = Number.POSITIVE_INFINITY;
  for (const device of devices) {
    for (const taint of taintsOf(device)) {
      if (!isEvicting(taint)) continue;
      const sinceMs = Date.parse(taint.timeAdded ?? "");
      whenMs = Math.min(whenMs, (Number.isNaN(sinceMs) ? nowMs : sinceMs) + toleratedMs(device, taint));
    }
  }
  return Number.isFinite(whenMs) ? whenMs : undefined;
}

export const isEvicting = ({ effect }: DeviceTaint): boolean => effect === EVICTS;

/** 0 when not at all, Infinity when it does not mind. */
function toleratedMs({ tolerations }: AllocatedDevice, taint: DeviceTaint): number {
  const matching = (tolerations ?? []).filter((each) => each.effect === EVICTS && toleratesDeviceTaint(each, taint));
  if (matching.length === 0) return 0;
  if (matching.some(({ tolerationSeconds }) => tolerationSeconds === undefined)) return Number.POSITIVE_INFINITY;
  const seconds = matching.reduce((least, each) => Math.min(least, Number(each.tolerationSeconds)), Infinity);
  return Math.max(0, seconds) * 1_000;
}
