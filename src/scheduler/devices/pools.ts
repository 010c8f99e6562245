// The pools of devices that can be used on a node. Drivers publish pools in slices, and replace them by counting up their
// generation: slices of older ones do not count. Pure.

import { type NodeMatcher, nodeSelectorMatcher } from "../../kinds/core/node-matcher.ts";
import type { Device } from "../../kinds/resource/resource-slice-schema.ts";
import { type DeviceLookup, deviceKey, type Slice } from "../state/devices.ts";
import type { NodeInfo } from "../state/node-info.ts";

export interface PooledDevice {
  /** Its name for all drivers. */
  readonly key: string;
  readonly device: Device;
  readonly slice: Slice;
}

export interface Pool {
  /** "driver/pool" */
  readonly id: string;
  readonly name: string;
  readonly devices: readonly PooledDevice[];
  /** Some of its slices are not there, or not for this node. */
  readonly isIncomplete: boolean;
  /** Why it must not be used. */
  readonly problem: string | undefined;
}

export function poolsOn(node: NodeInfo, lookup: DeviceLookup): readonly Pool[] {
  const pools = new Map<string, Slice[]>();
  for (const slice of lookup.slicesFor(node.name)) {
    // Where each device is, only those know that know devices of parts.
    if (slice.spec.perDeviceNodeSelection === true && !lookup.gates.DRAPartitionableDevices) continue;
    if (!isUsableOn(slice, node)) continue;
    const { driver, pool } = slice.spec;
    const id = `${driver}/${pool.name}`;
    const known = pools.get(id);
    const generation = known?.[0]?.spec.pool.generation ?? -1;
    if (known === undefined || pool.generation > generation) pools.set(id, [slice]);
    else if (pool.generation === generation) known.push(slice);
  }
  return Array.from(pools, ([id, slices]) => poolOf(id, slices, node));
}

function poolOf(id: string, slices: readonly Slice[], node: NodeInfo): Pool {
  const devices = slices.length === 1 ? devicesOn(slices[0]!, node) : slices.flatMap((each) => devicesOn(each, node));
  const { name, resourceSliceCount } = slices[0]!.spec.pool;
  const twice = slices.length === 1 ? undefined : firstTwice(devices);
  return {
    id,
    name,
    devices,
    isIncomplete: slices.length !== Number(resourceSliceCount),
    problem: twice === undefined ? undefined : `duplicate device name ${twice.device.name}`,
  };
}

function firstTwice(devices: readonly PooledDevice[]): PooledDevice | undefined {
  const seen = new Set<string>();
  return devices.find(({ key }) => seen.size === seen.add(key).size);
}

function devicesOn(slice: Slice, node: NodeInfo): readonly PooledDevice[] {
  const all = devicesOf(slice);
  return slice.spec.perDeviceNodeSelection === true ? all.filter(({ device }) => isThere(device, node)) : all;
}

/** All of them, wherever they can be used. */
export function devicesOf(slice: Slice): readonly PooledDevice[] {
  const known = DEVICES.get(slice);
  if (known !== undefined) return known;
  const { driver, pool, devices } = slice.spec;
  const made = (devices ?? []).map((device) => ({ key: deviceKey(driver, pool.name, device.name), device, slice }));
  DEVICES.set(slice, made);
  return made;
}

function isUsableOn(slice: Slice, node: NodeInfo): boolean {
  if (slice.spec.perDeviceNodeSelection === true)
    return (slice.spec.devices ?? []).some((device) => isThere(device, node));
  return isThere(slice.spec, node);
}

type Whereabouts = Pick<Slice["spec"], "nodeName" | "allNodes" | "nodeSelector">;

/** Whether what says so of itself, a slice or one of its devices, can be used on the node. */
function isThere(where: Whereabouts, node: NodeInfo): boolean {
  const { nodeName, allNodes, nodeSelector } = where;
  if (nodeName) return nodeName === node.name;
  if (allNodes === true) return true;
  // Nothing that is known here.
  if (nodeSelector === undefined) return false;
  let matcher = MATCHERS.get(where);
  if (matcher === undefined) {
    matcher = nodeSelectorMatcher(nodeSelector.nodeSelectorTerms ?? []);
    MATCHERS.set(where, matcher);
  }
  return matcher.matches(node);
}

/** Objects of informers never change: what was read of one stays true. */
const DEVICES = new WeakMap<Slice, readonly PooledDevice[]>();
const MATCHERS = new WeakMap<Whereabouts, NodeMatcher>();
