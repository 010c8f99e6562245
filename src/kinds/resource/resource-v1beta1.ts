// The resource group in version v1beta1, where a request for devices and a device have another form. Stored as v1.

import type { ApiObject } from "../../meta/object.ts";
import { opt, ptr, s, shown } from "../../schema/builder.ts";
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
  "One request for devices: deviceClassName says which, or firstAvailable lists alternatives.",
  () => ({
    name: s.string(
      1,
      "Name by which containers, constraints and settings refer to the request; a DNS label, unique in the claim.",
    ),
    deviceClassName: shown.string(2, "DeviceClass that devices must belong to; not set when firstAvailable is."),
    selectors: opt.atomic(
      deviceSelector,
      3,
      "Conditions that a device must all meet, besides those of the class. At most 32.",
    ),
    allocationMode: opt.named(
      "v1.DeviceAllocationMode",
      4,
      "ExactCount (the default) takes count devices, All takes every device that fits and fails if one is in use.",
    ),
    count: opt.int64(5, "How many devices, at least 1 and by default 1. Only with allocationMode ExactCount."),
    adminAccess: ptr.boolean(
      6,
      "Grants access for administration, also to devices in use, without reserving them. Only in namespaces marked for it.",
      { gate: "DRAAdminAccess" },
    ),
    firstAvailable: opt.atomic(
      subRequestV1,
      7,
      "Alternatives in order of preference, at most 8; the first that can be met is taken.",
      { gate: "DRAPrioritizedList" },
    ),
    tolerations: opt.atomic(deviceToleration, 8, "Taints that devices may have all the same.", {
      gate: "DRADeviceTaints",
    }),
    capacity: ptr.of(capacityRequirements, 9, "How much of each capacity is needed, for devices that can be shared.", {
      gate: "DRAConsumableCapacity",
    }),
  }),
);

const deviceSubRequest = s.struct(
  "resource.v1beta1.DeviceSubRequest",
  "One of several alternatives of a request.",
  () => ({
    name: s.string(
      1,
      "Name of the alternative, referred to as request/subrequest; a DNS label, unique in the request.",
    ),
    deviceClassName: s.string(2, "DeviceClass that devices must belong to."),
    selectors: opt.atomic(
      deviceSelector,
      3,
      "Conditions that a device must all meet, besides those of the class. At most 32.",
    ),
    allocationMode: opt.named(
      "v1.DeviceAllocationMode",
      4,
      "ExactCount (the default) takes count devices, All takes every device that fits and fails if one is in use.",
    ),
    count: opt.int64(5, "How many devices, at least 1 and by default 1. Only with allocationMode ExactCount."),
    tolerations: opt.atomic(deviceToleration, 7, "Taints that devices may have all the same.", {
      gate: "DRADeviceTaints",
    }),
    capacity: ptr.of(capacityRequirements, 8, "How much of each capacity is needed, for devices that can be shared.", {
      gate: "DRAConsumableCapacity",
    }),
  }),
);

const device = s.struct("resource.v1beta1.Device", "One device of a driver.", () => ({
  name: s.string(1, "Name of the device, a DNS label that is unique in the pool."),
  basic: ptr.of(basicDevice, 2, "What the device is; required."),
}));

const basicDevice = s.struct("resource.v1beta1.BasicDevice", "What a device is, and what it has.", () => ({
  attributes: opt.map(
    deviceAttribute,
    1,
    "Properties of the device by name, for selectors to look at. At most 32 together with capacity.",
  ),
  capacity: opt.map(deviceCapacity, 2, "Amounts that the device has, by name. At most 32 together with attributes."),
  consumesCounters: opt.atomic(
    deviceCounterConsumption,
    3,
    "What the device takes from the shared counters of the slice while it is allocated.",
    { gate: "DRAPartitionableDevices" },
  ),
  nodeName: ptr.string(4, "The only node on which the device can be used; one of three ways to say where.", {
    gate: "DRAPartitionableDevices",
  }),
  nodeSelector: ptr.of(nodeSelector, 5, "Nodes on which the device can be used; one of three ways to say where."),
  allNodes: ptr.boolean(6, "True: the device can be used on every node; one of three ways to say where.", {
    gate: "DRAPartitionableDevices",
  }),
  taints: opt.atomic(deviceTaint, 7, "Taints of the device, at most 4.", { gate: "DRADeviceTaints" }),
  bindsToNode: ptr.boolean(
    8,
    "True: once this device is allocated, the claim can be used only on the node that was chosen.",
    { gate: "DRADeviceBindingConditions" },
  ),
  bindingConditions: opt.atomic(
    "string",
    9,
    "Conditions of the device that must be True before a pod is bound to its node, at most 4. None: no waiting.",
    { gate: "DRADeviceBindingConditions" },
  ),
  bindingFailureConditions: opt.atomic(
    "string",
    10,
    "Conditions of which one being True makes binding fail, and the pod is scheduled anew. At most 4.",
    { gate: "DRADeviceBindingConditions" },
  ),
  allowMultipleAllocations: ptr.boolean(
    11,
    "True: several requests may use the device at once, each with its part of the capacity.",
    { gate: "DRAConsumableCapacity" },
  ),
}));

const resourceSliceSpec = s.struct(
  "resource.v1beta1.ResourceSliceSpec",
  "The devices of a slice, the pool they belong to, and where they can be used.",
  () => ({
    driver: s.string(1, "Driver that offers the devices, named like a domain. Cannot be changed."),
    pool: s.of(resourcePool, 2, "The pool that the devices belong to."),
    nodeName: opt.string(
      3,
      "The only node on which the devices can be used. One of four ways to say where; cannot be changed.",
    ),
    nodeSelector: ptr.of(
      nodeSelector,
      4,
      "Nodes on which the devices can be used, as exactly one term. One of four ways to say where.",
    ),
    allNodes: opt.boolean(5, "True: the devices can be used on every node. One of four ways to say where."),
    devices: shown.atomic(device, 6, "The devices, at most 128 with different names."),
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
