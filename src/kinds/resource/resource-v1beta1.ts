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

const deviceRequest = s.struct("resource.v1beta1.DeviceRequest", () => ({
  name: s.string({ proto: 1 }),
  deviceClassName: s.string({ proto: 2, required: false }),
  selectors: s.list(deviceSelector, { proto: 3, optional: true, listType: "atomic" }),
  allocationMode: s.string({ alias: "v1.DeviceAllocationMode", proto: 4, optional: true }),
  count: s.int64({ proto: 5, optional: true }),
  adminAccess: s.boolean({ proto: 6, optional: true, pointer: true, gate: "DRAAdminAccess" }),
  firstAvailable: s.list(subRequestV1, { proto: 7, optional: true, listType: "atomic", gate: "DRAPrioritizedList" }),
  tolerations: s.list(deviceToleration, { proto: 8, optional: true, listType: "atomic", gate: "DRADeviceTaints" }),
  capacity: s.of(capacityRequirements, { proto: 9, optional: true, pointer: true, gate: "DRAConsumableCapacity" }),
}));

const deviceSubRequest = s.struct("resource.v1beta1.DeviceSubRequest", () => ({
  name: s.string({ proto: 1 }),
  deviceClassName: s.string({ proto: 2 }),
  selectors: s.list(deviceSelector, { proto: 3, optional: true, listType: "atomic" }),
  allocationMode: s.string({ alias: "v1.DeviceAllocationMode", proto: 4, optional: true }),
  count: s.int64({ proto: 5, optional: true }),
  tolerations: s.list(deviceToleration, { proto: 7, optional: true, listType: "atomic", gate: "DRADeviceTaints" }),
  capacity: s.of(capacityRequirements, { proto: 8, optional: true, pointer: true, gate: "DRAConsumableCapacity" }),
}));

const device = s.struct("resource.v1beta1.Device", () => ({
  name: s.string({ proto: 1 }),
  basic: s.of(basicDevice, { proto: 2, optional: true, pointer: true }),
}));

const basicDevice = s.struct("resource.v1beta1.BasicDevice", () => ({
  attributes: s.map(deviceAttribute, { proto: 1, optional: true }),
  capacity: s.map(deviceCapacity, { proto: 2, optional: true }),
  consumesCounters: s.list(deviceCounterConsumption, {
    proto: 3,
    optional: true,
    listType: "atomic",
    gate: "DRAPartitionableDevices",
  }),
  nodeName: s.string({ proto: 4, optional: true, pointer: true, gate: "DRAPartitionableDevices" }),
  nodeSelector: s.of(nodeSelector, { proto: 5, optional: true, pointer: true }),
  allNodes: s.boolean({ proto: 6, optional: true, pointer: true, gate: "DRAPartitionableDevices" }),
  taints: s.list(deviceTaint, { proto: 7, optional: true, listType: "atomic", gate: "DRADeviceTaints" }),
  bindsToNode: s.boolean({ proto: 8, optional: true, pointer: true, gate: "DRADeviceBindingConditions" }),
  bindingConditions: s.list("string", {
    proto: 9,
    optional: true,
    listType: "atomic",
    gate: "DRADeviceBindingConditions",
  }),
  bindingFailureConditions: s.list("string", {
    proto: 10,
    optional: true,
    listType: "atomic",
    gate: "DRADeviceBindingConditions",
  }),
  allowMultipleAllocations: s.boolean({ proto: 11, optional: true, pointer: true, gate: "DRAConsumableCapacity" }),
}));

const resourceSliceSpec = s.struct("resource.v1beta1.ResourceSliceSpec", () => ({
  driver: s.string({ proto: 1 }),
  pool: s.of(resourcePool, { proto: 2 }),
  nodeName: s.string({ proto: 3, optional: true }),
  nodeSelector: s.of(nodeSelector, { proto: 4, optional: true, pointer: true }),
  allNodes: s.boolean({ proto: 5, optional: true }),
  devices: s.list(device, { proto: 6, required: false, listType: "atomic" }),
  perDeviceNodeSelection: s.boolean({ proto: 7, optional: true, pointer: true, gate: "DRAPartitionableDevices" }),
  sharedCounters: s.list(counterSet, { proto: 8, optional: true, listType: "atomic", gate: "DRAPartitionableDevices" }),
}));

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
