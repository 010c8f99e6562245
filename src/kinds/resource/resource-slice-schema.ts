// The schema of ResourceSlice.

import { dns1123LabelProblems, labelValueProblems, qualifiedNameProblems } from "../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, type Struct, s, shown } from "../../schema/builder.ts";
import { POSITIVE } from "../../schema/check-fields.ts";
import type { ValueCheck } from "../../schema/schema.ts";
import { nodeSelector } from "../core/node-selector.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { parseSemanticVersion } from "../meta/semantic-version.ts";

export const SLICE_SPEC_TEXT = "The devices of a slice, the pool they belong to, and where they can be used.";

export type ResourceSlice = ObjectOf<typeof resourceSliceSchema>;

export const resourceSliceSchema = objectSchema("resource.v1.ResourceSlice", "Devices that a driver offers.", () => ({
  spec: s.of(resourceSliceSpec, 2, "The devices, their pool and where they can be used."),
}));

export type ResourceSliceSpec = ObjectOf<typeof resourceSliceSpec>;

const resourceSliceSpec = s.struct("resource.v1.ResourceSliceSpec", SLICE_SPEC_TEXT, () => sliceMembers(device));

/** What a slice says, in all versions: its devices have different forms. */
export const sliceMembers = <D>(devices: Struct<D>) => ({
  driver: s.string(1, "Driver that offers the devices, named like a domain. Cannot be changed."),
  pool: s.of(resourcePool, 2, "The pool that the devices belong to."),
  nodeName: ptr.string(
    3,
    "The only node on which the devices can be used. One of four ways to say where; cannot be changed.",
  ),
  nodeSelector: ptr.of(
    nodeSelector,
    4,
    "Nodes on which the devices can be used, as exactly one term. One of four ways to say where.",
  ),
  allNodes: ptr.boolean(5, "True: the devices can be used on every node. One of four ways to say where."),
  devices: shown.atomic(devices, 6, "The devices, at most 128 with different names."),
  perDeviceNodeSelection: ptr.boolean(
    7,
    "True: every device says itself where it can be used. One of four ways to say where.",
    { gate: "DRAPartitionableDevices" },
  ),
  sharedCounters: opt.atomic(
    counterSet,
    8,
    "Sets of counters that the devices draw from; at most 32 counters in all.",
    { gate: "DRAPartitionableDevices" },
  ),
});

export const resourcePool = s.struct(
  "resource.v1.ResourcePool",
  "The pool to which the devices of a slice belong. A driver may spread a pool over several slices.",
  () => ({
    name: s.string(1, "Name of the pool, unique for the driver; often the name of the node. Cannot be changed."),
    generation: s.int64(2, "Counted up with every change of the pool; slices with a lower number are out of date.", {
      must: { amount: (value) => (value < 0 ? ["must be greater than or equal to zero"] : []) },
    }),
    resourceSliceCount: s.int64(
      3,
      "How many slices of this generation make up the pool; until all exist, the pool is incomplete.",
      { must: POSITIVE },
    ),
  }),
);

export type Device = ObjectOf<typeof device>;

export const device = s.struct("resource.v1.Device", "One device of a driver.", () => ({
  name: s.string(1, DEVICE_NAME_TEXT),
  ...deviceMembers(),
}));

export const DEVICE_NAME_TEXT = "Name of the device, a DNS label that is unique in the pool.";

/** What a device is and has, in all versions; the numbers differ. */
export const deviceMembers = () => ({
  attributes: opt.map(
    deviceAttribute,
    2,
    "Properties of the device by name, for selectors to look at. At most 32 together with capacity.",
  ),
  capacity: opt.map(deviceCapacity, 3, "Amounts that the device has, by name. At most 32 together with attributes."),
  consumesCounters: opt.atomic(
    deviceCounterConsumption,
    4,
    "What the device takes from the shared counters of the slice while it is allocated.",
    { gate: "DRAPartitionableDevices" },
  ),
  nodeName: ptr.string(5, "The only node on which the device can be used; one of three ways to say where.", {
    gate: "DRAPartitionableDevices",
  }),
  nodeSelector: ptr.of(nodeSelector, 6, "Nodes on which the device can be used; one of three ways to say where.", {
    gate: "DRAPartitionableDevices",
  }),
  allNodes: ptr.boolean(7, "True: the device can be used on every node; one of three ways to say where.", {
    gate: "DRAPartitionableDevices",
  }),
  taints: opt.atomic(deviceTaint, 8, "Taints of the device, at most 4.", {
    gate: "DRADeviceTaints",
    must: { maxItems: 4, inside: true },
  }),
  bindsToNode: ptr.boolean(
    9,
    "True: once this device is allocated, the claim can be used only on the node that was chosen.",
    { gate: "DRADeviceBindingConditions" },
  ),
  bindingConditions: opt.atomic(
    "string",
    10,
    "Conditions of the device that must be True before a pod is bound to its node, at most 4. None: no waiting.",
    { gate: "DRADeviceBindingConditions", must: CONDITION_NAMES },
  ),
  bindingFailureConditions: opt.atomic(
    "string",
    11,
    "Conditions of which one being True makes binding fail, and the pod is scheduled anew. At most 4.",
    { gate: "DRADeviceBindingConditions", must: CONDITION_NAMES },
  ),
  allowMultipleAllocations: ptr.boolean(
    12,
    "True: several requests may use the device at once, each with its part of the capacity.",
    { gate: "DRAConsumableCapacity" },
  ),
});

