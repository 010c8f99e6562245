// Messages of the container runtime interface, v1: namespaces, users and profiles, of sandboxes and containers alike.

import { message, p, type Write } from "../grpc/message.ts";

export type NamespaceOption = Write<typeof namespaceOption>;

export const int64Value = message({ value: p.int64(1) });
export const uint64Value = message({ value: p.uint64(1) });

export const idMapping = message({ hostId: p.uint32(1), containerId: p.uint32(2), length: p.uint32(3) });

const namespaceMode = (number: number) => p.enumOf(number, ["POD", "CONTAINER", "NODE", "TARGET"]);

const userNamespace = message({
  mode: namespaceMode(1),
  uids: p.many(p.message(2, idMapping)),
  gids: p.many(p.message(3, idMapping)),
});

export const namespaceOption = message({
  network: namespaceMode(1),
  pid: namespaceMode(2),
  ipc: namespaceMode(3),
  targetId: p.string(4),
  usernsOptions: p.message(5, userNamespace),
});

export const selinuxOption = message({ user: p.string(1), role: p.string(2), type: p.string(3), level: p.string(4) });

export const securityProfile = message({
  profileType: p.enumOf(1, ["RuntimeDefault", "Unconfined", "Localhost"]),
  localhostRef: p.string(2),
});

export const supplementalGroupsPolicy = (number: number) => p.enumOf(number, ["Merge", "Strict"]);
