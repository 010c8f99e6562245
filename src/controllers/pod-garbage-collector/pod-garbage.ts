// Which pods nobody needs any more, or nobody can end in an orderly way. Pure. Behaviour as upstream's.

import type { Node } from "../../kinds/core/node.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Names } from "../../meta/names.ts";

/** Has come to its end, whatever the result. */
export function isTerminated({ status: { phase } }: Pod): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

const isEvicted = ({ status: { phase, reason } }: Pod): boolean => phase === "Failed" && reason === "Evicted";

/** Those above the threshold: evicted ones first, then the oldest. */
export function terminatedAbove<P extends Pod>(pods: readonly P[], threshold: number): P[] {
  if (threshold <= 0 || pods.length <= threshold) return [];
  return [...pods].sort(inOrderOfLeaving).slice(0, pods.length - threshold);
}

function inOrderOfLeaving(a: Pod, b: Pod): number {
  if (isEvicted(a) !== isEvicted(b)) return isEvicted(a) ? -1 : 1;
  // Times of one form are in the order of their text.
  const ages = compare(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "");
  return ages === 0 ? compare(a.metadata.name ?? "", b.metadata.name ?? "") : ages;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** It was told to end, and no agent will ever do so: it never came to a node, or its node was declared dead. */
export function mustEndNow({ metadata, spec }: Pod, node: Node | undefined, names: Names): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  if (!spec.nodeName) return true;
  return node !== undefined && isOutOfService(node, names);
}

export function isOutOfService({ spec, status }: Node, names: Names): boolean {
  const isReady = status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
  return !isReady && spec.taints?.some(({ key }) => key === names.outOfServiceTaint) === true;
}
