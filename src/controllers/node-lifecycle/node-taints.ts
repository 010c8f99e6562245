// The taints that follow from what a node reports. Pure. Requirements: document 3, "States and transitions".

import type { Node } from "../../kinds/core/node.ts";
import type { Names } from "../../meta/names.ts";
import { readyOf } from "./node-health.ts";

export type Taint = NonNullable<NonNullable<Node["spec"]>["taints"]>[number];

/** Which taints of ours a node should have, and which of them it may not. */
interface TaintRule {
  readonly effect: "NoSchedule" | "NoExecute";
  readonly wanted: ReadonlySet<string>;
  readonly owned: readonly string[];
}

/** Keeps new pods away from nodes in a bad condition. */
export function scheduleRule({ spec, status }: Node, names: Names): TaintRule {
  const wanted = new Set<string>();
  for (const { type, status: state } of status?.conditions ?? []) {
    const key = keyOf(type, state, names);
    if (key !== undefined) wanted.add(key);
  }
  if (spec?.unschedulable === true) wanted.add(names.unschedulableTaint);
  const { memoryPressureTaint, diskPressureTaint, pidPressureTaint, networkUnavailableTaint } = names;
  const pressures = [memoryPressureTaint, diskPressureTaint, pidPressureTaint, networkUnavailableTaint];
  const owned = [names.notReadyTaint, names.unreachableTaint, names.unschedulableTaint, ...pressures];
  return { effect: "NoSchedule", wanted, owned };
}

/** Drives pods away from nodes that are not ready or cannot be reached; `tainted` false lets them stay. */
export function executeRule(node: Node, tainted: boolean, names: Names): TaintRule {
  const key = tainted ? executeKey(node, names) : undefined;
  const owned = [names.notReadyTaint, names.unreachableTaint];
  return { effect: "NoExecute", wanted: new Set(key === undefined ? [] : [key]), owned };
}

/** The taint that drives pods away, of a node that is not ready. */
export function executeKey(node: Node, names: Names): string | undefined {
  return keyOf("Ready", readyOf(node)?.status ?? "", names);
}

/** The list after the rule; undefined when it is right already. Taints of others stay as they are. */
export function applyRule(
  taints: readonly Taint[] | null | undefined,
  { effect, wanted, owned }: TaintRule,
  now: string,
): Taint[] | undefined {
  const held = taints ?? [];
  const isOurs = (taint: Taint): boolean => taint.effect === effect && owned.includes(taint.key);
  const kept = held.filter((taint) => !isOurs(taint) || wanted.has(taint.key));
  const missing = [...wanted].filter((key) => !kept.some((taint) => isOurs(taint) && taint.key === key));
  if (missing.length === 0 && kept.length === held.length) return undefined;
  return [...kept, ...missing.map((key): Taint => ({ key, effect, timeAdded: now }))];
}

function keyOf(type: string, status: string, names: Names): string | undefined {
  if (type === "Ready")
    return status === "False" ? names.notReadyTaint : status === "Unknown" ? names.unreachableTaint : undefined;
  if (status !== "True") return undefined;
  switch (type) {
    case "MemoryPressure":
      return names.memoryPressureTaint;
    case "DiskPressure":
      return names.diskPressureTaint;
    case "PIDPressure":
      return names.pidPressureTaint;
    case "NetworkUnavailable":
      return names.networkUnavailableTaint;
    default:
      return undefined;
  }
}
