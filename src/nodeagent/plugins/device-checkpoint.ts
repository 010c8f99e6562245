// The device manager's file, which outlives the agent, in upstream's form: who has which devices, and which resources had a
// plug-in. Requirements: document 3, "Node-agent local files and sockets" (device manager checkpoint).
//
//   {"Data":{"PodDeviceEntries":[{"PodUID":"…","ContainerName":"app","ResourceName":"example.com/gpu",
//     "DeviceIDs":{"0":["gpu-1"]},"AllocResp":"<the plug-in's answer as its bytes, base64>"}],
//    "RegisteredDevices":{"example.com/gpu":["gpu-1","gpu-2"]}},"Checksum":3660592824}
//
// Devices stand below the NUMA node that they are near, those that are near none below -1.

import { isObject } from "../../base/json.ts";
import { checksumOf } from "../checkpoint-checksum.ts";
import type { Allocation } from "./device-allocations.ts";
import { deviceAnswer } from "./device-messages.ts";

interface DeviceState {
  readonly allocations: readonly Allocation[];
  /** The healthy devices of each resource that has a plug-in. */
  readonly resources: ReadonlyMap<string, readonly string[]>;
}

const NOTHING: DeviceState = { allocations: [], resources: new Map() };
const NOWHERE = "-1";

/** `nodesOf` tells the NUMA nodes of a device. Without its plug-in's answer an allocation is not worth keeping. */
export function deviceStateText(
  { allocations, resources }: DeviceState,
  nodesOf: (resource: string, device: string) => readonly number[],
): string {
  const entries = allocations.flatMap(({ podUid, container, resource, deviceIds, answer }) =>
    answer === undefined
      ? []
      : [
          {
            PodUID: podUid,
            ContainerName: container,
            ResourceName: resource,
            DeviceIDs: byNode(deviceIds, (id) => nodesOf(resource, id)),
            AllocResp: deviceAnswer.encode(answer).toString("base64"),
          },
        ],
  );
  const registered = Object.fromEntries([...resources].sort(([a], [b]) => (a < b ? -1 : 1)));
  const data: FileData = { PodDeviceEntries: entries.length === 0 ? null : entries, RegisteredDevices: registered };
  return JSON.stringify({ Data: data, Checksum: stateChecksum(data) });
}

/** A file that was cut short or written by hand says nothing. */
export function parseDeviceState(text: string): DeviceState {
  try {
    const file: unknown = JSON.parse(text);
    const data = isObject(file) ? file["Data"] : undefined;
    if (!isObject(file) || !isFileData(data) || file["Checksum"] !== stateChecksum(data)) return NOTHING;
    return {
      allocations: (data.PodDeviceEntries ?? []).map(allocationOf),
      resources: new Map(Object.entries(data.RegisteredDevices)),
    };
  } catch {
    return NOTHING;
  }
}

interface FileEntry {
  readonly PodUID: string;
  readonly ContainerName: string;
  readonly ResourceName: string;
  readonly DeviceIDs: Readonly<Record<string, readonly string[]>>;
  readonly AllocResp: string;
}

interface FileData {
  readonly PodDeviceEntries: readonly FileEntry[] | null;
  readonly RegisteredDevices: Readonly<Record<string, readonly string[]>>;
}

function allocationOf({ PodUID, ContainerName, ResourceName, DeviceIDs, AllocResp }: FileEntry): Allocation {
  return {
    podUid: PodUID,
    container: ContainerName,
    resource: ResourceName,
    deviceIds: [...new Set(Object.values(DeviceIDs).flat())].sort(),
    // The file does not say; the pod does, when it is seen again.
    isInherited: false,
    answer: deviceAnswer.decode(Buffer.from(AllocResp, "base64")),
  };
}

function byNode(ids: readonly string[], nodesOf: (id: string) => readonly number[]): Record<string, string[]> {
  const nodes = new Map<string, string[]>();
  for (const id of ids) {
    const near = nodesOf(id).map(String);
    for (const node of near.length === 0 ? [NOWHERE] : near) nodes.set(node, [...(nodes.get(node) ?? []), id]);
  }
  return Object.fromEntries([...nodes].sort(([a], [b]) => Number(a) - Number(b)));
}

/** Over the words in which upstream's own state would be printed, so that files can be exchanged. */
function stateChecksum({ PodDeviceEntries, RegisteredDevices }: FileData): number {
  const lists = (map: Readonly<Record<string, readonly string[]>>, order: (a: string, b: string) => number) =>
    `map[${Object.entries(map)
      .sort(([a], [b]) => order(a, b))
      .map(([key, list]) => `${key}:[${list.join(" ")}]`)
      .join(" ")}]`;
  const entry = ({ PodUID, ContainerName, ResourceName, DeviceIDs, AllocResp }: FileEntry) =>
    `{PodUID:(string)${PodUID} ContainerName:(string)${ContainerName} ResourceName:(string)${ResourceName} DeviceIDs:(checkpoint.DevicesPerNUMA)${lists(DeviceIDs, (a, b) => Number(a) - Number(b))} AllocResp:([]uint8)[${[...Buffer.from(AllocResp, "base64")].join(" ")}]}`;
  const entries = PodDeviceEntries === null ? "<nil>" : `[${PodDeviceEntries.map(entry).join(" ")}]`;
  return checksumOf(
    `(checkpoint.checkpointData){PodDeviceEntries:([]checkpoint.PodDevicesEntry)${entries} RegisteredDevices:(map[string][]string)${lists(RegisteredDevices, (a, b) => (a < b ? -1 : 1))}}`,
  );
}

function isFileData(value: unknown): value is FileData {
  if (!isObject(value)) return false;
  const { PodDeviceEntries: entries, RegisteredDevices: registered } = value;
  return (entries === null || (Array.isArray(entries) && entries.every(isEntry))) && isLists(registered);
}

function isEntry(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { PodUID, ContainerName, ResourceName, DeviceIDs, AllocResp } = value;
  return isTexts([PodUID, ContainerName, ResourceName, AllocResp]) && isLists(DeviceIDs);
}

function isLists(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isTexts);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
