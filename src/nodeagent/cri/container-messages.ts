// Messages of the container runtime interface, v1: containers.

import { message, p, type Read, type Write } from "../grpc/message.ts";
import { containerMetadata, imageSpec } from "./identity-messages.ts";
import { linuxContainerResources } from "./resource-messages.ts";
import {
  idMapping,
  int64Value,
  namespaceOption,
  securityProfile,
  selinuxOption,
  supplementalGroupsPolicy,
} from "./security-messages.ts";
import { stopSignal } from "./signals.ts";

export type ContainerConfig = Write<typeof containerConfig>;
export type LinuxContainerSecurityContext = Write<typeof linuxContainerSecurityContext>;
export type Mount = Write<typeof mount>;
export type Device = Write<typeof device>;
export type KeyValue = Write<typeof keyValue>;
export type Container = Read<typeof container>;
export type ContainerState = Container["state"];
export type ContainerStatus = Read<typeof containerStatus>;
export type ContainerFilter = Write<typeof containerFilter>;

const mount = message({
  containerPath: p.string(1),
  hostPath: p.string(2),
  readonly: p.bool(3),
  selinuxRelabel: p.bool(4),
  propagation: p.enumOf(5, ["PROPAGATION_PRIVATE", "PROPAGATION_HOST_TO_CONTAINER", "PROPAGATION_BIDIRECTIONAL"]),
  uidMappings: p.many(p.message(6, idMapping)),
  gidMappings: p.many(p.message(7, idMapping)),
  recursiveReadOnly: p.bool(8),
  /** An image to mount instead of a path of the host. */
  image: p.message(9, imageSpec),
  imageSubPath: p.string(10),
});

const device = message({ containerPath: p.string(1), hostPath: p.string(2), permissions: p.string(3) });
/** Values are bytes since 1.34: environments need not be text. Text is encoded alike. */
const keyValue = message({ key: p.string(1), value: p.bytes(2) });

const linuxContainerSecurityContext = message({
  capabilities: p.message(
    1,
    message({
      addCapabilities: p.many(p.string(1)),
      dropCapabilities: p.many(p.string(2)),
      addAmbientCapabilities: p.many(p.string(3)),
    }),
  ),
  privileged: p.bool(2),
  namespaceOptions: p.message(3, namespaceOption),
  selinuxOptions: p.message(4, selinuxOption),
  runAsUser: p.message(5, int64Value),
  runAsUsername: p.string(6),
  readonlyRootfs: p.bool(7),
  supplementalGroups: p.many(p.int64(8)),
  /** What `apparmor` says, in words. */
  apparmorProfile: p.string(9),
  noNewPrivs: p.bool(11),
  runAsGroup: p.message(12, int64Value),
  maskedPaths: p.many(p.string(13)),
  readonlyPaths: p.many(p.string(14)),
  seccomp: p.message(15, securityProfile),
  apparmor: p.message(16, securityProfile),
  supplementalGroupsPolicy: supplementalGroupsPolicy(17),
});

export const containerConfig = message({
  metadata: p.message(1, containerMetadata),
  image: p.message(2, imageSpec),
  command: p.many(p.string(3)),
  args: p.many(p.string(4)),
  workingDir: p.string(5),
  envs: p.many(p.message(6, keyValue)),
  mounts: p.many(p.message(7, mount)),
  devices: p.many(p.message(8, device)),
  labels: p.map(9),
  annotations: p.map(10),
  /** Below the log directory of the sandbox. */
  logPath: p.string(11),
  stdin: p.bool(12),
  stdinOnce: p.bool(13),
  tty: p.bool(14),
  linux: p.message(
    15,
    message({
      resources: p.message(1, linuxContainerResources),
      securityContext: p.message(2, linuxContainerSecurityContext),
    }),
  ),
  cdiDevices: p.many(p.message(17, message({ name: p.string(1) }))),
  stopSignal: stopSignal(18),
});

const containerState = (number: number) =>
  p.enumOf(number, ["CONTAINER_CREATED", "CONTAINER_RUNNING", "CONTAINER_EXITED", "CONTAINER_UNKNOWN"]);

const container = message({
  id: p.string(1),
  podSandboxId: p.string(2),
  metadata: p.message(3, containerMetadata),
  image: p.message(4, imageSpec),
  imageRef: p.string(5),
  state: containerState(6),
  createdAt: p.int64(7),
  labels: p.map(8),
  annotations: p.map(9),
  imageId: p.string(10),
});

const containerUser = message({
  linux: p.message(1, message({ uid: p.int64(1), gid: p.int64(2), supplementalGroups: p.many(p.int64(3)) })),
});

export const containerStatus = message({
  id: p.string(1),
  metadata: p.message(2, containerMetadata),
  state: containerState(3),
  createdAt: p.int64(4),
  startedAt: p.int64(5),
  finishedAt: p.int64(6),
  exitCode: p.int32(7),
  image: p.message(8, imageSpec),
  imageRef: p.string(9),
  reason: p.string(10),
  message: p.string(11),
  labels: p.map(12),
  annotations: p.map(13),
  mounts: p.many(p.message(14, mount)),
  logPath: p.string(15),
  resources: p.message(16, message({ linux: p.message(1, linuxContainerResources) })),
  imageId: p.string(17),
  user: p.message(18, containerUser),
  stopSignal: stopSignal(19),
});

const containerFilter = message({
  id: p.string(1),
  state: p.message(2, message({ state: containerState(1) })),
  podSandboxId: p.string(3),
  labelSelector: p.map(4),
});

export const containerId = message({ containerId: p.string(1) });
export const stopContainerRequest = message({ containerId: p.string(1), /** In seconds. */ timeout: p.int64(2) });
export const listContainersRequest = message({ filter: p.message(1, containerFilter) });
export const listContainersResponse = message({ containers: p.many(p.message(1, container)) });
export const containerStates = message({
  containers: p.many(p.message(1, message({ id: p.string(1), state: containerState(6) }))),
});
export const containerStatusRequest = message({ containerId: p.string(1), verbose: p.bool(2) });
export const containerStatusResponse = message({ status: p.message(1, containerStatus), info: p.map(2) });
export const updateContainerResourcesRequest = message({
  containerId: p.string(1),
  linux: p.message(2, linuxContainerResources),
  annotations: p.map(4),
});
export const execSyncRequest = message({
  containerId: p.string(1),
  cmd: p.many(p.string(2)),
  /** In seconds; 0 waits for ever. */
  timeout: p.int64(3),
});
export const execSyncResponse = message({ stdout: p.bytes(1), stderr: p.bytes(2), exitCode: p.int32(3) });
export const execRequest = message({
  containerId: p.string(1),
  cmd: p.many(p.string(2)),
  tty: p.bool(3),
  stdin: p.bool(4),
  stdout: p.bool(5),
  stderr: p.bool(6),
});
export const attachRequest = message({
  containerId: p.string(1),
  stdin: p.bool(2),
  tty: p.bool(3),
  stdout: p.bool(4),
  stderr: p.bool(5),
});
export const checkpointContainerRequest = message({
  containerId: p.string(1),
  /** The archive to write. */
  location: p.string(2),
  /** In seconds; 0 is the runtime's default. */
  timeout: p.int64(3),
});
