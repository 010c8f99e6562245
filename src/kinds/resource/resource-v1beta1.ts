// The resource group in version v1beta1, where a request for devices and a device have another form. Stored as v1.

import type { ApiObject } from "../../meta/object.ts";
import { s } from "../../schema/builder.ts";
import { renamed } from "../another-version.ts";
import { nodeSelector } from "../core/node-selector.ts";
import type { Kind } from "../define-kind.ts";
import { deviceSelector } from "./device-selector.ts";
import { resourceClaim } from "./resource-claim.ts";
import { capacityRequirements, deviceToleration, deviceSubRequest as subRequestV1 } from "./resource-claim-spec.ts";
import { resourceClaimTemplate } from "./resource-claim-template.ts";
import { resourceSlice } from "./resource-slice.ts";
import {
  counterSet,
  deviceAttribute,
  deviceCapacity,
  deviceCounterConsumption,
  deviceTaint,
  resourcePool,
} from "./resource-slice-schema.ts";
import * as convert from "./resource-v1beta1-conversion.ts";

/** Hooks of v1 work on the form of v1: they run on the converted object. */
function older(kind: Kind, toV1: (object: ApiObject) => ApiObject, fromV1: (object: ApiObject) => ApiObject): Kind {
  const { hooks = {} } = kind;
  const onV1 = (object: ApiObject, change: (converted: ApiObject) => void): void => {
    const converted = toV1(object);
    change(converted);
    for (const key of Object.keys(object)) delete object[key];
    Object.assign(object, fromV1(converted));
  };
  return {
    ...kind,
    version: "v1beta1",
    offByDefault: true,
    schema: renamed(kind.schema, "resource.v1", "resource.v1beta1", DIFFERENT),
    hooks: {
      default: (object, context) => onV1(object, (converted) => hooks.default?.(converted, context)),
      prepareForCreate: (object, context) => onV1(object, (converted) => hooks.prepareForCreate?.(converted, context)),
      prepareForUpdate: (object, old, context) =>
        onV1(object, (converted) => hooks.prepareForUpdate?.(converted, toV1(old), context)),
      validate: (object, context) => hooks.validate?.(toV1(object), context) ?? [],
      validateUpdate: (object, old, context) => hooks.validateUpdate?.(toV1(object), toV1(old), context) ?? [],
    },
    selectableFields: Object.fromEntries(
      Object.entries(kind.selectableFields ?? {}).map(([name, read]) => [
        name,
        (object: ApiObject) => read(toV1(object)),
      ]),
    ),
    columns: (kind.columns ?? []).map((column) => {
      const { cell } = column;
      return typeof cell === "string" ? column : { ...column, cell: (object, context) => cell(toV1(object), context) };
    }),
    storedAs: { group: "resource", version: "v1", kind: kind.kind, toStored: toV1, fromStored: fromV1 },
  };
}

const deviceRequest = s.struct(
  "resource.v1beta1.DeviceRequest",
  { doc: "One request for devices: deviceClassName says which, or firstAvailable lists alternatives." },
  () => ({
    name: s.string({
      proto: 1,
      doc: "Name by which containers, constraints and settings refer to the request; a DNS label, unique in the claim.",
    }),
    deviceClassName: s.string({
      proto: 2,
      required: false,
      doc: "DeviceClass that devices must belong to; not set when firstAvailable is.",
    }),
    selectors: s.list(deviceSelector, {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "Conditions that a device must all meet, besides those of the class. At most 32.",
    }),
    allocationMode: s.string({
      alias: "v1.DeviceAllocationMode",
      proto: 4,
      optional: true,
      doc: "ExactCount (the default) takes count devices, All takes every device that fits and fails if one is in use.",
    }),
    count: s.int64({
      proto: 5,
      optional: true,
      doc: "How many devices, at least 1 and by default 1. Only with allocationMode ExactCount.",
    }),
    adminAccess: s.boolean({
      proto: 6,
      optional: true,
      pointer: true,
      gate: "DRAAdminAccess",
      doc: "Grants access for administration, also to devices in use, without reserving them. Only in namespaces marked for it.",
    }),
    firstAvailable: s.list(subRequestV1, {
      proto: 7,
      optional: true,
      listType: "atomic",
      gate: "DRAPrioritizedList",
      doc: "Alternatives in order of preference, at most 8; the first that can be met is taken.",
    }),
    tolerations: s.list(deviceToleration, {
      proto: 8,
      optional: true,
      listType: "atomic",
      gate: "DRADeviceTaints",
      doc: "Taints that devices may have all the same.",
    }),
    capacity: s.of(capacityRequirements, {
      proto: 9,
      optional: true,
      pointer: true,
      gate: "DRAConsumableCapacity",
      doc: "How much of each capacity is needed, for devices that can be shared.",
    }),
  }),
);

