// What the scheduler knows of devices: claims, classes, what drivers offer where, and what is taken.

import type { Stored } from "../../client/informer.ts";
import type { DeviceClass } from "../../kinds/resource/device-class.ts";
import type { DeviceTaint } from "../../kinds/resource/device-taints.ts";
import type { ResourceClaim } from "../../kinds/resource/resource-claim.ts";
import type { ResourceSlice } from "../../kinds/resource/resource-slice.ts";
import type { Device } from "../../kinds/resource/resource-slice-schema.ts";
import type { SchedulerGates } from "../scheduler-gates.ts";
import { type CapacityAmounts, capacityAmounts } from "./capacity-amounts.ts";

export type DeviceClaim = Stored<ResourceClaim>;
export type Slice = Stored<ResourceSlice>;

export interface DeviceLookup {
  claim(namespace: string, name: string): DeviceClaim | undefined;
  deviceClass(name: string): Stored<DeviceClass> | undefined;
  /** The class whose devices are this extended resource. */
  classOfResource(resource: string): string | undefined;
  /** The claim that was made for extended resources of a pod before. */
  extendedClaimOf(podUid: string): DeviceClaim | undefined;
  /** Slices of this node alone, and those that say otherwise where their devices can be used. */
  slicesFor(nodeName: string): Iterable<Slice>;
  /** Whether a device is allocated, or about to be. */
  isTaken(device: string): boolean;
  /** How much of a device is used by those who share it, or are about to; undefined when nobody does. */
  sharesOf(device: string): CapacityAmounts | undefined;
  /** Its own, and those of rules. */
  taintsOf(device: Device, slice: Slice): readonly DeviceTaint[];
  /** Whether what was found for a claim is on its way to the server. */
  isBeingAllocated(claimUid: string): boolean;
  /** Tells the shares of a device apart: a UUID in lower case. */
  newShareId(): string;
  nowMs(): number;
  readonly gates: SchedulerGates;
  /** Names the types of expressions. */
  readonly dialect: string;
}

/** The name of a device for all drivers and pools. Only the pool's may have slashes. */
export const deviceKey = (driver: string, pool: string, device: string): string => `${driver}/${pool}/${device}`;

interface UseOfDevices {
  /** Kept from all others. */
  readonly whole: readonly string[];
  readonly shares: readonly (readonly [device: string, CapacityAmounts])[];
}

const NO_USE: UseOfDevices = { whole: [], shares: [] };

/** What a claim uses: devices that it only administrates do not count. */
export function usedBy({ status }: Pick<ResourceClaim, "status">): UseOfDevices {
  const results = status.allocation?.devices.results?.filter(({ adminAccess }) => adminAccess !== true) ?? [];
  if (results.length === 0) return NO_USE;
  const key = ({ driver, pool, device }: (typeof results)[number]): string => deviceKey(driver, pool, device);
  return {
    whole: results.filter(({ shareID }) => shareID === undefined).map(key),
    shares: results
      .filter(({ shareID }) => shareID !== undefined)
      .map((result) => [key(result), capacityAmounts(result.consumedCapacity ?? {})]),
  };
}
