// What the scheduler knows of devices: claims, classes, what drivers offer where, and what is taken.

import type { Stored } from "../../client/informer.ts";
import type { DeviceClass } from "../../kinds/resource/device-class.ts";
import type { ResourceClaim } from "../../kinds/resource/resource-claim.ts";
import type { ResourceSlice } from "../../kinds/resource/resource-slice.ts";

export type DeviceClaim = Stored<ResourceClaim>;
export type Slice = Stored<ResourceSlice>;

export interface DeviceLookup {
  claim(namespace: string, name: string): DeviceClaim | undefined;
  deviceClass(name: string): Stored<DeviceClass> | undefined;
  /** Slices of this node alone, and those that say otherwise where their devices can be used. */
  slicesFor(nodeName: string): Iterable<Slice>;
  /** Whether a device is allocated, or about to be. */
  isTaken(device: string): boolean;
  /** Whether what was found for a claim is on its way to the server. */
  isBeingAllocated(claimUid: string): boolean;
  /** Names the types of expressions. */
  readonly dialect: string;
}

/** The name of a device for all drivers and pools. Only the pool's may have slashes. */
export const deviceKey = (driver: string, pool: string, device: string): string => `${driver}/${pool}/${device}`;

/** Devices that a claim keeps from others: not those that it only administrates. */
export function devicesKeptBy({ status }: Pick<ResourceClaim, "status">): string[] {
  const results = status.allocation?.devices.results ?? [];
  return results.flatMap(({ driver, pool, device, adminAccess }) =>
    adminAccess === true ? [] : [deviceKey(driver, pool, device)],
  );
}
