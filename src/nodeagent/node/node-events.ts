// What happens to a node, as events on it: conditions that turned, a machine that has started anew. Pure.

import type { Node } from "../../kinds/core/node.ts";

interface NodeEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** [when it became true, when it became false] */
const REASONS: Readonly<Record<string, readonly [string, string]>> = {
  Ready: ["NodeReady", "NodeNotReady"],
  MemoryPressure: ["NodeHasInsufficientMemory", "NodeHasSufficientMemory"],
  DiskPressure: ["NodeHasDiskPressure", "NodeHasNoDiskPressure"],
  PIDPressure: ["NodeHasInsufficientPID", "NodeHasSufficientPID"],
};

export function nodeEvents(before: Node, after: Node): NodeEvent[] {
  const name = after.metadata.name ?? "";
  const events: NodeEvent[] = [];
  for (const [type, [becameTrue, becameFalse]] of Object.entries(REASONS)) {
    const [was, is] = [statusOf(before, type), statusOf(after, type)];
    if (is === undefined || was === is) continue;
    const reason = is === "True" ? becameTrue : becameFalse;
    events.push({ type: "Normal", reason, message: `Node ${name} status is now: ${reason}` });
  }
  const [oldBoot, newBoot] = [before.status.nodeInfo?.bootID, after.status.nodeInfo?.bootID];
  if (oldBoot && newBoot && oldBoot !== newBoot)
    events.push({
      type: "Warning",
      reason: "Rebooted",
      message: `Node ${name} has been rebooted, boot id: ${newBoot}`,
    });
  return events;
}

function statusOf({ status }: Node, type: string): string | undefined {
  return status.conditions?.find((condition) => condition.type === type)?.status;
}