/** Names of conditions that binding waits for, or that make it fail. */
const CONDITION_NAMES: ValueCheck = {
  maxItems: 4,
  each: { strict: true, form: qualifiedNameProblems },
  unique: true,
};

export type DeviceAttribute = ObjectOf<typeof deviceAttribute>;

export const deviceAttribute = s.struct(
  "resource.v1.DeviceAttribute",
  "The value of an attribute; exactly one member is set.",
  () => ({
    int: ptr.int64(2, "A whole number."),
    bool: ptr.boolean(3, "True or false."),
    string: ptr.string(4, "A text of at most 64 bytes.", { must: { maxBytes: 64 } }),
    version: ptr.string(5, "A semantic version (semver 2.0.0) of at most 64 bytes.", {
      must: { strict: true, form: versionProblems, after: { maxBytes: 64 } },
    }),
  }),
);

const versionProblems = (version: string): string[] =>
  parseSemanticVersion(version) ? [] : ["must be a string compatible with semver.org spec 2.0.0"];

const deviceCapacity = s.struct("resource.v1.DeviceCapacity", "An amount that a device has.", () => ({
  value: s.quantity(1, "How much of it there is."),
  requestPolicy: ptr.of(
    capacityRequestPolicy,
    2,
    "How much one request may take; only for devices with allowMultipleAllocations. Not set: any amount.",
    { gate: "DRAConsumableCapacity" },
  ),
}));

export type CapacityRequestPolicy = ObjectOf<typeof capacityRequestPolicy>;

const capacityRequestPolicy = s.struct(
  "resource.v1.CapacityRequestPolicy",
  "How much of a capacity one request may take: one of a few values, or a range.",
  () => ({
    default: shown.quantity(1, "What a request takes that does not say how much.", { pointer: true }),
    validValues: opt.atomic(
      "quantity",
      3,
      "The amounts that can be taken, in ascending order, at most 10; others are rounded up. Excludes validRange.",
    ),
    validRange: ptr.of(capacityRequestPolicyRange, 4, "The range of amounts that can be taken; excludes validValues."),
  }),
);

export type CapacityRequestPolicyRange = ObjectOf<typeof capacityRequestPolicyRange>;

const capacityRequestPolicyRange = s.struct(
  "resource.v1.CapacityRequestPolicyRange",
  "A range of amounts that a request may take.",
  () => ({
    min: s.quantity(1, "The least amount; smaller requests are rounded up to it.", { omitEmpty: true, pointer: true }),
    max: ptr.quantity(2, "The greatest amount; when not set, all there is."),
    step: ptr.quantity(
      3,
      "Amounts are min plus a multiple of this; others are rounded up. Not set: every amount from min.",
    ),
  }),
);

const deviceCounterConsumption = s.struct(
  "resource.v1.DeviceCounterConsumption",
  "What a device takes from a set of counters.",
  () => ({
    counterSet: s.string(1, "Name of the set in sharedCounters."),
    counters: s.map(counter, 2, "How much is taken, by the name of the counter.", { omitEmpty: true }),
  }),
);

const counter = s.struct("resource.v1.Counter", "An amount that is counted.", () => ({
  value: s.quantity(1, "The amount: how much there is, or how much is taken."),
}));

export const deviceTaint = s.struct(
  "resource.v1.DeviceTaint",
  "Keeps claims without a matching toleration away from a device.",
  () => ({
    key: s.string(1, "Key of the taint, a label key.", { must: { strict: true, form: qualifiedNameProblems } }),
    value: opt.string(2, "Value of the taint, a label value; may be empty.", { must: { form: labelValueProblems } }),
    effect: s.enumOf(
      "DeviceTaintEffect",
      ["NoExecute", "NoSchedule"],
      3,
      "NoSchedule keeps new pods from using the device, NoExecute also evicts those that use it.",
      { must: { filled: true, listed: true } },
    ),
    timeAdded: ptr.time(4, "When the taint was added; the server fills it in when it is missing."),
  }),
);

export type CounterSet = ObjectOf<typeof counterSet>;

export const counterSet = s.struct(
  "resource.v1.CounterSet",
  "Amounts that several devices share, so that allocating one may leave less for the others.",
  () => ({
    name: s.string(1, "Name of the set, a DNS label that is unique in the slice.", {
      must: { filled: true, form: dns1123LabelProblems },
    }),
    counters: s.map(counter, 2, "What there is in all, by the name of the counter.", { omitEmpty: true }),
  }),
);
