// Messages and procedures between the agent and plug-ins that have devices, v1beta1.

import { message, p, type Read } from "../grpc/message.ts";
import { serviceMethods } from "../grpc/method.ts";

export const DEVICE_API_VERSION = "v1beta1";
export const HEALTHY = "Healthy";

export type Device = Read<typeof device>;
export type DeviceOptions = Read<typeof deviceOptions>;
export type DeviceAnswer = Read<typeof deviceAnswer>;

const nothing = message({});
const deviceOptions = message({ preStartRequired: p.bool(1), getPreferredAllocationAvailable: p.bool(2) });
export const numaTopology = message({ nodes: p.many(p.message(1, message({ id: p.int64(1) }))) });
const device = message({ id: p.string(1), health: p.string(2), topology: p.message(3, numaTopology) });

const registerRequest = message({
  version: p.string(1),
  /** The name of the plug-in's socket, beside the one that it registers on. */
  endpoint: p.string(2),
  resourceName: p.string(3),
  options: p.message(4, deviceOptions),
});

export const deviceAnswer = message({
  envs: p.map(1),
  mounts: p.many(p.message(2, message({ containerPath: p.string(1), hostPath: p.string(2), readOnly: p.bool(3) }))),
  devices: p.many(
    p.message(3, message({ containerPath: p.string(1), hostPath: p.string(2), permissions: p.string(3) })),
  ),
  annotations: p.map(4),
  cdiDevices: p.many(p.message(5, message({ name: p.string(1) }))),
});

const deviceIds = message({ deviceIds: p.many(p.string(1)) });
const preferredRequest = message({
  availableIds: p.many(p.string(1)),
  mustIncludeIds: p.many(p.string(2)),
  allocationSize: p.int32(3),
});
const { unary, stream } = serviceMethods("v1beta1.DevicePlugin");

export const registerDevices = serviceMethods("v1beta1.Registration").unary("Register", registerRequest, nothing);

export const deviceProcedures = {
  options: unary("GetDevicePluginOptions", nothing, deviceOptions),
  listAndWatch: stream("ListAndWatch", nothing, message({ devices: p.many(p.message(1, device)) })),
  allocate: unary(
    "Allocate",
    message({ containerRequests: p.many(p.message(1, deviceIds)) }),
    message({ containerResponses: p.many(p.message(1, deviceAnswer)) }),
  ),
  preferred: unary(
    "GetPreferredAllocation",
    message({ containerRequests: p.many(p.message(1, preferredRequest)) }),
    message({ containerResponses: p.many(p.message(1, deviceIds)) }),
  ),
  preStart: unary("PreStartContainer", deviceIds, nothing),
} as const;
