// Which devices a claim asks for.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { deviceConfiguration, deviceSelector } from "./device-selector.ts";

export type ResourceClaimSpec = ObjectOf<typeof resourceClaimSpec>;

export const resourceClaimSpec = s.struct(
  "resource.v1.ResourceClaimSpec",
  { doc: "Which devices a claim asks for." },
  () => ({
    devices: s.of(deviceClaim, {
      proto: 1,
      required: false,
      doc: "The requests for devices, with what they have in common.",
    }),
  }),
);

export type DeviceClaim = ObjectOf<typeof deviceClaim>;

export const deviceClaim = s.struct(
  "resource.v1.DeviceClaim",
  { doc: "Requests for devices, constraints among them, and their settings." },
  () => ({
    requests: s.list(deviceRequest, {
      proto: 1,
      required: false,
      listType: "atomic",
      doc: "The requests, at most 32. All must be met for the claim to be allocated.",
    }),
    constraints: s.list(deviceConstraint, {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "What the devices of several requests must have in common, or not. At most 32.",
    }),
    config: s.list(deviceClaimConfiguration, {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "Settings for the devices; drivers read what is theirs. At most 32.",
    }),
  }),
);

export type DeviceRequest = ObjectOf<typeof deviceRequest>;

export const deviceRequest = s.struct(
  "resource.v1.DeviceRequest",
  { doc: "One request for devices: exactly one of exactly and firstAvailable is set." },
  () => ({
    name: s.string({
      proto: 1,
      doc: "Name by which containers, constraints and settings refer to the request; a DNS label, unique in the claim.",
    }),
    exactly: s.of(exactDeviceRequest, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The devices that are wanted, without alternatives.",
    }),
    firstAvailable: s.list(deviceSubRequest, {
      proto: 3,
      optional: true,
      listType: "atomic",
      gate: "DRAPrioritizedList",
      doc: "Alternatives in order of preference, at most 8; the first that can be met is taken.",
    }),
  }),
);

export type ExactDeviceRequest = ObjectOf<typeof exactDeviceRequest>;

export const exactDeviceRequest = s.struct(
  "resource.v1.ExactDeviceRequest",
  { doc: "Which devices are wanted, and how many." },
  () => ({
    deviceClassName: s.string({ proto: 1, doc: "DeviceClass that devices must belong to." }),
    selectors: s.list(deviceSelector, {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Conditions that a device must all meet, besides those of the class. At most 32.",
    }),
    allocationMode: s.string({
      alias: "DeviceAllocationMode",
      proto: 3,
      optional: true,
      doc: "ExactCount (the default) takes count devices, All takes every device that fits and fails if one is in use.",
    }),
    count: s.int64({
      proto: 4,
      optional: true,
      doc: "How many devices, at least 1 and by default 1. Only with allocationMode ExactCount.",
    }),
    adminAccess: s.boolean({
      proto: 5,
      optional: true,
      pointer: true,
      gate: "DRAAdminAccess",
      doc: "Grants access for administration, also to devices in use, without reserving them. Only in namespaces marked for it.",
    }),
    tolerations: s.list(deviceToleration, {
      proto: 6,
      optional: true,
      listType: "atomic",
      gate: "DRADeviceTaints",
      doc: "Taints that devices may have all the same.",
    }),
    capacity: s.of(capacityRequirements, {
      proto: 7,
      optional: true,
      pointer: true,
      gate: "DRAConsumableCapacity",
      doc: "How much of each capacity is needed, for devices that can be shared.",
    }),
  }),
);

export type DeviceSubRequest = ObjectOf<typeof deviceSubRequest>;

export const deviceSubRequest = s.struct(
  "resource.v1.DeviceSubRequest",
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
      alias: "DeviceAllocationMode",
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
      proto: 6,
      optional: true,
      listType: "atomic",
      gate: "DRADeviceTaints",
      doc: "Taints that devices may have all the same.",
    }),
    capacity: s.of(capacityRequirements, {
      proto: 7,
      optional: true,
      pointer: true,
      gate: "DRAConsumableCapacity",
      doc: "How much of each capacity is needed, for devices that can be shared.",
    }),
  }),
);

export type DeviceToleration = ObjectOf<typeof deviceToleration>;

export const deviceToleration = s.struct(
  "resource.v1.DeviceToleration",
  { doc: "Lets a request use devices with a taint that matches." },
  () => ({
    key: s.string({
      proto: 1,
      optional: true,
      doc: "Key of the taint. Empty, together with operator Exists, it matches every key.",
    }),
    operator: s.enumOf(["Equal", "Exists"], {
      alias: "DeviceTolerationOperator",
      proto: 2,
      optional: true,
      default: "Equal",
      doc: "Equal (the default) compares the value as well, Exists takes every value.",
    }),
    value: s.string({ proto: 3, optional: true, doc: "Value of the taint for Equal; empty for Exists." }),
    effect: s.enumOf(["NoExecute", "NoSchedule"], {
      alias: "DeviceTaintEffect",
      proto: 4,
      optional: true,
      doc: "Effect of the taint: NoSchedule or NoExecute; when empty, both.",
    }),
    tolerationSeconds: s.int64({
      proto: 5,
      optional: true,
      pointer: true,
      doc: "For how many seconds NoExecute is tolerated; when not set, for ever; zero or less evicts at once.",
    }),
  }),
);

export type CapacityRequirements = ObjectOf<typeof capacityRequirements>;

export const capacityRequirements = s.struct(
  "resource.v1.CapacityRequirements",
  { doc: "How much of a device is needed." },
  () => ({
    requests: s.map("quantity", {
      proto: 1,
      optional: true,
      doc: "Amounts by the name of the capacity. For others, the default of the device counts, or all it has.",
    }),
  }),
);

export type DeviceConstraint = ObjectOf<typeof deviceConstraint>;

export const deviceConstraint = s.struct(
  "resource.v1.DeviceConstraint",
  { doc: "What devices of several requests must have in common, or must differ in." },
  () => ({
    requests: s.list("string", {
      proto: 1,
      optional: true,
      listType: "atomic",
      doc: "Requests that the constraint concerns; when empty, all of the claim.",
    }),
    matchAttribute: s.string({
      alias: "FullyQualifiedName",
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Attribute, as domain/name, that all devices must have with the same value.",
    }),
    distinctAttribute: s.string({
      alias: "FullyQualifiedName",
      proto: 3,
      optional: true,
      pointer: true,
      gate: "DRAConsumableCapacity",
      doc: "Attribute, as domain/name, that all devices must have with different values.",
    }),
  }),
);

export type DeviceClaimConfiguration = ObjectOf<typeof deviceClaimConfiguration>;

export const deviceClaimConfiguration = s.struct(
  "resource.v1.DeviceClaimConfiguration",
  { doc: "Settings for devices of a claim." },
  () => ({
    requests: s.list("string", {
      proto: 1,
      optional: true,
      listType: "atomic",
      doc: "Requests that the settings are for, or request/subrequest; when empty, all.",
    }),
    deviceConfiguration: s.inline(deviceConfiguration, { proto: 2, protoName: "deviceConfiguration" }),
  }),
);
