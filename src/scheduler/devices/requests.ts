// What a claim asks for, read for a search: requests in their order, each with one or more ways to meet it. Pure.

import type { DeviceClass } from "../../kinds/resource/device-class.ts";
import type { DeviceToleration } from "../../kinds/resource/device-taints.ts";
import type { DeviceRequest, ExactDeviceRequest } from "../../kinds/resource/resource-claim-spec.ts";
import { meansDevice } from "../../kinds/resource/select-device.ts";
import type { DeviceClaim, DeviceLookup } from "../state/devices.ts";
import { bindingConditionsCount } from "./binding-conditions.ts";
import type { Pool, PooledDevice } from "./pools.ts";

/** So many devices fit into the status of a claim. */
export const MAX_RESULTS = 32;

/** One way to meet a request. */
export interface Way {
  /** As results name it: the request, or "request/subrequest". */
  readonly name: string;
  readonly requestName: string;
  readonly deviceClass: DeviceClass;
  readonly count: number;
  readonly isAdmin: boolean;
  readonly tolerations: readonly DeviceToleration[];
  /** How much of each capacity it needs; undefined: it does not say. */
  readonly capacity: Readonly<Record<string, string>> | undefined;
  /** Those that it takes, where it takes all that fit. */
  readonly all: readonly PooledDevice[] | undefined;
  fits(device: PooledDevice): boolean;
}

interface ReadingParts {
  readonly claim: DeviceClaim;
  readonly pools: readonly Pool[];
  readonly lookup: DeviceLookup;
}

/** For every request the ways to meet it, the best first. Throws when a request cannot be understood. */
export function waysOf(parts: ReadingParts): readonly (readonly Way[])[] {
  const { claim } = parts;
  const requests = (claim.spec.devices?.requests ?? []).map((request) => waysOfRequest(request, parts));
  const least = requests.reduce((sum, ways) => sum + fewest(ways), 0);
  if (least > MAX_RESULTS)
    throw new Error(
      `claim ${claimName(claim)}: number of requested devices ${least} exceeds the claim limit of ${MAX_RESULTS}`,
    );
  return requests;
}

const fewest = (ways: readonly Way[]): number =>
  ways.reduce((least, { count }) => Math.min(least, count), ways[0]?.count ?? 0);

export const claimName = ({ metadata }: DeviceClaim): string => `${metadata.namespace}/${metadata.name}`;

function waysOfRequest({ name, exactly, firstAvailable }: DeviceRequest, parts: ReadingParts): readonly Way[] {
  if (exactly !== undefined) return [wayOf(exactly, name, name, parts)];
  return (firstAvailable ?? []).map((each) => wayOf(each, name, `${name}/${each.name}`, parts));
}

type Wanted = Omit<ExactDeviceRequest, "adminAccess"> & {
  readonly adminAccess?: boolean | undefined;
};

function wayOf(wanted: Wanted, requestName: string, name: string, { claim, pools, lookup }: ReadingParts): Way {
  const where = `claim ${claimName(claim)}, request ${name.slice(name.indexOf("/") + 1)}`;
  const deviceClass = lookup.deviceClass(wanted.deviceClassName);
  if (deviceClass === undefined) throw new Error(`${where}: device class ${wanted.deviceClassName} does not exist`);
  const { gates } = lookup;
  if (wanted.adminAccess === true && !gates.DRAAdminAccess)
    throw new Error(`${where}: admin access is requested, but the feature is disabled`);
  const fits = ({ device, slice: { spec } }: PooledDevice): boolean =>
    // Devices that need more than to be taken are for those who know how.
    (bindingConditionsCount(lookup) || (device.bindingConditions?.length ?? 0) === 0) &&
    (gates.DRAPartitionableDevices || (device.consumesCounters?.length ?? 0) === 0) &&
    meansDevice(deviceClass.spec.selectors, spec.driver, device, lookup.dialect, () => classWords(deviceClass)) &&
    meansDevice(wanted.selectors, spec.driver, device, lookup.dialect, () => `claim ${claimName(claim)}`);
  const all = wanted.allocationMode === "All" ? allOf(pools, fits, where) : undefined;
  return {
    name,
    requestName,
    deviceClass,
    count: all?.length ?? Number(wanted.count ?? 1),
    isAdmin: wanted.adminAccess === true,
    tolerations: gates.DRADeviceTaints ? (wanted.tolerations ?? []) : [],
    capacity: gates.DRAConsumableCapacity ? wanted.capacity?.requests : undefined,
    all,
    fits,
  };
}

const classWords = ({ metadata }: DeviceClass): string => `class ${metadata.name}`;

function allOf(
  pools: readonly Pool[],
  fits: (device: PooledDevice) => boolean,
  where: string,
): readonly PooledDevice[] {
  for (const { id, isIncomplete, problem } of pools) {
    // How many all are is only known of what is whole.
    if (isIncomplete)
      throw new Error(`${where}: asks for all devices, but resource pool ${id} is currently being updated`);
    if (problem !== undefined)
      throw new Error(`${where}: asks for all devices, but resource pool ${id} is currently invalid`);
  }
  return pools.flatMap(({ devices }) => devices.filter(fits));
}
