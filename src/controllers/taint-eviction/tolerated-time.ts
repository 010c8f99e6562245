// How long a pod may stay on a node with NoExecute taints. Pure. Requirements: document 3, "States and transitions".

import type { Node } from "../../kinds/core/node.ts";
import { tolerates } from "../../kinds/core/pod/tolerates.ts";
import type { Pod } from "../../kinds/core/pod.ts";

export type Taint = NonNullable<NonNullable<Node["spec"]>["taints"]>[number];
type Toleration = NonNullable<Pod["spec"]["tolerations"]>[number];

export function executeTaints(node: Node | undefined): Taint[] {
  return (node?.spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
}

/** The same for the same mark: a taint whose value changes is another one. */
export function taintIdentity({ key, value = "" }: Taint): string {
  return `${key}=${value}`;
}

/** Milliseconds for which a pod tolerates a taint; 0 when not at all, Infinity when it does not mind. */
export function toleratedMs(tolerations: readonly Toleration[] | null | undefined, taint: Taint): number {
  const match = (tolerations ?? []).find((toleration) => tolerates([toleration], taint));
  if (match === undefined) return 0;
  const { tolerationSeconds } = match;
  if (tolerationSeconds === undefined || tolerationSeconds === null) return Number.POSITIVE_INFINITY;
  return Math.max(0, Number(tolerationSeconds) * 1_000);
}