const deviceSubRequest = s.struct(
  "resource.v1beta1.DeviceSubRequest",
  { doc: "One of several alternatives of a request." },
  () => ({
    name: s.string({
      proto: 1,
      doc: "Name of the alternative, referred to as request/subrequest; a DNS label, unique in the request.",
    }),
    deviceClassName: s.string({ proto: 2, doc: "DeviceClass that devices must belong to." }),
    selectors: s.list(deviceSelector, {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "Conditions that a device must all meet, besides those of the class. At most 32.",
    }),
    allocationMode: s.string({
      alias: "v1.DeviceAllocationMode",
      proto: 4,
      optional: true,
      doc: "ExactCount (the default) takes count devices, All takes every device that fits and fails if one is in use.",
    }),
    count: s.int64({
      proto: 5,
      optional: true,
      doc: "How many devices, at least 1 and by default 1. Only with allocationMode ExactCount.",
    }),
    tolerations: s.list(deviceToleration, {
      proto: 7,
      optional: true,
      listType: "atomic",
      gate: "DRADeviceTaints",
      doc: "Taints that devices may have all the same.",
    }),
    capacity: s.of(capacityRequirements, {
      proto: 8,
      optional: true,
      pointer: true,
      gate: "DRAConsumableCapacity",
      doc: "How much of each capacity is needed, for devices that can be shared.",
    }),
  }),
);

const device = s.struct("resource.v1beta1.Device", { doc: "One device of a driver." }, () => ({
  name: s.string({ proto: 1, doc: "Name of the device, a DNS label that is unique in the pool." }),
  basic: s.of(basicDevice, { proto: 2, optional: true, pointer: true, doc: "What the device is; required." }),
}));

const basicDevice = s.struct("resource.v1beta1.BasicDevice", { doc: "What a device is, and what it has." }, () => ({
  attributes: s.map(deviceAttribute, {
    proto: 1,
    optional: true,
    doc: "Properties of the device by name, for selectors to look at. At most 32 together with capacity.",
  }),
  capacity: s.map(deviceCapacity, {
    proto: 2,
    optional: true,
    doc: "Amounts that the device has, by name. At most 32 together with attributes.",
  }),
  consumesCounters: s.list(deviceCounterConsumption, {
    proto: 3,
    optional: true,
    listType: "atomic",
    gate: "DRAPartitionableDevices",
    doc: "What the device takes from the shared counters of the slice while it is allocated.",
  }),
  nodeName: s.string({
    proto: 4,
    optional: true,
    pointer: true,
    gate: "DRAPartitionableDevices",
    doc: "The only node on which the device can be used; one of three ways to say where.",
  }),
  nodeSelector: s.of(nodeSelector, {
    proto: 5,
    optional: true,
    pointer: true,
    doc: "Nodes on which the device can be used; one of three ways to say where.",
  }),
  allNodes: s.boolean({
    proto: 6,
    optional: true,
    pointer: true,
    gate: "DRAPartitionableDevices",
    doc: "True: the device can be used on every node; one of three ways to say where.",
  }),
  taints: s.list(deviceTaint, {
    proto: 7,
    optional: true,
    listType: "atomic",
    gate: "DRADeviceTaints",
    doc: "Taints of the device, at most 4.",
  }),
  bindsToNode: s.boolean({
    proto: 8,
    optional: true,
    pointer: true,
    gate: "DRADeviceBindingConditions",
    doc: "True: once this device is allocated, the claim can be used only on the node that was chosen.",
  }),
  bindingConditions: s.list("string", {
    proto: 9,
    optional: true,
    listType: "atomic",
    gate: "DRADeviceBindingConditions",
    doc: "Conditions of the device that must be True before a pod is bound to its node, at most 4. None: no waiting.",
  }),
  bindingFailureConditions: s.list("string", {
    proto: 10,
    optional: true,
    listType: "atomic",
    gate: "DRADeviceBindingConditions",
    doc: "Conditions of which one being True makes binding fail, and the pod is scheduled anew. At most 4.",
  }),
  allowMultipleAllocations: s.boolean({
    proto: 11,
    optional: true,
    pointer: true,
    gate: "DRAConsumableCapacity",
    doc: "True: several requests may use the device at once, each with its part of the capacity.",
  }),
}));

const resourceSliceSpec = s.struct(
  "resource.v1beta1.ResourceSliceSpec",
  { doc: "The devices of a slice, the pool they belong to, and where they can be used." },
  () => ({
    driver: s.string({ proto: 1, doc: "Driver that offers the devices, named like a domain. Cannot be changed." }),
    pool: s.of(resourcePool, { proto: 2, doc: "The pool that the devices belong to." }),
    nodeName: s.string({
      proto: 3,
      optional: true,
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

const DIFFERENT = new Map(
  Object.entries({
    DeviceRequest: deviceRequest,
    DeviceSubRequest: deviceSubRequest,
    Device: device,
    ResourceSliceSpec: resourceSliceSpec,
  }),
);

export const resourceClaimV1beta1: Kind = older(resourceClaim as Kind, convert.claimToV1, convert.claimFromV1);
export const resourceClaimTemplateV1beta1: Kind = older(
  resourceClaimTemplate as Kind,
  convert.templateToV1,
  convert.templateFromV1,
);
export const resourceSliceV1beta1: Kind = older(resourceSlice as Kind, convert.sliceToV1, convert.sliceFromV1);
