// The resource group in version v1beta1, where a request for devices and a device have another form. Stored as v1.

import { finish } from "../../base/steps.ts";
import type { ApiObject } from "../../meta/object.ts";
import { opt, ptr, s, shown } from "../../schema/builder.ts";
import { renamed } from "../another-version.ts";
import { nodeSelector } from "../core/node-selector.ts";
import type { Kind, Work } from "../define-kind.ts";
import { resourceClaim } from "./resource-claim.ts";
import {
  ALLOCATION_MODE_TEXT,
  alternatives,
  REQUEST_NAME_TEXT,
  SUB_REQUEST_TEXT,
  subRequestMembers,
  wantedDevices,
} from "./resource-claim-spec.ts";
import { resourceClaimTemplate } from "./resource-claim-template.ts";
import { resourceSlice } from "./resource-slice.ts";
import { DEVICE_NAME_TEXT, deviceMembers, SLICE_SPEC_TEXT, sliceMembers } from "./resource-slice-schema.ts";
import * as convert from "./resource-v1beta1-conversion.ts";

/** Hooks of v1 work on the form of v1: they run on the converted object. */
function older(kind: Kind, toV1: (object: ApiObject) => ApiObject, fromV1: (object: ApiObject) => ApiObject): Kind {
  const { hooks = {} } = kind;
  const onV1 = (object: ApiObject, change: (converted: ApiObject) => Work): void => {
    const converted = toV1(object);
    finish(change(converted));
    for (const key of Object.keys(object)) delete object[key];
    Object.assign(object, fromV1(converted));
  };
  return {
    ...kind,
    version: "v1beta1",
    offByDefault: true,
    schema: renamed(kind.schema, "resource.v1", "resource.v1beta1", { replaced: DIFFERENT }),
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

// Members that stand in v1 too have its texts; here they have other numbers, and some another presence.

const allocationMode = () => opt.named("v1.DeviceAllocationMode", 4, ALLOCATION_MODE_TEXT);

const deviceRequest = s.struct(
  "resource.v1beta1.DeviceRequest",
  "One request for devices: deviceClassName says which, or firstAvailable lists alternatives.",
  () => {
    const { tolerations, capacity, ...members } = s.renumbered(wantedDevices(), {
      selectors: 3,
      count: 5,
      adminAccess: 6,
      tolerations: 8,
      capacity: 9,
    });
    return {
      name: s.string(1, REQUEST_NAME_TEXT),
      ...members,
      deviceClassName: shown.string(2, "DeviceClass that devices must belong to; not set when firstAvailable is."),
      allocationMode: allocationMode(),
      firstAvailable: s.renumbered(alternatives(), { firstAvailable: 7 }).firstAvailable,
      tolerations,
      capacity,
    };
  },
);

const deviceSubRequest = s.struct("resource.v1beta1.DeviceSubRequest", SUB_REQUEST_TEXT, () => ({
  ...s.renumbered(subRequestMembers(), { tolerations: 7, capacity: 8 }),
  allocationMode: allocationMode(),
}));

const device = s.struct("resource.v1beta1.Device", "One device of a driver.", () => ({
  name: s.string(1, DEVICE_NAME_TEXT),
  basic: ptr.of(basicDevice, 2, "What the device is; required."),
}));

const basicDevice = s.struct("resource.v1beta1.BasicDevice", "What a device is, and what it has.", () => ({
  ...s.renumbered(deviceMembers(), (number) => number - 1),
  nodeSelector: ptr.of(nodeSelector, 5, "Nodes on which the device can be used; one of three ways to say where."),
}));

const resourceSliceSpec = s.struct("resource.v1beta1.ResourceSliceSpec", SLICE_SPEC_TEXT, () => ({
  ...sliceMembers(device),
  nodeName: opt.string(
    3,
    "The only node on which the devices can be used. One of four ways to say where; cannot be changed.",
  ),
  allNodes: opt.boolean(5, "True: the devices can be used on every node. One of four ways to say where."),
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
