// The schema of ResourceSlice.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { nodeSelector } from "../core/node-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type ResourceSlice = ObjectOf<typeof resourceSliceSchema>;

export const resourceSliceSchema = objectSchema(
  "resource.v1.ResourceSlice",
  { doc: "Devices that a driver offers." },
  () => ({
    spec: s.of(resourceSliceSpec, { proto: 2, doc: "The devices, their pool and where they can be used." }),
  }),
);

export type ResourceSliceSpec = ObjectOf<typeof resourceSliceSpec>;

export const resourceSliceSpec = s.struct(
  "resource.v1.ResourceSliceSpec",
  { doc: "The devices of a slice, the pool they belong to, and where they can be used." },
  () => ({
    driver: s.string({ proto: 1, doc: "Driver that offers the devices, named like a domain. Cannot be changed." }),
    pool: s.of(resourcePool, { proto: 2, doc: "The pool that the devices belong to." }),
    nodeName: s.string({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "The only node on which the devices can be used. One of four ways to say where; cannot be changed.",
    }),
    nodeSelector: s.of(nodeSelector, {
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Nodes on which the devices can be used, as exactly one term. One of four ways to say where.",
    }),
    allNodes: s.boolean({
      proto: 5,
      optional: true,
      pointer: true,
      doc: "True: the devices can be used on every node. One of four ways to say where.",
    }),
    devices: s.list(device, {
      proto: 6,
      required: false,
      listType: "atomic",
      doc: "The devices, at most 128 with different names.",
    }),
    perDeviceNodeSelection: s.boolean({
      proto: 7,
      optional: true,
      pointer: true,
      gate: "DRAPartitionableDevices",
      doc: "True: every device says itself where it can be used. One of four ways to say where.",
    }),
    sharedCounters: s.list(counterSet, {
      proto: 8,
      optional: true,
      listType: "atomic",
      gate: "DRAPartitionableDevices",
      doc: "Sets of counters that the devices draw from; at most 32 counters in all.",
    }),
  }),
);

export type ResourcePool = ObjectOf<typeof resourcePool>;

export const resourcePool = s.struct(
  "resource.v1.ResourcePool",
  { doc: "The pool to which the devices of a slice belong. A driver may spread a pool over several slices." },
  () => ({
    name: s.string({
      proto: 1,
      doc: "Name of the pool, unique for the driver; often the name of the node. Cannot be changed.",
    }),
    generation: s.int64({
      proto: 2,
      doc: "Counted up with every change of the pool; slices with a lower number are out of date.",
    }),
    resourceSliceCount: s.int64({
      proto: 3,
      doc: "How many slices of this generation make up the pool; until all exist, the pool is incomplete.",
    }),
  }),
);

export type Device = ObjectOf<typeof device>;

export const device = s.struct("resource.v1.Device", { doc: "One device of a driver." }, () => ({
  name: s.string({ proto: 1, doc: "Name of the device, a DNS label that is unique in the pool." }),
  attributes: s.map(deviceAttribute, {
    proto: 2,
    optional: true,
    doc: "Properties of the device by name, for selectors to look at. At most 32 together with capacity.",
  }),
  capacity: s.map(deviceCapacity, {
    proto: 3,
    optional: true,
    doc: "Amounts that the device has, by name. At most 32 together with attributes.",
  }),
  consumesCounters: s.list(deviceCounterConsumption, {
    proto: 4,
    optional: true,
    listType: "atomic",
    gate: "DRAPartitionableDevices",
    doc: "What the device takes from the shared counters of the slice while it is allocated.",
  }),
  nodeName: s.string({
    proto: 5,
    optional: true,
    pointer: true,
    gate: "DRAPartitionableDevices",
    doc: "The only node on which the device can be used; one of three ways to say where.",
  }),
  nodeSelector: s.of(nodeSelector, {
    proto: 6,
    optional: true,
    pointer: true,
    gate: "DRAPartitionableDevices",
    doc: "Nodes on which the device can be used; one of three ways to say where.",
  }),
  allNodes: s.boolean({
    proto: 7,
    optional: true,
    pointer: true,
    gate: "DRAPartitionableDevices",
    doc: "True: the device can be used on every node; one of three ways to say where.",
  }),
  taints: s.list(deviceTaint, {
    proto: 8,
    optional: true,
    listType: "atomic",
    gate: "DRADeviceTaints",
    doc: "Taints of the device, at most 4.",
  }),
  bindsToNode: s.boolean({
    proto: 9,
    optional: true,
    pointer: true,
    gate: "DRADeviceBindingConditions",
    doc: "True: once this device is allocated, the claim can be used only on the node that was chosen.",
  }),
  bindingConditions: s.list("string", {
    proto: 10,
    optional: true,
    listType: "atomic",
    gate: "DRADeviceBindingConditions",
    doc: "Conditions of the device that must be True before a pod is bound to its node, at most 4. None: no waiting.",
  }),
  bindingFailureConditions: s.list("string", {
    proto: 11,
    optional: true,
    listType: "atomic",
    gate: "DRADeviceBindingConditions",
    doc: "Conditions of which one being True makes binding fail, and the pod is scheduled anew. At most 4.",
  }),
  allowMultipleAllocations: s.boolean({
    proto: 12,
    optional: true,
    pointer: true,
    gate: "DRAConsumableCapacity",
    doc: "True: several requests may use the device at once, each with its part of the capacity.",
  }),
}));

