// The device manager's file, which outlives the agent: who has which devices, and which resources had a plug-in.
// Requirements: document 3, "Node-agent local files and sockets" (device manager checkpoint).

import { readFile, rename, writeFile } from "node:fs/promises";
import { isObject } from "../../base/json.ts";
import type { Allocation } from "./device-allocations.ts";

interface DeviceState {
  readonly allocations: readonly Allocation[];
  readonly resources: readonly string[];
}

export async function writeDeviceCheckpoint(file: string, state: DeviceState): Promise<void> {
  // Never seen half written.
  await writeFile(`${file}.tmp`, JSON.stringify(state), { mode: 0o600 });
  await rename(`${file}.tmp`, file);
}

/** A file that is not there or cannot be read says nothing. */
export async function readDeviceCheckpoint(file: string): Promise<DeviceState> {
  try {
    return parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return { allocations: [], resources: [] };
  }
}

function parse(state: unknown): DeviceState {
  const { allocations, resources } = isObject(state) ? state : {};
  return {
    allocations: Array.isArray(allocations) ? (allocations as unknown[]).filter(isAllocation) : [],
    resources: isTexts(resources) ? resources : [],
  };
}

function isAllocation(value: unknown): value is Allocation {
  if (!isObject(value)) return false;
  const { podUid, container, resource, deviceIds, isInherited, answer } = value;
  return (
    isTexts([podUid, container, resource]) &&
    isTexts(deviceIds) &&
    typeof isInherited === "boolean" &&
    isObject(answer) &&
    [answer["mounts"], answer["devices"], answer["cdiDevices"]].every(Array.isArray) &&
    [answer["envs"], answer["annotations"]].every(isObject)
  );
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
