// Which devices, and how they are set up.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type DeviceSelector = ObjectOf<typeof deviceSelector>;

export const deviceSelector = s.struct(
  "resource.v1.DeviceSelector",
  { doc: "A condition that devices must meet." },
  () => ({
    cel: s.of(celDeviceSelector, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "The condition as an expression in CEL.",
    }),
  }),
);

export type CELDeviceSelector = ObjectOf<typeof celDeviceSelector>;

export const celDeviceSelector = s.struct(
  "resource.v1.CELDeviceSelector",
  { doc: "A condition on devices in CEL." },
  () => ({
    expression: s.string({
      proto: 1,
      doc: "Gives true for devices that fit; the variable device has their driver, attributes and capacity. At most 10 KiB.",
    }),
  }),
);

export type DeviceConfiguration = ObjectOf<typeof deviceConfiguration>;

export const deviceConfiguration = s.struct(
  "resource.v1.DeviceConfiguration",
  { doc: "Settings for devices; must be for exactly one driver." },
  () => ({
    opaque: s.of(opaqueDeviceConfiguration, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Settings that only the driver understands.",
    }),
  }),
);

export type OpaqueDeviceConfiguration = ObjectOf<typeof opaqueDeviceConfiguration>;

export const opaqueDeviceConfiguration = s.struct(
  "resource.v1.OpaqueDeviceConfiguration",
  { doc: "Settings in a form that the driver defines." },
  () => ({
    driver: s.string({ proto: 1, doc: "Driver that the settings are for, named like a domain." }),
    parameters: s.any("rawExtension", {
      proto: 2,
      doc: "An object that the driver defines, usually with kind and apiVersion. At most 10 KiB.",
    }),
  }),
);
