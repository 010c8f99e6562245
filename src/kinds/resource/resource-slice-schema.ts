// The schema of ResourceSlice.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { nodeSelector } from "../core/node-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type ResourceSlice = ObjectOf<typeof resourceSliceSchema>;

export const resourceSliceSchema = objectSchema(
  "resource.v1.ResourceSlice",
  { doc: "Devices that a driver offers." },
  () => ({
    spec: s.of(resourceSliceSpec, { proto: 2 }),
  }),
);

export type ResourceSliceSpec = ObjectOf<typeof resourceSliceSpec>;

export const resourceSliceSpec = s.struct("resource.v1.ResourceSliceSpec", () => ({
  driver: s.string({ proto: 1 }),
  pool: s.of(resourcePool, { proto: 2 }),
  nodeName: s.string({ proto: 3, optional: true, pointer: true }),
  nodeSelector: s.of(nodeSelector, { proto: 4, optional: true, pointer: true }),
  allNodes: s.boolean({ proto: 5, optional: true, pointer: true }),
  devices: s.list(device, { proto: 6, required: false, listType: "atomic" }),
  perDeviceNodeSelection: s.boolean({ proto: 7, optional: true, pointer: true, gate: "DRAPartitionableDevices" }),
  sharedCounters: s.list(counterSet, { proto: 8, optional: true, listType: "atomic", gate: "DRAPartitionableDevices" }),
}));

export type ResourcePool = ObjectOf<typeof resourcePool>;

export const resourcePool = s.struct("resource.v1.ResourcePool", () => ({
  name: s.string({ proto: 1 }),
  generation: s.int64({ proto: 2 }),
  resourceSliceCount: s.int64({ proto: 3 }),
}));

export type Device = ObjectOf<typeof device>;

export const device = s.struct("resource.v1.Device", () => ({
  name: s.string({ proto: 1 }),
  attributes: s.map(deviceAttribute, { proto: 2, optional: true }),
  capacity: s.map(deviceCapacity, { proto: 3, optional: true }),
  consumesCounters: s.list(deviceCounterConsumption, {
    proto: 4,
    optional: true,
    listType: "atomic",
    gate: "DRAPartitionableDevices",
  }),
  nodeName: s.string({ proto: 5, optional: true, pointer: true, gate: "DRAPartitionableDevices" }),
  nodeSelector: s.of(nodeSelector, { proto: 6, optional: true, pointer: true, gate: "DRAPartitionableDevices" }),
  allNodes: s.boolean({ proto: 7, optional: true, pointer: true, gate: "DRAPartitionableDevices" }),
  taints: s.list(deviceTaint, { proto: 8, optional: true, listType: "atomic", gate: "DRADeviceTaints" }),
  bindsToNode: s.boolean({ proto: 9, optional: true, pointer: true, gate: "DRADeviceBindingConditions" }),
  bindingConditions: s.list("string", {
    proto: 10,
    optional: true,
    listType: "atomic",
    gate: "DRADeviceBindingConditions",
  }),
  bindingFailureConditions: s.list("string", {
    proto: 11,
    optional: true,
    listType: "atomic",
    gate: "DRADeviceBindingConditions",
  }),
  allowMultipleAllocations: s.boolean({ proto: 12, optional: true, pointer: true, gate: "DRAConsumableCapacity" }),
}));

export type DeviceAttribute = ObjectOf<typeof deviceAttribute>;

export const deviceAttribute = s.struct("resource.v1.DeviceAttribute", () => ({
  int: s.int64({ proto: 2, optional: true, pointer: true }),
  bool: s.boolean({ proto: 3, optional: true, pointer: true }),
  string: s.string({ proto: 4, optional: true, pointer: true }),
  version: s.string({ proto: 5, optional: true, pointer: true }),
}));

export type DeviceCapacity = ObjectOf<typeof deviceCapacity>;

export const deviceCapacity = s.struct("resource.v1.DeviceCapacity", () => ({
  value: s.quantity({ proto: 1 }),
  requestPolicy: s.of(capacityRequestPolicy, {
    proto: 2,
    optional: true,
    pointer: true,
    gate: "DRAConsumableCapacity",
  }),
}));

export type CapacityRequestPolicy = ObjectOf<typeof capacityRequestPolicy>;

export const capacityRequestPolicy = s.struct("resource.v1.CapacityRequestPolicy", () => ({
  default: s.quantity({ proto: 1, required: false, pointer: true }),
  validValues: s.list("quantity", { proto: 3, optional: true, listType: "atomic" }),
  validRange: s.of(capacityRequestPolicyRange, { proto: 4, optional: true, pointer: true }),
}));

export type CapacityRequestPolicyRange = ObjectOf<typeof capacityRequestPolicyRange>;

export const capacityRequestPolicyRange = s.struct("resource.v1.CapacityRequestPolicyRange", () => ({
  min: s.quantity({ proto: 1, omitEmpty: true, pointer: true }),
  max: s.quantity({ proto: 2, optional: true, pointer: true }),
  step: s.quantity({ proto: 3, optional: true, pointer: true }),
}));

export type DeviceCounterConsumption = ObjectOf<typeof deviceCounterConsumption>;

export const deviceCounterConsumption = s.struct("resource.v1.DeviceCounterConsumption", () => ({
  counterSet: s.string({ proto: 1 }),
  counters: s.map(counter, { proto: 2, omitEmpty: true }),
}));

export type Counter = ObjectOf<typeof counter>;

export const counter = s.struct("resource.v1.Counter", () => ({
  value: s.quantity({ proto: 1 }),
}));

export type DeviceTaint = ObjectOf<typeof deviceTaint>;

export const deviceTaint = s.struct("resource.v1.DeviceTaint", () => ({
  key: s.string({ proto: 1 }),
  value: s.string({ proto: 2, optional: true }),
  effect: s.enumOf(["NoExecute", "NoSchedule"], { alias: "DeviceTaintEffect", proto: 3 }),
  timeAdded: s.time({ proto: 4, optional: true, pointer: true }),
}));

export type CounterSet = ObjectOf<typeof counterSet>;

export const counterSet = s.struct("resource.v1.CounterSet", () => ({
  name: s.string({ proto: 1 }),
  counters: s.map(counter, { proto: 2, omitEmpty: true }),
}));
