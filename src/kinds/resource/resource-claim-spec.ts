// Which devices a claim asks for.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { deviceConfiguration, deviceSelector } from "./device-selector.ts";

export type ResourceClaimSpec = ObjectOf<typeof resourceClaimSpec>;

export const resourceClaimSpec = s.struct("resource.v1.ResourceClaimSpec", () => ({
  devices: s.of(deviceClaim, { proto: 1, required: false }),
}));

export type DeviceClaim = ObjectOf<typeof deviceClaim>;

export const deviceClaim = s.struct("resource.v1.DeviceClaim", () => ({
  requests: s.list(deviceRequest, { proto: 1, required: false, listType: "atomic" }),
  constraints: s.list(deviceConstraint, { proto: 2, optional: true, listType: "atomic" }),
  config: s.list(deviceClaimConfiguration, { proto: 3, optional: true, listType: "atomic" }),
}));

export type DeviceRequest = ObjectOf<typeof deviceRequest>;

export const deviceRequest = s.struct("resource.v1.DeviceRequest", () => ({
  name: s.string({ proto: 1 }),
  exactly: s.of(exactDeviceRequest, { proto: 2, optional: true, pointer: true }),
  firstAvailable: s.list(deviceSubRequest, {
    proto: 3,
    optional: true,
    listType: "atomic",
    gate: "DRAPrioritizedList",
  }),
}));

export type ExactDeviceRequest = ObjectOf<typeof exactDeviceRequest>;

export const exactDeviceRequest = s.struct("resource.v1.ExactDeviceRequest", () => ({
  deviceClassName: s.string({ proto: 1 }),
  selectors: s.list(deviceSelector, { proto: 2, optional: true, listType: "atomic" }),
  allocationMode: s.string({ alias: "DeviceAllocationMode", proto: 3, optional: true }),
  count: s.int64({ proto: 4, optional: true }),
  adminAccess: s.boolean({ proto: 5, optional: true, pointer: true, gate: "DRAAdminAccess" }),
  tolerations: s.list(deviceToleration, { proto: 6, optional: true, listType: "atomic", gate: "DRADeviceTaints" }),
  capacity: s.of(capacityRequirements, { proto: 7, optional: true, pointer: true, gate: "DRAConsumableCapacity" }),
}));

export type DeviceSubRequest = ObjectOf<typeof deviceSubRequest>;

export const deviceSubRequest = s.struct("resource.v1.DeviceSubRequest", () => ({
  name: s.string({ proto: 1 }),
  deviceClassName: s.string({ proto: 2 }),
  selectors: s.list(deviceSelector, { proto: 3, optional: true, listType: "atomic" }),
  allocationMode: s.string({ alias: "DeviceAllocationMode", proto: 4, optional: true }),
  count: s.int64({ proto: 5, optional: true }),
  tolerations: s.list(deviceToleration, { proto: 6, optional: true, listType: "atomic", gate: "DRADeviceTaints" }),
  capacity: s.of(capacityRequirements, { proto: 7, optional: true, pointer: true, gate: "DRAConsumableCapacity" }),
}));

export type DeviceToleration = ObjectOf<typeof deviceToleration>;

export const deviceToleration = s.struct("resource.v1.DeviceToleration", () => ({
  key: s.string({ proto: 1, optional: true }),
  operator: s.enumOf(["Equal", "Exists"], {
    alias: "DeviceTolerationOperator",
    proto: 2,
    optional: true,
    default: "Equal",
  }),
  value: s.string({ proto: 3, optional: true }),
  effect: s.enumOf(["NoExecute", "NoSchedule"], { alias: "DeviceTaintEffect", proto: 4, optional: true }),
  tolerationSeconds: s.int64({ proto: 5, optional: true, pointer: true }),
}));

export type CapacityRequirements = ObjectOf<typeof capacityRequirements>;

export const capacityRequirements = s.struct("resource.v1.CapacityRequirements", () => ({
  requests: s.map("quantity", { proto: 1, optional: true }),
}));

export type DeviceConstraint = ObjectOf<typeof deviceConstraint>;

export const deviceConstraint = s.struct("resource.v1.DeviceConstraint", () => ({
  requests: s.list("string", { proto: 1, optional: true, listType: "atomic" }),
  matchAttribute: s.string({ alias: "FullyQualifiedName", proto: 2, optional: true, pointer: true }),
  distinctAttribute: s.string({
    alias: "FullyQualifiedName",
    proto: 3,
    optional: true,
    pointer: true,
    gate: "DRAConsumableCapacity",
  }),
}));

export type DeviceClaimConfiguration = ObjectOf<typeof deviceClaimConfiguration>;

export const deviceClaimConfiguration = s.struct("resource.v1.DeviceClaimConfiguration", () => ({
  requests: s.list("string", { proto: 1, optional: true, listType: "atomic" }),
  deviceConfiguration: s.inline(deviceConfiguration, { proto: 2, protoName: "deviceConfiguration" }),
}));
