// The schema of ResourceClaim.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { nodeSelector } from "../core/node-selector.ts";
import { condition } from "../meta/condition.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { deviceConfiguration } from "./device-selector.ts";
import { deviceToleration, resourceClaimSpec } from "./resource-claim-spec.ts";

export type ResourceClaim = ObjectOf<typeof resourceClaimSchema>;

export const resourceClaimSchema = objectSchema("resource.v1.ResourceClaim", { doc: "A request for devices." }, () => ({
  spec: s.of(resourceClaimSpec, { proto: 2, doc: "What is asked for. Cannot be changed after creation." }),
  status: s.of(resourceClaimStatus, {
    proto: 3,
    optional: true,
    doc: "Which devices were allocated, who uses them and how they are.",
  }),
}));

export type ResourceClaimStatus = ObjectOf<typeof resourceClaimStatus>;

export const resourceClaimStatus = s.struct(
  "resource.v1.ResourceClaimStatus",
  { doc: "What became of a claim." },
  () => ({
    allocation: s.of(allocationResult, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "The devices that were allocated; not set until then. Cannot be changed, only removed.",
    }),
    reservedFor: s.list(resourceClaimConsumerReference, {
      proto: 2,
      optional: true,
      listType: "map",
      mapKeys: ["uid"],
      patchStrategy: ["merge"],
      patchMergeKey: "uid",
      doc: "Who may use the claim now, usually pods, at most 256. While there is one, the devices stay allocated.",
    }),
    devices: s.list(allocatedDeviceStatus, {
      proto: 4,
      optional: true,
      listType: "map",
      mapKeys: ["driver", "device", "pool", "shareID"],
      gate: "DRAResourceClaimDeviceStatus",
      doc: "What drivers report about the allocated devices.",
    }),
  }),
);

export type AllocationResult = ObjectOf<typeof allocationResult>;

export const allocationResult = s.struct(
  "resource.v1.AllocationResult",
  { doc: "What was allocated, and where it can be used." },
  () => ({
    devices: s.of(deviceAllocationResult, {
      proto: 1,
      optional: true,
      doc: "The allocated devices with their settings.",
    }),
    nodeSelector: s.of(nodeSelector, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Nodes on which the devices can be used; when not set, all.",
    }),
    allocationTimestamp: s.time({
      proto: 5,
      optional: true,
      pointer: true,
      gate: "DRADeviceBindingConditions",
      doc: "When the devices were allocated, from which waiting for binding conditions counts.",
    }),
  }),
);

export type DeviceAllocationResult = ObjectOf<typeof deviceAllocationResult>;

export const deviceAllocationResult = s.struct(
  "resource.v1.DeviceAllocationResult",
  { doc: "The devices allocated to a claim, and how they are set up." },
  () => ({
    results: s.list(deviceRequestAllocationResult, {
      proto: 1,
      optional: true,
      listType: "atomic",
      doc: "The allocated devices, at most 32.",
    }),
    config: s.list(deviceAllocationConfiguration, {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Settings that apply, first those of the classes, then those of the claim; drivers read what is theirs.",
    }),
  }),
);

export type DeviceRequestAllocationResult = ObjectOf<typeof deviceRequestAllocationResult>;

export const deviceRequestAllocationResult = s.struct(
  "resource.v1.DeviceRequestAllocationResult",
  { doc: "One device that was allocated for a request." },
  () => ({
    request: s.string({
      proto: 1,
      doc: "The request that was met, as request/subrequest when one of its alternatives was.",
    }),
    driver: s.string({ proto: 2, doc: "Driver of the device." }),
    pool: s.string({ proto: 3, doc: "Pool of the device in its driver." }),
    device: s.string({ proto: 4, doc: "Name of the device in its pool." }),
    adminAccess: s.boolean({
      proto: 5,
      optional: true,
      pointer: true,
      gate: "DRAAdminAccess",
      doc: "True: the device is used for administration, which does not keep others from it.",
    }),
    tolerations: s.list(deviceToleration, {
      proto: 6,
      optional: true,
      listType: "atomic",
      gate: "DRADeviceTaints",
      doc: "Tolerations of the request, as they were at the time of allocation.",
    }),
    bindingConditions: s.list("string", {
      proto: 7,
      optional: true,
      listType: "atomic",
      gate: "DRADeviceBindingConditions",
      doc: "Copy of the device's conditions that must be True before the pod is bound.",
    }),
    bindingFailureConditions: s.list("string", {
      proto: 8,
      optional: true,
      listType: "atomic",
      gate: "DRADeviceBindingConditions",
      doc: "Copy of the device's conditions that make binding fail.",
    }),
    shareID: s.string({
      alias: "types.UID",
      proto: 9,
      optional: true,
      pointer: true,
      gate: "DRAConsumableCapacity",
      doc: "Tells apart the shares of a device that several requests use, as a UUID in lower case.",
    }),
    consumedCapacity: s.map("quantity", {
      proto: 10,
      optional: true,
      gate: "DRAConsumableCapacity",
      doc: "How much of each capacity of the device this share takes.",
    }),
  }),
);

