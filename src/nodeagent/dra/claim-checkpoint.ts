// The file of prepared resource claims, which outlives the agent, in upstream's form: the data as a text, and its CRC-32.
//
//   {"Data":"{\"kind\":\"DRACheckpoint\",\"apiVersion\":\"…/v1\",\"ClaimInfoStateList\":[{\"ClaimUID\":…,\"ClaimName\":…,
//     \"Namespace\":…,\"PodUIDs\":{\"<uid>\":{}},\"DriverState\":{\"<driver>\":{\"Devices\":[{\"PoolName\":…}]}}}]}","Checksum":…}

import { crc32 } from "node:zlib";
import { isObject } from "../../base/json.ts";

export interface PreparedClaim {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The pods that use it. */
  readonly pods: readonly string[];
  /** What each driver has prepared; nothing yet where it has not answered. */
  readonly drivers: ReadonlyMap<string, readonly PreparedDevice[]>;
}

export interface PreparedDevice {
  readonly poolName: string;
  readonly deviceName: string;
  readonly requestNames: readonly string[];
  readonly cdiDeviceIds: readonly string[];
}

const KIND = "DRACheckpoint";

export function claimStateText(claims: readonly PreparedClaim[], apiVersion: string): string {
  const list = claims.map(({ uid, name, namespace, pods, drivers }) => ({
    ClaimUID: uid,
    ClaimName: name,
    Namespace: namespace,
    PodUIDs: Object.fromEntries([...pods].sort().map((pod) => [pod, {}])),
    DriverState: Object.fromEntries(
      [...drivers].map(([driver, devices]) => [
        driver,
        {
          Devices: devices.map(({ poolName, deviceName, requestNames, cdiDeviceIds }) => ({
            PoolName: poolName,
            DeviceName: deviceName,
            RequestNames: requestNames,
            CDIDeviceIDs: cdiDeviceIds,
          })),
        },
      ]),
    ),
  }));
  const data = JSON.stringify({ kind: KIND, apiVersion, ClaimInfoStateList: list });
  return JSON.stringify({ Data: data, Checksum: crc32(data) });
}

/** A file that was cut short or written by hand says nothing. */
export function parseClaimState(text: string): PreparedClaim[] {
  try {
    const file: unknown = JSON.parse(text);
    if (!isObject(file) || typeof file["Data"] !== "string" || file["Checksum"] !== crc32(file["Data"])) return [];
    const data: unknown = JSON.parse(file["Data"]);
    if (!isObject(data) || data["kind"] !== KIND || !Array.isArray(data["ClaimInfoStateList"])) return [];
    return data["ClaimInfoStateList"].map(claimOf);
  } catch {
    return [];
  }
}

/** Fails where a field is of another type. */
function claimOf(value: unknown): PreparedClaim {
  const claim = objectOf(value);
  return {
    uid: textOf(claim["ClaimUID"]),
    name: textOf(claim["ClaimName"]),
    namespace: textOf(claim["Namespace"]),
    pods: Object.keys(objectOf(claim["PodUIDs"])),
    drivers: new Map(
      Object.entries(objectOf(claim["DriverState"])).map(([driver, state]) => [
        driver,
        listOf(objectOf(state)["Devices"]).map((each): PreparedDevice => {
          const device = objectOf(each);
          return {
            poolName: textOf(device["PoolName"]),
            deviceName: textOf(device["DeviceName"]),
            requestNames: listOf(device["RequestNames"]).map(textOf),
            cdiDeviceIds: listOf(device["CDIDeviceIDs"]).map(textOf),
          };
        }),
      ]),
    ),
  };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw new TypeError("no object");
  return value;
}

/** Lists that are empty may be null. */
function listOf(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw new TypeError("no list");
  return value;
}

function textOf(value: unknown): string {
  if (typeof value !== "string") throw new TypeError("no text");
  return value;
}
