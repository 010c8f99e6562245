// The schema of ResourceClaim.

import { formatCidr, parseCidr } from "../../meta/ip.ts";
import { type ObjectOf, opt, ptr, s, shown } from "../../schema/builder.ts";
import { FILLED, INSIDE } from "../../schema/check-fields.ts";
import { nodeSelector } from "../core/node-selector.ts";
import { condition } from "../meta/condition.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { deviceConfiguration } from "./device-selector.ts";
import { deviceToleration, resourceClaimSpec } from "./resource-claim-spec.ts";

export type ResourceClaim = ObjectOf<typeof resourceClaimSchema>;

export const resourceClaimSchema = objectSchema("resource.v1.ResourceClaim", "A request for devices.", () => ({
  spec: s.of(resourceClaimSpec, 2, "What is asked for. Cannot be changed after creation."),
  status: opt.of(resourceClaimStatus, 3, "Which devices were allocated, who uses them and how they are."),
}));

export const resourceClaimStatus = s.struct("resource.v1.ResourceClaimStatus", "What became of a claim.", () => ({
  allocation: ptr.of(
    allocationResult,
    1,
    "The devices that were allocated; not set until then. Cannot be changed, only removed.",
  ),
  reservedFor: opt.listBy(
    "uid",
    resourceClaimConsumerReference,
    2,
    "Who may use the claim now, usually pods, at most 256. While there is one, the devices stay allocated.",
    { must: { maxItems: 256, inside: true, unique: "uid" } },
  ),
  devices: opt.list(allocatedDeviceStatus, 4, "What drivers report about the allocated devices.", {
    listType: "map",
    mapKeys: ["driver", "device", "pool", "shareID"],
    gate: "DRAResourceClaimDeviceStatus",
  }),
}));

export type AllocationResult = ObjectOf<typeof allocationResult>;

export const allocationResult = s.struct(
  "resource.v1.AllocationResult",
  "What was allocated, and where it can be used.",
  () => ({
    devices: opt.of(deviceAllocationResult, 1, "The allocated devices with their settings."),
    nodeSelector: ptr.of(nodeSelector, 3, "Nodes on which the devices can be used; when not set, all."),
    allocationTimestamp: ptr.time(
      5,
      "When the devices were allocated, from which waiting for binding conditions counts.",
      { gate: "DRADeviceBindingConditions" },
    ),
  }),
);

export const deviceAllocationResult = s.struct(
  "resource.v1.DeviceAllocationResult",
  "The devices allocated to a claim, and how they are set up.",
  () => ({
    results: opt.atomic(deviceRequestAllocationResult, 1, "The allocated devices, at most 32.", {
      must: { maxItems: 32 },
    }),
    config: opt.atomic(
      deviceAllocationConfiguration,
      2,
      "Settings that apply, first those of the classes, then those of the claim; drivers read what is theirs.",
    ),
  }),
);

const deviceRequestAllocationResult = s.struct(
  "resource.v1.DeviceRequestAllocationResult",
  "One device that was allocated for a request.",
  () => ({
    request: s.string(1, "The request that was met, as request/subrequest when one of its alternatives was."),
    driver: s.string(2, "Driver of the device."),
    pool: s.string(3, "Pool of the device in its driver."),
    device: s.string(4, "Name of the device in its pool."),
    adminAccess: ptr.boolean(5, "True: the device is used for administration, which does not keep others from it.", {
      gate: "DRAAdminAccess",
    }),
    tolerations: opt.atomic(deviceToleration, 6, "Tolerations of the request, as they were at the time of allocation."),
    bindingConditions: opt.atomic(
      "string",
      7,
      "Copy of the device's conditions that must be True before the pod is bound.",
      { gate: "DRADeviceBindingConditions" },
    ),
    bindingFailureConditions: opt.atomic("string", 8, "Copy of the device's conditions that make binding fail.", {
      gate: "DRADeviceBindingConditions",
    }),
    shareID: ptr.named(
      "types.UID",
      9,
      "Tells apart the shares of a device that several requests use, as a UUID in lower case.",
      { gate: "DRAConsumableCapacity" },
    ),
    consumedCapacity: opt.map("quantity", 10, "How much of each capacity of the device this share takes.", {
      gate: "DRAConsumableCapacity",
    }),
  }),
);

export const deviceAllocationConfiguration = s.struct(
  "resource.v1.DeviceAllocationConfiguration",
  "Settings that apply to allocated devices.",
  () => ({
    source: s.named("AllocationConfigSource", 1, "Where the settings come from: FromClass or FromClaim.", {
      must: { filled: true, listed: ["FromClaim", "FromClass"] },
    }),
    requests: opt.atomic("string", 2, "Requests that the settings are for, or request/subrequest; when empty, all."),
    deviceConfiguration: s.inline(deviceConfiguration, 3),
  }),
);

const resourceClaimConsumerReference = s.struct(
  "resource.v1.ResourceClaimConsumerReference",
  "An object that uses a claim, in the same namespace.",
  () => ({
    apiGroup: opt.string(1, "API group of the object; empty for the core group."),
    resource: s.string(3, "Resource of the object in plural, such as pods.", { must: FILLED }),
    name: s.string(4, "Name of the object.", { must: FILLED }),
    uid: s.named("types.UID", 5, "UID of the object.", { must: FILLED }),
  }),
);

export type AllocatedDeviceStatus = ObjectOf<typeof allocatedDeviceStatus>;

export const allocatedDeviceStatus = s.struct(
  "resource.v1.AllocatedDeviceStatus",
  "What a driver reports about a device that is allocated to the claim.",
  () => ({
    driver: s.string(1, "Driver of the device."),
    pool: s.string(2, "Pool of the device in its driver."),
    device: s.string(3, "Name of the device in its pool."),
    shareID: ptr.string(7, "Which share of the device is meant, when several requests use it.", {
      gate: "DRAConsumableCapacity",
    }),
    conditions: shown.list(condition, 4, "Conditions of the device, at most 8; binding may wait for some of them.", {
      listType: "map",
      mapKeys: ["type"],
      must: { maxItems: 8 },
    }),
    data: ptr.any("rawExtension", 5, "Further data in a form that the driver defines. At most 10 KiB."),
    networkData: ptr.of(networkDeviceData, 6, "Addresses of the device, when it is a network interface.", {
      must: INSIDE,
    }),
  }),
);

const networkDeviceData = s.struct("resource.v1.NetworkDeviceData", "How a network interface is set up.", () => ({
  interfaceName: opt.string(1, "Name of the interface in the pod, at most 256 bytes.", { must: { maxBytes: 256 } }),
  ips: opt.atomic(
    "string",
    2,
    "Addresses of the interface with the length of their network, such as 192.0.2.5/24. At most 16.",
    { must: { maxItems: 16, each: { strict: true, form: interfaceAddressProblems }, unique: true } },
  ),
  hardwareAddress: opt.string(3, "Hardware (MAC) address of the interface, at most 128 bytes.", {
    must: { maxBytes: 128 },
  }),
}));

/** What is wrong with an address that also says how long the prefix of its network is. */
function interfaceAddressProblems(text: string): string[] {
  const address = parseCidr(text);
  if (address === undefined) return ["must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"];
  const canonical = formatCidr(address);
  return text === canonical ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
}