export type DeviceAllocationConfiguration = ObjectOf<typeof deviceAllocationConfiguration>;

export const deviceAllocationConfiguration = s.struct(
  "resource.v1.DeviceAllocationConfiguration",
  { doc: "Settings that apply to allocated devices." },
  () => ({
    source: s.string({
      alias: "AllocationConfigSource",
      proto: 1,
      doc: "Where the settings come from: FromClass or FromClaim.",
    }),
    requests: s.list("string", {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Requests that the settings are for, or request/subrequest; when empty, all.",
    }),
    deviceConfiguration: s.inline(deviceConfiguration, { proto: 3, protoName: "deviceConfiguration" }),
  }),
);

export type ResourceClaimConsumerReference = ObjectOf<typeof resourceClaimConsumerReference>;

export const resourceClaimConsumerReference = s.struct(
  "resource.v1.ResourceClaimConsumerReference",
  { doc: "An object that uses a claim, in the same namespace." },
  () => ({
    apiGroup: s.string({ proto: 1, optional: true, doc: "API group of the object; empty for the core group." }),
    resource: s.string({ proto: 3, doc: "Resource of the object in plural, such as pods." }),
    name: s.string({ proto: 4, doc: "Name of the object." }),
    uid: s.string({ alias: "types.UID", proto: 5, doc: "UID of the object." }),
  }),
);

export type AllocatedDeviceStatus = ObjectOf<typeof allocatedDeviceStatus>;

export const allocatedDeviceStatus = s.struct(
  "resource.v1.AllocatedDeviceStatus",
  { doc: "What a driver reports about a device that is allocated to the claim." },
  () => ({
    driver: s.string({ proto: 1, doc: "Driver of the device." }),
    pool: s.string({ proto: 2, doc: "Pool of the device in its driver." }),
    device: s.string({ proto: 3, doc: "Name of the device in its pool." }),
    shareID: s.string({
      proto: 7,
      optional: true,
      pointer: true,
      gate: "DRAConsumableCapacity",
      doc: "Which share of the device is meant, when several requests use it.",
    }),
    conditions: s.list(condition, {
      proto: 4,
      required: false,
      listType: "map",
      mapKeys: ["type"],
      doc: "Conditions of the device, at most 8; binding may wait for some of them.",
    }),
    data: s.any("rawExtension", {
      proto: 5,
      optional: true,
      pointer: true,
      doc: "Further data in a form that the driver defines. At most 10 KiB.",
    }),
    networkData: s.of(networkDeviceData, {
      proto: 6,
      optional: true,
      pointer: true,
      doc: "Addresses of the device, when it is a network interface.",
    }),
  }),
);

export type NetworkDeviceData = ObjectOf<typeof networkDeviceData>;

export const networkDeviceData = s.struct(
  "resource.v1.NetworkDeviceData",
  { doc: "How a network interface is set up." },
  () => ({
    interfaceName: s.string({ proto: 1, optional: true, doc: "Name of the interface in the pod, at most 256 bytes." }),
    ips: s.list("string", {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Addresses of the interface with the length of their network, such as 192.0.2.5/24.",
    }),
    hardwareAddress: s.string({
      proto: 3,
      optional: true,
      doc: "Hardware (MAC) address of the interface, at most 128 bytes.",
    }),
  }),
);
