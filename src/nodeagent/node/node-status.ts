// The status of the Node: what of it has changed, what is written, and when. Pure.
// Requirements: document 3, "States and transitions" (heartbeats: on change, or at the report interval).

import { isObject } from "../../base/json.ts";
import type { Node } from "../../kinds/core/node.ts";
import { isExtendedResource } from "../../kinds/core/pod/resource-names.ts";
import type { Names } from "../../meta/names.ts";
import { timeOfMs } from "../../meta/time.ts";
import { NETWORK_REASONS, type NodeCondition } from "./conditions.ts";

type Status = Node["status"];

/** What the agent says about the node; everything else in the status is somebody else's. */
export interface MeasuredStatus extends Omit<Partial<Status>, "conditions"> {
  readonly conditions: readonly NodeCondition[];
}

interface WantedStatus extends Omit<MeasuredStatus, "allocatable"> {
  /** Null takes an amount away. */
  readonly allocatable?: Readonly<Record<string, string | null>>;
}

interface StatusWrite {
  /** A strategic merge patch of the status. */
  readonly patch: object;
  readonly why: "changed" | "due";
}

/** Undefined when nothing has changed and the report is not due yet. */
export function statusWrite(
  current: Status | undefined,
  measured: WantedStatus,
  times: { readonly nowMs: number; readonly lastReportMs: number | undefined; readonly reportFrequencyMs: number },
): StatusWrite | undefined {
  const { nowMs, lastReportMs, reportFrequencyMs } = times;
  const wanted = { ...measured, conditions: ownConditions(current, measured.conditions) };
  const changed = hasChanged(current, wanted);
  const due = lastReportMs === undefined || nowMs - lastReportMs >= reportFrequencyMs;
  if (!changed && !due) return undefined;
  return { patch: patchOf(current, wanted, nowMs), why: changed ? "changed" : "due" };
}

/**
 * The measured status, and of what others count on the node (an administrator gives it a capacity) how much pods may use:
 * all of it. What they count no longer nobody may use.
 */
export function withAdvertised(current: Status | undefined, measured: MeasuredStatus, names: Names): WantedStatus {
  const { capacity: counted = {}, allocatable: usable = {} } = current ?? {};
  const isOfOthers = (name: string) => !Object.hasOwn(measured.capacity ?? {}, name) && isExtendedResource(name, names);
  const allocatable: Record<string, string | null> = { ...measured.allocatable };
  for (const [name, amount] of Object.entries(counted)) if (isOfOthers(name)) allocatable[name] = amount;
  for (const name of Object.keys(usable))
    if (isOfOthers(name) && !Object.hasOwn(counted, name)) allocatable[name] = null;
  return { ...measured, allocatable };
}

/** A condition that a network add-on keeps is not overwritten. */
function ownConditions(current: Status | undefined, measured: readonly NodeCondition[]): readonly NodeCondition[] {
  const network = current?.conditions?.find(({ type }) => type === "NetworkUnavailable");
  const isForeign = network !== undefined && !NETWORK_REASONS.includes(network.reason ?? "");
  return isForeign ? measured.filter(({ type }) => type !== "NetworkUnavailable") : measured;
}

function hasChanged(current: Status | undefined, { conditions, ...measured }: WantedStatus): boolean {
  if (current === undefined || !holds(current, measured)) return true;
  return conditions.some((condition) => !isSame(condition, conditionOf(current, condition.type)));
}

/**
 * Whether the status says everything that was measured. What others have added to it is no change: resources that an
 * administrator advertises, say. The server leaves out what is empty.
 */
function holds(current: unknown, measured: unknown): boolean {
  if (measured === undefined || current === measured) return true;
  if (Array.isArray(measured)) {
    const list = Array.isArray(current) ? current : [];
    return list.length === measured.length && measured.every((each, index) => holds(list[index], each));
  }
  if (isObject(measured)) {
    const object = isObject(current) ? current : {};
    return Object.entries(measured).every(([key, value]) => holds(object[key], value));
  }
  return current === undefined && measured === "";
}

function isSame(a: NodeCondition, b: { status?: string; reason?: string; message?: string } | undefined): boolean {
  return b !== undefined && a.status === b.status && a.reason === (b.reason ?? "") && a.message === (b.message ?? "");
}

function patchOf(current: Status | undefined, measured: WantedStatus, nowMs: number): object {
  const now = timeOfMs(nowMs);
  const conditions = measured.conditions.map((condition) => {
    const before = conditionOf(current, condition.type);
    const lastTransitionTime = before?.status === condition.status ? (before.lastTransitionTime ?? now) : now;
    return { ...condition, lastHeartbeatTime: now, lastTransitionTime };
  });
  const { addresses, ...rest } = measured;
  // Addresses are merged by their type otherwise, and a node may have two of one type.
  const replaced = addresses === undefined ? {} : { addresses: [...addresses, { $patch: "replace" }] };
  return { ...rest, conditions, ...replaced };
}

function conditionOf(status: Status | undefined, type: string) {
  return status?.conditions?.find((condition) => condition.type === type);
}
