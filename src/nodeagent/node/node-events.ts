// What happens to a node, as events on it: an agent that has started, conditions that turned, a machine that has started
// anew. Pure.

import type { Node } from "../../kinds/core/node.ts";

export interface NodeEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** What a machine with cgroup v1 is told of. */
export const OLD_CGROUPS: NodeEvent = {
  type: "Warning",
  reason: "CgroupV1",
  message: "cgroup v1 support is in maintenance mode, please migrate to cgroup v2",
};

/** [when it became true, when it became false] */
const REASONS: Readonly<Record<string, readonly [string, string]>> = {
  Ready: ["NodeReady", "NodeNotReady"],
  MemoryPressure: ["NodeHasInsufficientMemory", "NodeHasSufficientMemory"],
  DiskPressure: ["NodeHasDiskPressure", "NodeHasNoDiskPressure"],
  PIDPressure: ["NodeHasInsufficientPID", "NodeHasSufficientPID"],
};

export function nodeEvents(before: Node, after: Node): NodeEvent[] {
  const name = after.metadata.name ?? "";
  const events = turnedConditions(before, after).map((reason) => statusEvent(name, reason));
  const [oldBoot, newBoot] = [before.status.nodeInfo?.bootID, after.status.nodeInfo?.bootID];
  if (oldBoot && newBoot && oldBoot !== newBoot)
    events.push({
      type: "Warning",
      reason: "Rebooted",
      message: `Node ${name} has been rebooted, boot id: ${newBoot}`,
    });
  return events;
}

/** An agent that starts says what the node is short of, and that one which it has made is ready. */
export function firstEvents(node: Node, { isNew }: { readonly isNew: boolean }): NodeEvent[] {
  return [
    { type: "Normal", reason: "Starting", message: "Starting kubelet." },
    ...turnedConditions(undefined, node)
      .filter((reason) => reason !== "NodeNotReady" && (isNew || reason !== "NodeReady"))
      .map((reason) => statusEvent(node.metadata.name ?? "", reason)),
  ];
}

/** Whether new pods may come is for others to say; `was` is what was told last. */
export function schedulableEvents(was: boolean, node: Node): NodeEvent[] {
  const is = node.spec.unschedulable !== true;
  return was === is ? [] : [statusEvent(node.metadata.name ?? "", is ? "NodeSchedulable" : "NodeNotSchedulable")];
}

/** The reasons of the conditions that are not what they were. */
function turnedConditions(before: Node | undefined, after: Node): string[] {
  return Object.entries(REASONS).flatMap(([type, [becameTrue, becameFalse]]) => {
    const [was, is] = [before && statusOf(before, type), statusOf(after, type)];
    if (is === undefined || was === is) return [];
    return [is === "True" ? becameTrue : becameFalse];
  });
}

function statusEvent(name: string, reason: string): NodeEvent {
  return { type: "Normal", reason, message: `Node ${name} status is now: ${reason}` };
}

function statusOf({ status }: Node, type: string): string | undefined {
  return status.conditions?.find((condition) => condition.type === type)?.status;
}
