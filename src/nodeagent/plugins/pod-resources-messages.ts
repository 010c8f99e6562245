// Messages and procedures of the Pod Resources API, v1.

import { message, p, type Write } from "../grpc/message.ts";
import { serviceMethods } from "../grpc/method.ts";
import { numaTopology } from "./device-messages.ts";

export type PodResources = Write<typeof podResources>;
export type ContainerMemory = Write<typeof containerMemory>;
export type ContainerClaim = Write<typeof dynamicResource>;
export type ContainerDevices = Write<typeof containerDevices>;

const containerDevices = message({
  resourceName: p.string(1),
  deviceIds: p.many(p.string(2)),
  topology: p.message(3, numaTopology),
});
const containerMemory = message({
  memoryType: p.string(1),
  size: p.uint64(2),
  topology: p.message(3, numaTopology),
});
const claimResource = message({
  cdiDevices: p.many(p.message(1, message({ name: p.string(1) }))),
  driverName: p.string(2),
  poolName: p.string(3),
  deviceName: p.string(4),
});
const dynamicResource = message({
  claimName: p.string(2),
  claimNamespace: p.string(3),
  claimResources: p.many(p.message(4, claimResource)),
});
const containerResources = message({
  name: p.string(1),
  devices: p.many(p.message(2, containerDevices)),
  cpuIds: p.many(p.int64(3)),
  memory: p.many(p.message(4, containerMemory)),
  dynamicResources: p.many(p.message(5, dynamicResource)),
});
const podResources = message({
  name: p.string(1),
  namespace: p.string(2),
  containers: p.many(p.message(3, containerResources)),
});
const nothing = message({});
const { unary } = serviceMethods("v1.PodResourcesLister");

export const podResourcesProcedures = {
  list: unary("List", nothing, message({ podResources: p.many(p.message(1, podResources)) })),
  allocatable: unary(
    "GetAllocatableResources",
    nothing,
    message({
      devices: p.many(p.message(1, containerDevices)),
      cpuIds: p.many(p.int64(2)),
      memory: p.many(p.message(3, containerMemory)),
    }),
  ),
  get: unary(
    "Get",
    message({ podName: p.string(1), podNamespace: p.string(2) }),
    message({ podResources: p.message(1, podResources) }),
  ),
} as const;
