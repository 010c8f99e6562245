// The schema of ResourceClaim.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { nodeSelector } from "../core/node-selector.ts";
import { condition } from "../meta/condition.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { deviceConfiguration } from "./device-selector.ts";
import { deviceToleration, resourceClaimSpec } from "./resource-claim-spec.ts";

export type ResourceClaim = ObjectOf<typeof resourceClaimSchema>;

export const resourceClaimSchema = objectSchema("resource.v1.ResourceClaim", { doc: "A request for devices." }, () => ({
  spec: s.of(resourceClaimSpec, { proto: 2 }),
  status: s.of(resourceClaimStatus, { proto: 3, optional: true }),
}));

export type ResourceClaimStatus = ObjectOf<typeof resourceClaimStatus>;

export const resourceClaimStatus = s.struct("resource.v1.ResourceClaimStatus", () => ({
  allocation: s.of(allocationResult, { proto: 1, optional: true, pointer: true }),
  reservedFor: s.list(resourceClaimConsumerReference, {
    proto: 2,
    optional: true,
    listType: "map",
    mapKeys: ["uid"],
    patchStrategy: ["merge"],
    patchMergeKey: "uid",
  }),
  devices: s.list(allocatedDeviceStatus, {
    proto: 4,
    optional: true,
    listType: "map",
    mapKeys: ["driver", "device", "pool", "shareID"],
    gate: "DRAResourceClaimDeviceStatus",
  }),
}));

export type AllocationResult = ObjectOf<typeof allocationResult>;

export const allocationResult = s.struct("resource.v1.AllocationResult", () => ({
  devices: s.of(deviceAllocationResult, { proto: 1, optional: true }),
  nodeSelector: s.of(nodeSelector, { proto: 3, optional: true, pointer: true }),
  allocationTimestamp: s.time({ proto: 5, optional: true, pointer: true, gate: "DRADeviceBindingConditions" }),
}));

export type DeviceAllocationResult = ObjectOf<typeof deviceAllocationResult>;

export const deviceAllocationResult = s.struct("resource.v1.DeviceAllocationResult", () => ({
  results: s.list(deviceRequestAllocationResult, { proto: 1, optional: true, listType: "atomic" }),
  config: s.list(deviceAllocationConfiguration, { proto: 2, optional: true, listType: "atomic" }),
}));

export type DeviceRequestAllocationResult = ObjectOf<typeof deviceRequestAllocationResult>;

export const deviceRequestAllocationResult = s.struct("resource.v1.DeviceRequestAllocationResult", () => ({
  request: s.string({ proto: 1 }),
  driver: s.string({ proto: 2 }),
  pool: s.string({ proto: 3 }),
  device: s.string({ proto: 4 }),
  adminAccess: s.boolean({ proto: 5, optional: true, pointer: true, gate: "DRAAdminAccess" }),
  tolerations: s.list(deviceToleration, { proto: 6, optional: true, listType: "atomic", gate: "DRADeviceTaints" }),
  bindingConditions: s.list("string", {
    proto: 7,
    optional: true,
    listType: "atomic",
    gate: "DRADeviceBindingConditions",
  }),
  bindingFailureConditions: s.list("string", {
    proto: 8,
    optional: true,
    listType: "atomic",
    gate: "DRADeviceBindingConditions",
  }),
  shareID: s.string({ alias: "types.UID", proto: 9, optional: true, pointer: true, gate: "DRAConsumableCapacity" }),
  consumedCapacity: s.map("quantity", { proto: 10, optional: true, gate: "DRAConsumableCapacity" }),
}));

export type DeviceAllocationConfiguration = ObjectOf<typeof deviceAllocationConfiguration>;

export const deviceAllocationConfiguration = s.struct("resource.v1.DeviceAllocationConfiguration", () => ({
  source: s.string({ alias: "AllocationConfigSource", proto: 1 }),
  requests: s.list("string", { proto: 2, optional: true, listType: "atomic" }),
  deviceConfiguration: s.inline(deviceConfiguration, { proto: 3, protoName: "deviceConfiguration" }),
}));

export type ResourceClaimConsumerReference = ObjectOf<typeof resourceClaimConsumerReference>;

export const resourceClaimConsumerReference = s.struct("resource.v1.ResourceClaimConsumerReference", () => ({
  apiGroup: s.string({ proto: 1, optional: true }),
  resource: s.string({ proto: 3 }),
  name: s.string({ proto: 4 }),
  uid: s.string({ alias: "types.UID", proto: 5 }),
}));

export type AllocatedDeviceStatus = ObjectOf<typeof allocatedDeviceStatus>;

export const allocatedDeviceStatus = s.struct("resource.v1.AllocatedDeviceStatus", () => ({
  driver: s.string({ proto: 1 }),
  pool: s.string({ proto: 2 }),
  device: s.string({ proto: 3 }),
  shareID: s.string({ proto: 7, optional: true, pointer: true, gate: "DRAConsumableCapacity" }),
  conditions: s.list(condition, { proto: 4, required: false, listType: "map", mapKeys: ["type"] }),
  data: s.any("rawExtension", { proto: 5, optional: true, pointer: true }),
  networkData: s.of(networkDeviceData, { proto: 6, optional: true, pointer: true }),
}));

export type NetworkDeviceData = ObjectOf<typeof networkDeviceData>;

export const networkDeviceData = s.struct("resource.v1.NetworkDeviceData", () => ({
  interfaceName: s.string({ proto: 1, optional: true }),
  ips: s.list("string", { proto: 2, optional: true, listType: "atomic" }),
  hardwareAddress: s.string({ proto: 3, optional: true }),
}));
