// Which devices a claim asks for.

import { dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s, shown } from "../../schema/builder.ts";
import { deviceConfiguration, deviceSelector } from "./device-selector.ts";

export type ResourceClaimSpec = ObjectOf<typeof resourceClaimSpec>;

export const resourceClaimSpec = s.struct("resource.v1.ResourceClaimSpec", "Which devices a claim asks for.", () => ({
  devices: shown.of(deviceClaim, 1, "The requests for devices, with what they have in common."),
}));

export const deviceClaim = s.struct(
  "resource.v1.DeviceClaim",
  "Requests for devices, constraints among them, and their settings.",
  () => ({
    requests: shown.atomic(
      deviceRequest,
      1,
      "The requests, at most 32. All must be met for the claim to be allocated.",
    ),
    constraints: opt.atomic(
      deviceConstraint,
      2,
      "What the devices of several requests must have in common, or not. At most 32.",
      { must: { maxItems: 32 } },
    ),
    config: opt.atomic(
      deviceClaimConfiguration,
      3,
      "Settings for the devices; drivers read what is theirs. At most 32.",
      { must: { maxItems: 32 } },
    ),
  }),
);

export type DeviceRequest = ObjectOf<typeof deviceRequest>;

const deviceRequest = s.struct(
  "resource.v1.DeviceRequest",
  "One request for devices: exactly one of exactly and firstAvailable is set.",
  () => ({
    name: s.string(1, REQUEST_NAME_TEXT),
    exactly: ptr.of(exactDeviceRequest, 2, "The devices that are wanted, without alternatives."),
    ...alternatives(),
  }),
);

export const REQUEST_NAME_TEXT =
  "Name by which containers, constraints and settings refer to the request; a DNS label, unique in the claim.";

export const alternatives = () => ({
  firstAvailable: opt.atomic(
    deviceSubRequest,
    3,
    "Alternatives in order of preference, at most 8; the first that can be met is taken.",
    { gate: "DRAPrioritizedList" },
  ),
});

export type ExactDeviceRequest = ObjectOf<typeof exactDeviceRequest>;

export const exactDeviceRequest = s.struct(
  "resource.v1.ExactDeviceRequest",
  "Which devices are wanted, and how many.",
  wantedDevices,
);

export const ALLOCATION_MODE_TEXT =
  "ExactCount (the default) takes count devices, All takes every device that fits and fails if one is in use.";

/** What requests say about the devices they want, in all their forms and versions; the numbers differ. */
export function wantedDevices() {
  return {
    deviceClassName: s.string(1, "DeviceClass that devices must belong to.", {
      must: { filled: true, form: dns1123SubdomainProblems },
    }),
    selectors: opt.atomic(
      deviceSelector,
      2,
      "Conditions that a device must all meet, besides those of the class. At most 32.",
    ),
    allocationMode: opt.named("DeviceAllocationMode", 3, ALLOCATION_MODE_TEXT),
    count: opt.int64(4, "How many devices, at least 1 and by default 1. Only with allocationMode ExactCount."),
    adminAccess: ptr.boolean(
      5,
      "Grants access for administration, also to devices in use, without reserving them. Only in namespaces marked for it.",
      { gate: "DRAAdminAccess" },
    ),
    tolerations: opt.atomic(deviceToleration, 6, "Taints that devices may have all the same."),
    capacity: ptr.of(capacityRequirements, 7, "How much of each capacity is needed, for devices that can be shared.", {
      gate: "DRAConsumableCapacity",
    }),
  };
}

export const SUB_REQUEST_TEXT = "One of several alternatives of a request.";

const deviceSubRequest = s.struct("resource.v1.DeviceSubRequest", SUB_REQUEST_TEXT, subRequestMembers);

export function subRequestMembers() {
  const { adminAccess: _none, ...members } = wantedDevices();
  return {
    name: s.string(
      1,
      "Name of the alternative, referred to as request/subrequest; a DNS label, unique in the request.",
    ),
    ...s.renumbered(members, { deviceClassName: 2, selectors: 3, allocationMode: 4, count: 5 }),
  };
}

export const deviceToleration = s.struct(
  "resource.v1.DeviceToleration",
  "Lets a request use devices with a taint that matches.",
  () => ({
    key: opt.string(1, "Key of the taint. Empty, together with operator Exists, it matches every key."),
    operator: opt.enumOf(
      "DeviceTolerationOperator",
      ["Equal", "Exists"],
      2,
      "Equal (the default) compares the value as well, Exists takes every value.",
      { default: "Equal" },
    ),
    value: opt.string(3, "Value of the taint for Equal; empty for Exists."),
    effect: opt.enumOf(
      "DeviceTaintEffect",
      ["NoExecute", "NoSchedule"],
      4,
      "Effect of the taint: NoSchedule or NoExecute; when empty, both.",
    ),
    tolerationSeconds: ptr.int64(
      5,
      "For how many seconds NoExecute is tolerated; when not set, for ever; zero or less evicts at once.",
    ),
  }),
);

const capacityRequirements = s.struct("resource.v1.CapacityRequirements", "How much of a device is needed.", () => ({
  requests: opt.map(
    "quantity",
    1,
    "Amounts by the name of the capacity. For others, the default of the device counts, or all it has.",
  ),
}));

export type DeviceConstraint = ObjectOf<typeof deviceConstraint>;

const deviceConstraint = s.struct(
  "resource.v1.DeviceConstraint",
  "What devices of several requests must have in common, or must differ in.",
  () => ({
    requests: opt.atomic("string", 1, "Requests that the constraint concerns; when empty, all of the claim."),
    matchAttribute: ptr.named(
      "FullyQualifiedName",
      2,
      "Attribute, as domain/name, that all devices must have with the same value.",
    ),
    distinctAttribute: ptr.named(
      "FullyQualifiedName",
      3,
      "Attribute, as domain/name, that all devices must have with different values.",
    ),
  }),
);

const deviceClaimConfiguration = s.struct(
  "resource.v1.DeviceClaimConfiguration",
  "Settings for devices of a claim.",
  () => ({
    requests: opt.atomic("string", 1, "Requests that the settings are for, or request/subrequest; when empty, all."),
    deviceConfiguration: s.inline(deviceConfiguration, 2),
  }),
);
