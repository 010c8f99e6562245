// What the proxy needs to know of the Node it runs on.

import type { Node } from "../../kinds/core/node.ts";
import type { Names } from "../../meta/names.ts";

export interface OwnNode {
  readonly zone: string;
  readonly podCidrs: readonly string[];
  /** One of each family: internal before external addresses. */
  readonly ips: readonly string[];
  /** Whether load balancers should send traffic here: not to a node that is on its way out. */
  readonly isEligible: boolean;
}

/** A node that nobody knows yet. */
export const UNKNOWN_NODE: OwnNode = { zone: "", podCidrs: [], ips: [], isEligible: true };

/** Set by autoscalers on nodes that they are about to remove. */
const LEAVING_TAINT = "ToBeDeletedByClusterAutoscaler";
const ADDRESS_TYPES = ["InternalIP", "ExternalIP"];

export function readNode({ metadata, spec, status }: Node, names: Names): OwnNode {
  const labels = metadata?.labels ?? {};
  const { podCIDRs = [], podCIDR = "", taints = [] } = spec ?? {};
  const addresses = ADDRESS_TYPES.flatMap((wanted) =>
    (status?.addresses ?? []).filter(({ type }) => type === wanted).map(({ address }) => address),
  );
  const ips = [addresses.find((each) => !each.includes(":")), addresses.find((each) => each.includes(":"))];
  return {
    zone: Object.hasOwn(labels, names.zoneLabel) ? labels[names.zoneLabel]! : "",
    podCidrs: podCIDRs.length > 0 ? podCIDRs : [podCIDR].filter((each) => each !== ""),
    ips: ips.filter((each) => each !== undefined),
    isEligible: metadata?.deletionTimestamp === undefined && !taints.some(({ key }) => key === LEAVING_TAINT),
  };
}
