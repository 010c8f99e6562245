// Messages of the container runtime interface, v1: the runtime itself, and what happens in it.

import { message, p, type Read } from "../grpc/message.ts";
import { containerConfig, containerStatus } from "./container-messages.ts";
import { podSandboxConfig, podSandboxStatus } from "./sandbox-messages.ts";

export type RuntimeCondition = Read<typeof runtimeCondition>;
export type RuntimeHandler = Read<typeof runtimeHandler>;
export type RuntimeStatus = Read<typeof statusResponse>;
export type RuntimeVersion = Read<typeof versionResponse>;
export type ContainerEvent = Read<typeof containerEvent>;

const runtimeCondition = message({ type: p.string(1), status: p.bool(2), reason: p.string(3), message: p.string(4) });

const runtimeHandler = message({
  name: p.string(1),
  features: p.message(2, message({ recursiveReadOnlyMounts: p.bool(1), userNamespaces: p.bool(2) })),
});

/** For procedures that ask or answer with nothing. */
export const nothing = message({});

export const versionRequest = message({ version: p.string(1) });
export const versionResponse = message({
  version: p.string(1),
  runtimeName: p.string(2),
  runtimeVersion: p.string(3),
  runtimeApiVersion: p.string(4),
});

export const statusRequest = message({ verbose: p.bool(1) });
export const statusResponse = message({
  status: p.message(1, message({ conditions: p.many(p.message(1, runtimeCondition)) })),
  info: p.map(2),
  runtimeHandlers: p.many(p.message(3, runtimeHandler)),
  features: p.message(4, message({ supplementalGroupsPolicy: p.bool(1), userNamespacesHostNetwork: p.bool(2) })),
});

export const runtimeConfigResponse = message({
  linux: p.message(1, message({ cgroupDriver: p.enumOf(1, ["SYSTEMD", "CGROUPFS"]) })),
});
export const updateRuntimeConfigRequest = message({
  runtimeConfig: p.message(1, message({ networkConfig: p.message(1, message({ podCidr: p.string(1) })) })),
});

export const createContainerRequest = message({
  podSandboxId: p.string(1),
  config: p.message(2, containerConfig),
  sandboxConfig: p.message(3, podSandboxConfig),
});

/** Where a stream to a container is served: exec, attach, port-forward. */
export const streamUrl = message({ url: p.string(1) });

export const containerEvent = message({
  containerId: p.string(1),
  containerEventType: p.enumOf(2, [
    "CONTAINER_CREATED_EVENT",
    "CONTAINER_STARTED_EVENT",
    "CONTAINER_STOPPED_EVENT",
    "CONTAINER_DELETED_EVENT",
  ]),
  createdAt: p.int64(3),
  podSandboxStatus: p.message(4, podSandboxStatus),
  containersStatuses: p.many(p.message(5, containerStatus)),
});
