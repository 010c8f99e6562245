// Messages of the container runtime interface, v1: sandboxes, in which the containers of a pod run.

import { message, p, type Read, type Write } from "../grpc/message.ts";
import { containerStatus } from "./container-messages.ts";
import { podSandboxMetadata } from "./identity-messages.ts";
import { linuxContainerResources } from "./resource-messages.ts";
import {
  int64Value,
  namespaceOption,
  securityProfile,
  selinuxOption,
  supplementalGroupsPolicy,
} from "./security-messages.ts";

export type PodSandboxConfig = Write<typeof podSandboxConfig>;
export type LinuxPodSandboxConfig = Write<typeof linuxPodSandboxConfig>;
export type LinuxSandboxSecurityContext = Write<typeof linuxSandboxSecurityContext>;
export type PortMapping = Write<typeof portMapping>;
export type DnsConfig = Write<typeof dnsConfig>;
export type PodSandbox = Read<typeof podSandbox>;
export type PodSandboxStatus = Read<typeof podSandboxStatus>;
export type PodSandboxFilter = Write<typeof podSandboxFilter>;

const dnsConfig = message({
  servers: p.many(p.string(1)),
  searches: p.many(p.string(2)),
  options: p.many(p.string(3)),
});

const portMapping = message({
  protocol: p.enumOf(1, ["TCP", "UDP", "SCTP"]),
  containerPort: p.int32(2),
  hostPort: p.int32(3),
  hostIp: p.string(4),
});

const linuxSandboxSecurityContext = message({
  namespaceOptions: p.message(1, namespaceOption),
  selinuxOptions: p.message(2, selinuxOption),
  runAsUser: p.message(3, int64Value),
  readonlyRootfs: p.bool(4),
  supplementalGroups: p.many(p.int64(5)),
  privileged: p.bool(6),
  runAsGroup: p.message(8, int64Value),
  seccomp: p.message(9, securityProfile),
  apparmor: p.message(10, securityProfile),
  supplementalGroupsPolicy: supplementalGroupsPolicy(11),
});

const linuxPodSandboxConfig = message({
  cgroupParent: p.string(1),
  securityContext: p.message(2, linuxSandboxSecurityContext),
  sysctls: p.map(3),
  overhead: p.message(4, linuxContainerResources),
  resources: p.message(5, linuxContainerResources),
});

export const podSandboxConfig = message({
  metadata: p.message(1, podSandboxMetadata),
  hostname: p.string(2),
  logDirectory: p.string(3),
  dnsConfig: p.message(4, dnsConfig),
  portMappings: p.many(p.message(5, portMapping)),
  labels: p.map(6),
  annotations: p.map(7),
  linux: p.message(8, linuxPodSandboxConfig),
});

const sandboxState = (number: number) => p.enumOf(number, ["SANDBOX_READY", "SANDBOX_NOTREADY"]);

const podSandbox = message({
  id: p.string(1),
  metadata: p.message(2, podSandboxMetadata),
  state: sandboxState(3),
  /** In nanoseconds since the epoch, as all times of the interface. */
  createdAt: p.int64(4),
  labels: p.map(5),
  annotations: p.map(6),
  runtimeHandler: p.string(7),
});

const networkStatus = message({
  ip: p.string(1),
  additionalIps: p.many(p.message(2, message({ ip: p.string(1) }))),
});

const linuxSandboxStatus = message({
  namespaces: p.message(1, message({ options: p.message(2, namespaceOption) })),
});

export const podSandboxStatus = message({
  id: p.string(1),
  metadata: p.message(2, podSandboxMetadata),
  state: sandboxState(3),
  createdAt: p.int64(4),
  network: p.message(5, networkStatus),
  linux: p.message(6, linuxSandboxStatus),
  labels: p.map(7),
  annotations: p.map(8),
  runtimeHandler: p.string(9),
});

const podSandboxFilter = message({
  id: p.string(1),
  state: p.message(2, message({ state: sandboxState(1) })),
  labelSelector: p.map(3),
});

export const runPodSandboxRequest = message({ config: p.message(1, podSandboxConfig), runtimeHandler: p.string(2) });
export const podSandboxId = message({ podSandboxId: p.string(1) });
export const podSandboxStatusRequest = message({ podSandboxId: p.string(1), verbose: p.bool(2) });
export const podSandboxStatusResponse = message({
  status: p.message(1, podSandboxStatus),
  info: p.map(2),
  containersStatuses: p.many(p.message(3, containerStatus)),
  timestamp: p.int64(4),
});
export const listPodSandboxRequest = message({ filter: p.message(1, podSandboxFilter) });
export const listPodSandboxResponse = message({ items: p.many(p.message(1, podSandbox)) });
export const sandboxStates = message({
  items: p.many(p.message(1, message({ id: p.string(1), state: sandboxState(3) }))),
});
export const updatePodSandboxResourcesRequest = message({
  podSandboxId: p.string(1),
  overhead: p.message(2, linuxContainerResources),
  resources: p.message(3, linuxContainerResources),
});
export const portForwardRequest = message({ podSandboxId: p.string(1), port: p.many(p.int32(2)) });
