// What the table of nodes says about a node. Pure.

import type { Node } from "../core/node/schema.ts";
import type { CellContext } from "../define-kind.ts";

export function nodeStatusCell({ spec, status }: Node): string {
  const ready = (status.conditions ?? []).find((condition) => condition.type === "Ready");
  const word = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec.unschedulable ? `${word},SchedulingDisabled` : word;
}

/** The roles that labels give the node: by prefix, or as the value of the role label. */
export function nodeRolesCell({ metadata }: Node, { names }: CellContext): string {
  const { nodeRolePrefix: prefix, nodeRoleLabel: roleLabel } = names;
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (key.startsWith(prefix) && key.length > prefix.length) roles.add(key.slice(prefix.length));
    else if (key === roleLabel && value !== "") roles.add(value);
  }
  return roles.size === 0 ? "<none>" : [...roles].sort().join(",");
}

/** The first address of a type. */
export function nodeAddressCell({ status }: Node, type: "InternalIP" | "ExternalIP"): string {
  return (status.addresses ?? []).find((address) => address.type === type)?.address ?? "<none>";
}