export type DeviceAttribute = ObjectOf<typeof deviceAttribute>;

export const deviceAttribute = s.struct(
  "resource.v1.DeviceAttribute",
  { doc: "The value of an attribute; exactly one member is set." },
  () => ({
    int: s.int64({ proto: 2, optional: true, pointer: true, doc: "A whole number." }),
    bool: s.boolean({ proto: 3, optional: true, pointer: true, doc: "True or false." }),
    string: s.string({ proto: 4, optional: true, pointer: true, doc: "A text of at most 64 bytes." }),
    version: s.string({
      proto: 5,
      optional: true,
      pointer: true,
      doc: "A semantic version (semver 2.0.0) of at most 64 bytes.",
    }),
  }),
);

export type DeviceCapacity = ObjectOf<typeof deviceCapacity>;

export const deviceCapacity = s.struct("resource.v1.DeviceCapacity", { doc: "An amount that a device has." }, () => ({
  value: s.quantity({ proto: 1, doc: "How much of it there is." }),
  requestPolicy: s.of(capacityRequestPolicy, {
    proto: 2,
    optional: true,
    pointer: true,
    gate: "DRAConsumableCapacity",
    doc: "How much one request may take; only for devices with allowMultipleAllocations. Not set: any amount.",
  }),
}));

export type CapacityRequestPolicy = ObjectOf<typeof capacityRequestPolicy>;

export const capacityRequestPolicy = s.struct(
  "resource.v1.CapacityRequestPolicy",
  { doc: "How much of a capacity one request may take: one of a few values, or a range." },
  () => ({
    default: s.quantity({
      proto: 1,
      required: false,
      pointer: true,
      doc: "What a request takes that does not say how much.",
    }),
    validValues: s.list("quantity", {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "The amounts that can be taken, in ascending order, at most 10; others are rounded up. Excludes validRange.",
    }),
    validRange: s.of(capacityRequestPolicyRange, {
      proto: 4,
      optional: true,
      pointer: true,
      doc: "The range of amounts that can be taken; excludes validValues.",
    }),
  }),
);

export type CapacityRequestPolicyRange = ObjectOf<typeof capacityRequestPolicyRange>;

export const capacityRequestPolicyRange = s.struct(
  "resource.v1.CapacityRequestPolicyRange",
  { doc: "A range of amounts that a request may take." },
  () => ({
    min: s.quantity({
      proto: 1,
      omitEmpty: true,
      pointer: true,
      doc: "The least amount; smaller requests are rounded up to it.",
    }),
    max: s.quantity({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The greatest amount; when not set, all there is.",
    }),
    step: s.quantity({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Amounts are min plus a multiple of this; others are rounded up. Not set: every amount from min.",
    }),
  }),
);

export type DeviceCounterConsumption = ObjectOf<typeof deviceCounterConsumption>;

export const deviceCounterConsumption = s.struct(
  "resource.v1.DeviceCounterConsumption",
  { doc: "What a device takes from a set of counters." },
  () => ({
    counterSet: s.string({ proto: 1, doc: "Name of the set in sharedCounters." }),
    counters: s.map(counter, { proto: 2, omitEmpty: true, doc: "How much is taken, by the name of the counter." }),
  }),
);

export type Counter = ObjectOf<typeof counter>;

export const counter = s.struct("resource.v1.Counter", { doc: "An amount that is counted." }, () => ({
  value: s.quantity({ proto: 1, doc: "The amount: how much there is, or how much is taken." }),
}));

export type DeviceTaint = ObjectOf<typeof deviceTaint>;

export const deviceTaint = s.struct(
  "resource.v1.DeviceTaint",
  { doc: "Keeps claims without a matching toleration away from a device." },
  () => ({
    key: s.string({ proto: 1, doc: "Key of the taint, a label key." }),
    value: s.string({ proto: 2, optional: true, doc: "Value of the taint, a label value; may be empty." }),
    effect: s.enumOf(["NoExecute", "NoSchedule"], {
      alias: "DeviceTaintEffect",
      proto: 3,
      doc: "NoSchedule keeps new pods from using the device, NoExecute also evicts those that use it.",
    }),
    timeAdded: s.time({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "When the taint was added; the server fills it in when it is missing.",
    }),
  }),
);

export type CounterSet = ObjectOf<typeof counterSet>;

export const counterSet = s.struct(
  "resource.v1.CounterSet",
  { doc: "Amounts that several devices share, so that allocating one may leave less for the others." },
  () => ({
    name: s.string({ proto: 1, doc: "Name of the set, a DNS label that is unique in the slice." }),
    counters: s.map(counter, { proto: 2, omitEmpty: true, doc: "What there is in all, by the name of the counter." }),
  }),
);
