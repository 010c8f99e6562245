// Why no node will do, in upstream's words: `0/5 nodes are available: 2 Insufficient cpu, 3 node(s) were unschedulable.` Pure.

import type { Refusals } from "./choose-node.ts";

export function fitMessage({ nodeCount, all, byNode, ofOthers }: Refusals, preemption: string): string {
  if (nodeCount === 0) return "no nodes available to schedule pods";
  const head = `0/${nodeCount} nodes are available:`;
  const reasons = new Map<string, number>();
  if (all === undefined) {
    for (const { reasons: each } of byNode.values())
      for (const reason of each) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    for (const reason of ofOthers?.reasons ?? []) reasons.set(reason, nodeCount - byNode.size);
  }
  const text = all === undefined ? countsText(reasons) : all.reasons.join(", ");
  const parts = [head, ...(text === "" ? [] : [`${text}.`]), ...(preemption === "" ? [] : [preemption])];
  const message = parts.join(" ");
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 3)}...` : message;
}

/** "2 Insufficient cpu, 3 ..." sorted as text. */
export function countsText(reasons: ReadonlyMap<string, number>): string {
  return [...reasons]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(", ");
}

/** Taints and labels of many nodes are as many reasons; an event takes no more than this. */
const MAX_MESSAGE = 1024;
