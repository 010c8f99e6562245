// Which namespaces of the kernel a pod and its containers share with the node and with each other.

import type { Pod } from "../../kinds/core/pod.ts";
import type { NamespaceOption } from "../cri/security-messages.ts";

/** The numbers of users on the node that stand for those of the pod, from 0 on. */
export interface UserRange {
  readonly hostId: number;
  readonly length: number;
}

/** `users` where the pod has users of its own; `targetId` for a container that shall see the processes of another. */
export function namespacesOf(
  { spec }: Pod,
  { users, targetId }: { readonly users?: UserRange | undefined; readonly targetId?: string | undefined } = {},
): NamespaceOption {
  const mappings = users === undefined ? [] : [{ containerId: 0, hostId: users.hostId, length: users.length }];
  return {
    network: spec.hostNetwork ? "NODE" : "POD",
    ipc: spec.hostIPC ? "NODE" : "POD",
    pid: processesOf(spec, targetId),
    ...(targetId === undefined ? {} : { targetId }),
    usernsOptions: users === undefined ? { mode: "NODE" } : { mode: "POD", uids: mappings, gids: mappings },
  };
}

function processesOf(spec: Pod["spec"], targetId: string | undefined): "NODE" | "POD" | "CONTAINER" | "TARGET" {
  if (targetId !== undefined) return "TARGET";
  if (spec.hostPID) return "NODE";
  return spec.shareProcessNamespace ? "POD" : "CONTAINER";
}
